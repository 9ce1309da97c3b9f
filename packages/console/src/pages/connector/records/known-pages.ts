import type { Freshness } from '@patchbay/client';

/** A page that has been read once: where it is, without what is in it. */
export interface KnownPage {
  /** Which page it is; empty for the first. */
  readonly cursor: string;
  /** The place of its first record among all; 0 for the first page. */
  readonly first: number;
  readonly count: number;
  readonly next: string | null;
  /** How fresh the copy was when it was read. */
  readonly sync: Freshness;
}

/** Pages in their order, each with its place. */
export function withPlaces(read: readonly Omit<KnownPage, 'first'>[]): readonly KnownPage[] {
  let first = 0;
  return read.map((page) => {
    const placed = { ...page, first };
    first += page.count;
    return placed;
  });
}

/** How many records the pages have. */
export function countIn(pages: readonly KnownPage[]): number {
  const last = pages.at(-1);
  return last === undefined ? 0 : last.first + last.count;
}

/** The page with a record, by the record's place among all; `undefined` beyond what is known. */
export function pageWith(pages: readonly KnownPage[], index: number): KnownPage | undefined {
  let [low, high] = [0, pages.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pages[middle]?.first ?? Infinity) <= index) low = middle;
    else high = middle - 1;
  }
  const page = pages[low];
  return page !== undefined && index < page.first + page.count ? page : undefined;
}
