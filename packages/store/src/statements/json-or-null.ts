/** The text of a column of JSON that may be null. */
export function jsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
