import { compareCodePoints } from './code-points.ts';
import { matches, scoreOf } from './evaluate.ts';
import type { Search, SortKey } from './filter.ts';
import { valueAt } from './json-values.ts';
import type { SearchSchema } from './search-schema.ts';

/** A record as it is searched. */
export interface SearchableRecord {
  /** The record key as text. */
  readonly key: string;
  /** Searchable fields by name, well-formed; absent ones count as null. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A record that matched. */
export interface ScoredRecord extends SearchableRecord {
  readonly score: number;
}

/** A hit as it goes out. */
export interface PlainHit {
  readonly id: string;
  readonly score: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Searches records in memory, without cursors. Tests hold pages from the copy to what this gives.
 */
export function searchRecords(
  schema: SearchSchema,
  records: readonly SearchableRecord[],
  search: Search,
): readonly PlainHit[] {
  return records
    .filter(({ values }) => matches(search.filter, values))
    .map((record) => ({ ...record, score: scoreOf(search.filter, record.values) }))
    .toSorted(compareHits(search.sort))
    .slice(0, search.limit)
    .map(({ key, score, values }) => ({
      id: key,
      score,
      data: pickFields(schema, values, search.fields),
    }));
}

/**
 * The order of hits: by the sort, false before true, nulls last in both directions; without a sort by
 * score, best first. Ties by record key. Texts and keys by code point.
 */
export function compareHits(
  sort: readonly SortKey[],
): (a: ScoredRecord, b: ScoredRecord) => number {
  return (a, b) => {
    for (const { field, order } of sort) {
      const compared = compareValues(a.values[field] ?? null, b.values[field] ?? null, order);
      if (compared !== 0) return compared;
    }
    if (sort.length === 0 && a.score !== b.score) return b.score - a.score;
    return compareCodePoints(a.key, b.key);
  };
}

/**
 * The data of a hit: the searchable fields in the order of the service reference, null where absent;
 * or those parts of them that `fields` names, nested. An `id` of no value is left out.
 *
 * @see docs/search.md#cursors-and-fields
 */
export function pickFields(
  schema: SearchSchema,
  values: Readonly<Record<string, unknown>>,
  fields: Search['fields'],
): Readonly<Record<string, unknown>> {
  const data: Record<string, unknown> = {};
  for (const { name } of schema.fields) {
    const paths = fields?.filter(([first]) => first === name).map((path) => path.slice(1));
    if (paths?.length === 0) continue;
    const value = values[name] ?? null;
    if (name === 'id' && value === null) continue;
    data[name] = pickPaths(value, paths ?? [[]]);
  }
  return data;
}

/** What the paths name of a value, in the order of the paths; all of it where one of them is empty. */
function pickPaths(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return value;
  const below = Map.groupBy(paths, ([first = '']) => first);
  return Object.fromEntries(
    [...below].map(([name, group]) => [
      name,
      pickPaths(
        valueAt(value, [name]),
        group.map((path) => path.slice(1)),
      ),
    ]),
  );
}

function compareValues(a: unknown, b: unknown, order: 'asc' | 'desc'): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const compared =
    typeof a === 'string' && typeof b === 'string'
      ? compareCodePoints(a, b)
      : Number(a) - Number(b);
  return order === 'asc' ? compared : -compared;
}
