/** The segment of a path that stands for the elements of an array. */
export const ELEMENTS = '[]';

/**
 * A path as filters take it: dotted, or, where a name has a dot in it, its names. `[]`, which hangs on the
 * array whose elements it stands for, is what `any` looks into.
 */
export function writtenPath(segments: readonly string[]): string | readonly string[] {
  return segments.some((segment) => segment.includes('.'))
    ? segments
    : segments.join('.').replaceAll(`.${ELEMENTS}`, ELEMENTS);
}

/** The same as one text. */
export function pathInWords(segments: readonly string[]): string {
  const written = writtenPath(segments);
  return typeof written === 'string' ? written : JSON.stringify(written);
}
