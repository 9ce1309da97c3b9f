/**
 * The value that a `Cookie` header has for a name; `undefined` where it has none, or two: somebody meddled
 * then.
 */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const start = `${name}=`;
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return values.length === 1 ? values[0]?.slice(start.length) : undefined;
}
