/** What a JSON value has at a dotted path (`result.0.id`), or `undefined`. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner: unknown, name) => {
    if (typeof inner !== 'object' || inner === null) return undefined;
    return (inner as Readonly<Record<string, unknown>>)[name];
  }, value);
}

/** The elements of the array at a dotted path; none where there is no array. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

/** The text at a dotted path; empty where there is none. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}
