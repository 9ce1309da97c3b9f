/**
 * Array literals of PostgreSQL, for `unnest`. The driver would make the same, several times slower:
 * a batch has tens of thousands of elements.
 */

/** @param values Scalars whose text needs no quotes, or null. */
export function plainArray(values: Iterable<number | boolean | null>): string {
  let literal = '';
  for (const value of values) literal += value === null ? ',NULL' : `,${value}`;
  return `{${literal.slice(1)}}`;
}

export function textArray(values: Iterable<string | null>): string {
  let literal = '';
  for (const value of values) literal += value === null ? ',NULL' : `,"${escaped(value)}"`;
  return `{${literal.slice(1)}}`;
}

function escaped(text: string): string {
  return /["\\]/.test(text) ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text;
}
