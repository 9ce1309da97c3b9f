import type { CopyRecord } from '../contract/copies.ts';

/** What a record takes besides its texts, as if it were text. */
export const OF_A_RECORD = 200;
/** The same of a value in it. */
const OF_A_VALUE = 8;

/**
 * Roughly how much a record is to write, which its words and values make most of. Words are found by at each object
 * that they stand in.
 */
export function charactersOf({ values }: Pick<CopyRecord, 'values'>): number {
  return OF_A_RECORD + sizeOf(values, 0);
}

/** @param places How many paths lead to the words of a text in it. */
function sizeOf(value: unknown, places: number): number {
  if (typeof value === 'string') return OF_A_VALUE + value.length * places;
  if (typeof value !== 'object' || value === null) return OF_A_VALUE;
  let size = OF_A_VALUE;
  if (Array.isArray(value)) for (const each of value) size += sizeOf(each, places);
  else for (const each of Object.values(value)) size += sizeOf(each, places + 1);
  return size;
}
