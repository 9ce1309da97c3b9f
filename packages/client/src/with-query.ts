/** A path with what is given as its query; what is null or undefined is left out. */
export function withQuery(path: string, values: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if ((value ?? null) !== null) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
