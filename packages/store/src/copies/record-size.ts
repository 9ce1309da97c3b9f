import type { CopyRecord } from '../contract/copies.ts';

/** What a record takes besides its texts, as if it were text. */
export const OF_A_RECORD = 200;
/** The same of a value in it. */
const OF_A_VALUE = 8;

/** Roughly how much a record is to write, which its words and values make most of. */
export function charactersOf({ values }: CopyRecord): number {
  return OF_A_RECORD + sizeOf(values);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return OF_A_VALUE + value.length;
  if (typeof value !== 'object' || value === null) return OF_A_VALUE;
  let size = OF_A_VALUE;
  for (const each of Array.isArray(value) ? value : Object.values(value)) size += sizeOf(each);
  return size;
}
