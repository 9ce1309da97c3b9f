/**
 * The parts of a path that a pattern names: `/connectors/:id` has `id` of `/connectors/7`. A part with `?` at its
 * end may be missing. `undefined` where the path is no such path.
 */
export function matchPath(
  pattern: string,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/').slice(1);
  const given = path.split('/').slice(1);
  if (given.length > wanted.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index];
    if (part.startsWith(':')) {
      if (value === undefined && !part.endsWith('?')) return undefined;
      if (value !== undefined) params[part.replaceAll(/[:?]/g, '')] = decodeURIComponent(value);
    } else if (part !== value) return undefined;
  }
  return params;
}
