/** `field`, `field:asc` or `field:desc` as a sort key of the query language. */
export function sortKeyOf(text: string): Readonly<Record<string, string>> {
  const at = text.lastIndexOf(':');
  return at === -1 ? { [text]: 'asc' } : { [text.slice(0, at)]: text.slice(at + 1) };
}
