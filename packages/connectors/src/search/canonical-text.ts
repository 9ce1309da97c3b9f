import { isJsonObject } from '../json-value.ts';
import type { Search } from './filter.ts';

/**
 * One text for all ways to write the same filter and sort: what a cursor is bound to. Page size and
 * fields are no part of it. `checkSearch` has put conditions into an order of their own already.
 */
export function canonicalText({ filter, sort }: Pick<Search, 'filter' | 'sort'>): string {
  return JSON.stringify({ filter, sort }, (_, value: unknown) =>
    isJsonObject(value) ? withSortedKeys(value) : value,
  );
}

function withSortedKeys(value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
