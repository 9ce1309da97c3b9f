import { isJsonObject } from '../json-value.ts';
import { compareCodePoints } from './code-points.ts';
import { matches } from './evaluate.ts';
import type { FieldPath, Search } from './filter.ts';
import { valueAt } from './json-values.ts';
import { MAX_COUNTED } from './search-params.ts';
import type { SearchableRecord } from './search-records.ts';

/** Values that a facet tells, the commonest. */
export const MAX_FACET_VALUES = 20;
/** Code points of a text that a facet tells. */
export const MAX_FACET_TEXT = 256;
/** Different values that the facets of a search may have together: what counting holds in memory. */
export const MAX_VALUES_OF_FACETS = 100_000;

/** Whether a count is of all that match, or there are more. */
type CountRelation = 'exact' | 'at_least';

/** How many records match. */
export interface Total {
  readonly value: number;
  readonly relation: CountRelation;
}

/** How many records have which values at a path. */
export interface Facet {
  /** The commonest first, and of those that are as common by their JSON. */
  readonly values: readonly { readonly value: string | number | boolean; readonly count: number }[];
  readonly relation: CountRelation;
  /** The counts of all other values together. */
  readonly other: number;
}

/** What `count` and `facets` of a search are answered with. */
export interface Counts {
  readonly total?: Total;
  /** By the names of their paths. */
  readonly facets?: Readonly<Record<string, Facet>>;
}

/**
 * What `count` and `facets` of a search mean, over records in memory. Tests hold counts from the copy
 * to what this gives.
 *
 * @param most Records that are counted.
 * @see docs/search.md#counts-and-facets
 */
export function countRecords(
  records: readonly SearchableRecord[],
  search: Search,
  most = MAX_COUNTED,
): Counts {
  const matched = records
    .filter(({ values }) => matches(search.filter, values))
    .toSorted((a, b) => compareCodePoints(a.key, b.key));
  const tallies = search.facets.map(({ segments }) => {
    const tally = new FacetTally();
    for (const { values } of matched.slice(0, most)) {
      for (const value of countedValues(valueAt(values, segments))) tally.add(value, 1);
    }
    return tally;
  });
  return countsOf(search, { matched: matched.length, most, tallies });
}

/**
 * The counts that a search asks for.
 *
 * @param found.matched Records that match; one more than `most` where there are more.
 * @param found.tallies In the order of the facets.
 */
export function countsOf(
  { count, facets }: Pick<Search, 'count' | 'facets'>,
  found: {
    readonly matched: number;
    readonly most: number;
    readonly tallies: readonly FacetTally[];
  },
): Counts {
  const { matched, most, tallies } = found;
  const relation = matched > most ? 'at_least' : 'exact';
  const names = facets.map(facetName);
  return {
    ...(count ? { total: { value: Math.min(matched, most), relation } } : {}),
    ...(facets.length === 0
      ? {}
      : {
          facets: Object.fromEntries(
            tallies.map((tally, index) => {
              const { values, other } = tally.told();
              return [names[index] ?? '', { values, relation, other }];
            }),
          ),
        }),
  };
}

/** What the answer calls a facet: its path with dots. */
export function facetName({ segments }: FieldPath): string {
  return segments.join('.');
}

/** All texts too long to be told, in the place of the JSON of a value. */
export const LONG_TEXT = '';

/**
 * What a facet counts of a record: the scalar at its path, or the scalars in the array there, each
 * once; nothing of null and objects.
 *
 * @returns JSON of the values, or `LONG_TEXT`.
 */
function countedValues(value: unknown): ReadonlySet<string> {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return new Set(values.filter(isCounted).map(jsonOrLong));
}

function isCounted(value: unknown): boolean {
  return value !== null && !Array.isArray(value) && !isJsonObject(value);
}

function jsonOrLong(value: unknown): string {
  return typeof value === 'string' && isLong(value) ? LONG_TEXT : JSON.stringify(value);
}

/** A code point has two code units at most. */
function isLong(text: string): boolean {
  if (text.length <= MAX_FACET_TEXT) return false;
  return text.length > 2 * MAX_FACET_TEXT || Array.from(text).length > MAX_FACET_TEXT;
}

type Told = readonly [json: string, records: number];

/** How many records have each value of one facet. */
export class FacetTally {
  readonly #records = new Map<string, number>();

  /** Different values. */
  get size(): number {
    return this.#records.size;
  }

  /** @param json As `JSON.stringify` writes the value, or `LONG_TEXT`. */
  add(json: string, records: number): void {
    this.#records.set(json, (this.#records.get(json) ?? 0) + records);
  }

  /** The commonest values, and how often there are others. */
  told(): Pick<Facet, 'values' | 'other'> {
    const commonest: Told[] = [];
    let other = 0;
    for (const each of this.#records) {
      other += each[1];
      if (each[0] !== LONG_TEXT) keepCommonest(commonest, each);
    }
    const values = commonest.map(([json, count]) => {
      other -= count;
      // Proof: what is added is the JSON of a scalar.
      return { value: JSON.parse(json) as string | number | boolean, count };
    });
    return { values, other };
  }
}

/** Puts a value where it belongs among the commonest, if it does. */
function keepCommonest(commonest: Told[], told: Told): void {
  const last = commonest.at(MAX_FACET_VALUES - 1);
  if (last !== undefined && compareTold(last, told) < 0) return;
  const at = commonest.findIndex((each) => compareTold(each, told) > 0);
  commonest.splice(at === -1 ? commonest.length : at, 0, told);
  if (commonest.length > MAX_FACET_VALUES) commonest.pop();
}

function compareTold([json, records]: Told, [otherJson, others]: Told): number {
  return others - records || compareCodePoints(json, otherJson);
}
