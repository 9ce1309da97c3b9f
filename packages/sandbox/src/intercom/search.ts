import { isJsonObject } from '../body-shaping.ts';
import type { Collection, ListedRecord } from './collection.ts';
import { decodeCursor } from './cursors.ts';
import type { EndpointAnswer, EndpointCall } from './endpoint.ts';
import { IntercomError, parameterInvalid } from './intercom-error.ts';
import { cursorAfter, pageBytes } from './paging.ts';
import type { ListShape } from './paging.ts';
import { perPageParameter, textParameter } from './parameters.ts';
import type { Parameters } from './parameters.ts';
import type { FindField } from './search-fields.ts';
import { compileQuery } from './search-query.ts';
import type { Matches, SearchRules } from './search-query.ts';
import { countBelow, matchOf, positionIn, sortKeyIn } from './search-results.ts';
import type { Match, SearchResults } from './search-results.ts';

/** What is searched and how its list is written. */
export interface Searchable<Item extends ListedRecord> {
  readonly collection: Collection<Item>;
  readonly results: SearchResults;
  readonly rules: SearchRules;
  readonly shape: ListShape;
  readonly defaultPerPage: number;
}

interface Sort {
  readonly field: string;
  readonly isAscending: boolean;
}

/**
 * Answers a search: `query`, `pagination` and `sort` of a JSON body. Sorting is no part of the
 * reference of 2.11, but of Intercom's guide to pagination.
 *
 * @throws IntercomError `parameter_not_found` or `parameter_invalid`.
 * @see https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/pagination
 */
export function search<Item extends ListedRecord>(
  { parameters }: EndpointCall,
  searchable: Searchable<Item>,
): EndpointAnswer {
  const { collection, shape, defaultPerPage } = searchable;
  const { query, pagination } = parameters;
  if (query === undefined) throw new IntercomError(400, 'parameter_not_found', 'query is missing');
  const paging = isJsonObject(pagination) ? pagination : {};
  const perPage = perPageParameter(paging, defaultPerPage);
  const cursor = decodeCursor(textParameter(paging, 'starting_after') ?? '');
  const sort = readSort(parameters);
  const matches = searchable.results.getOrFind(JSON.stringify([query, sort]), () =>
    findMatches(searchable, query, sort),
  );
  const last = cursor === undefined ? undefined : matchAt(collection, cursor);
  const found = matchesAfter(matches, last, sort).slice(0, perPage + 1);
  const shown = found.slice(0, perPage);
  const page = cursor?.page ?? 1;
  const upNext = found[perPage];
  const lastShown = shown.at(-1);
  const body = pageBytes(shape, {
    collection,
    positions: [...shown].map(positionIn),
    page,
    perPage,
    total: matches.length,
    next:
      upNext === undefined || lastShown === undefined
        ? undefined
        : cursorAfter(collection.at(positionIn(lastShown)), sortKeyIn(lastShown), {
            page: page + 1,
            perPage,
          }),
  });
  if (upNext === undefined) return { body };
  return {
    body,
    disturb: (change) => {
      collection.disturb(positionIn(upNext), change);
    },
  };
}

function readSort(parameters: Parameters): Sort {
  const sort = isJsonObject(parameters['sort']) ? parameters['sort'] : {};
  const order = textParameter(sort, 'order') ?? 'descending';
  if (!/^(?:asc|desc)(?:ending)?$/.test(order)) {
    throw parameterInvalid('sort.order must be ascending or descending');
  }
  return {
    field: textParameter(sort, 'field') ?? 'updated_at',
    isAscending: order.startsWith('asc'),
  };
}

function findMatches<Item extends ListedRecord>(
  { collection, rules }: Searchable<Item>,
  query: unknown,
  sort: Sort,
): Float64Array {
  const matches = compileQuery(query, rules);
  const sortKey = sortKeyOf(rules.findField, sort);
  return sortedMatches(collection, matches, sortKey);
}

function sortedMatches<Item extends ListedRecord>(
  collection: Collection<Item>,
  matches: Matches,
  sortKey: (position: number) => number,
): Float64Array {
  const found = new Float64Array(collection.total);
  let count = 0;
  for (let position = 0; position < collection.end; position += 1) {
    if (!collection.has(position) || !matches(position)) continue;
    found[count] = matchOf(sortKey(position), position);
    count += 1;
  }
  return found.subarray(0, count).toSorted();
}

/**
 * Searches can be sorted by dates and integers only, a choice of ours: a match packs its sort key
 * as a number.
 */
function sortKeyOf(findField: FindField, { field: name }: Sort): (position: number) => number {
  const field = findField(name);
  if (field === undefined || (field.type !== 'date' && field.type !== 'integer')) {
    throw parameterInvalid(`the sandbox sorts by dates and integers, not by ${name}`);
  }
  return (position) => {
    const value = field.read(position);
    return typeof value === 'number' ? value : 0;
  };
}

function matchAt<Item extends ListedRecord>(
  collection: Collection<Item>,
  cursor: { readonly sortKey: number; readonly id: string },
): Match {
  const position = collection.positionOf(cursor.id);
  if (position === undefined) throw parameterInvalid('starting_after names no record');
  return matchOf(cursor.sortKey, position);
}

/** The matches after the last one shown, in the order asked for: one more than the largest page. */
function matchesAfter(
  matches: Float64Array,
  last: Match | undefined,
  { isAscending }: Sort,
): Float64Array {
  const most = 151;
  if (isAscending) {
    const start = last === undefined ? 0 : countBelow(matches, last + 1);
    return matches.slice(start, start + most);
  }
  const end = last === undefined ? matches.length : countBelow(matches, last);
  return matches.subarray(Math.max(0, end - most), end).toReversed();
}
