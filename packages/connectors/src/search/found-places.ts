import { isJsonObject } from '../json-value.ts';
import type { Fault } from '../errors.ts';
import { checkFilter } from './check-filter.ts';
import { matches } from './evaluate.ts';
import type { Condition, Filter, TextCondition } from './filter.ts';
import { isSameJson, valueAt } from './json-values.ts';
import { rangesOfPattern, rangesOfSame, rangesOfWords, type TextRange } from './text-places.ts';
import { textsOf } from './judged-texts.ts';
import { wordsOf } from './words.ts';

/** Something in a record for which a filter found it. */
export interface FoundPlace {
  /** Names of members, and indexes of elements. */
  readonly path: Place;
  /** The parts of the text that were found; absent where it is the value as a whole. */
  readonly ranges?: readonly TextRange[];
}

type Place = readonly (string | number)[];
type Values = Readonly<Record<string, unknown>>;

/** Tells what of a record a filter has found: nothing of one that it does not match. */
export type FindPlaces = (values: Values) => readonly FoundPlace[];

/**
 * What of the records that a search finds satisfied its conditions. Conditions under `not`, and those that ask for null,
 * are satisfied by nothing that could be shown; those of an `or` that do not hold found nothing.
 *
 * @param filter As it was sent; what is no filter finds nothing.
 * @see docs/search.md#the-exact-rules
 */
export function placesFoundBy(filter: unknown): FindPlaces {
  const faults: Fault[] = [];
  const checked = checkFilter(filter, { schema: undefined, at: 'filter', faults });
  return faults.length > 0 ? () => [] : (values) => placesIn(checked, values, []);
}

function placesIn(filter: Filter, root: Values, at: Place): readonly FoundPlace[] {
  if (!matches(filter, root)) return [];
  switch (filter.operator) {
    case 'and':
    case 'or':
      return filter.filters.flatMap((each) => placesIn(each, root, at));
    case 'not':
      return [];
    default:
      return placesOf(filter, valueAt(root, filter.path.segments), [
        ...at,
        ...filter.path.segments,
      ]);
  }
}

/** Of a condition that holds for a value. */
function placesOf(condition: Condition, value: unknown, at: Place): readonly FoundPlace[] {
  switch (condition.operator) {
    case 'like':
    case 'keyword':
    case 'fuzzy':
      return textPlacesOf(condition, value, at);
    case 'any':
      return elementsOf(value).flatMap(([element, index]) =>
        isJsonObject(element) ? placesIn(condition.filter, element, [...at, index]) : [],
      );
    case 'contains':
      return elementsOf(value)
        .filter(([element]) => isSameJson(element, condition.value))
        .map(([, index]) => ({ path: [...at, index] }));
    default:
      return value === null ? [] : [{ path: at }];
  }
}

function textPlacesOf(condition: TextCondition, value: unknown, at: Place): readonly FoundPlace[] {
  const find = rangeFinder(condition, value);
  // Texts of numbers and booleans are short, and shown as they are.
  if (typeof value === 'number' || typeof value === 'boolean') {
    const ranges = find(JSON.stringify(value));
    return ranges.length === 0 ? [] : [{ path: at, ranges }];
  }
  return stringsIn(value, at)
    .map(({ path, text }) => ({ path, ranges: find(text) }))
    .filter(({ ranges }) => ranges.length > 0);
}

function rangeFinder(
  condition: TextCondition,
  value: unknown,
): (text: string) => readonly TextRange[] {
  switch (condition.operator) {
    case 'like':
      return (text) => rangesOfPattern(text, condition.pattern);
    case 'keyword':
      return (text) => rangesOfSame(text, condition.words);
    case 'fuzzy': {
      const inAll = [...new Set(textsOf(value).flatMap(wordsOf))];
      return (text) => rangesOfWords(text, condition.words, inAll);
    }
  }
}

function stringsIn(
  value: unknown,
  path: Place,
): readonly { readonly path: Place; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value))
    return value.flatMap((element, index) => stringsIn(element, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => stringsIn(member, [...path, name]));
}

function elementsOf(value: unknown): readonly (readonly [unknown, number])[] {
  return Array.isArray(value) ? value.map((element, index) => [element, index] as const) : [];
}
