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

/**
 * Of one sort. Browsers send all of them with every request to this host, whose headers have a bound, and keep so many: where
 * there are more, they drop others, such as that of the console.
 */
export const MAX_COOKIES = 20;

/** Of the names of cookies of one sort, oldest first, those that have to go so that a new one may come. */
export function tooManyFor(names: readonly string[]): readonly string[] {
  return names.slice(0, -(MAX_COOKIES - 1));
}

function pairsOf(header: string | undefined): readonly string[] {
  return (header ?? '').split(';').map((pair) => pair.trim());
}
