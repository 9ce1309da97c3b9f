/**
 * The value that a `Cookie` header has for a name; `undefined` where it has none, or two: somebody meddled
 * then.
 */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const start = `${name}=`;
  const values = pairsOf(header).filter((pair) => pair.startsWith(start));
  return values.length === 1 ? values[0]?.slice(start.length) : undefined;
}

/** The names in a `Cookie` header that begin like that, each once. */
export function cookieNamesIn(header: string | undefined, prefix: string): readonly string[] {
  const names = pairsOf(header).map((pair) => pair.split('=', 1)[0] ?? '');
  return [...new Set(names.filter((name) => name.startsWith(prefix)))];
}

function pairsOf(header: string | undefined): readonly string[] {
  return (header ?? '').split(';').map((pair) => pair.trim());
}
