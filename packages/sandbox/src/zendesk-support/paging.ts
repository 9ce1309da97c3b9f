import { isJsonObject } from '../body-shaping.ts';
import type { ZendeskRecord } from './collection.ts';
import type { Order, Place, Sorting } from './order.ts';
import type { Parameters } from './parameters.ts';
import { invalidAttribute, invalidPaging } from './support-error.ts';

/** The paginations that the vendor documents for a list. */
export type PagingStyle = 'cursor and offset' | 'offset' | 'cursor or everything';

/** A run of ranks, and what the answer says about the pages around it. */
export interface Page {
  readonly start: number;
  readonly end: number;
  /** The fields of the answer beside its records. */
  readonly envelope: ZendeskRecord;
  /** Whether there is a page after this one. */
  readonly hasNext: boolean;
}

/** What a page is cut from. */
export interface PageSource {
  readonly parameters: Parameters;
  readonly order: Order;
  /** The address of the list, without a query. */
  readonly url: string;
  readonly sorting: Sorting;
}

/** How offset pages differ between lists. */
export interface OffsetOptions {
  readonly defaultPerPage: number;
  /** Whether the list is the help center's, whose answers also give page, page size and sorting. */
  readonly isHelpCenter: boolean;
}

const MAX_PAGE_SIZE = 100;
const MAX_OFFSET_RECORDS = 10_000;
const CURSOR_PARAMETERS = ['page[size]', 'page[after]', 'page[before]'] as const;

/** Says whether a call asks for a cursor page: one parameter of it is enough. */
export function wantsCursor(parameters: Parameters): boolean {
  return CURSOR_PARAMETERS.some((name) => parameters.text(name) !== undefined);
}

/**
 * Cuts a page by its number.
 *
 * @throws SupportError 400 beyond the first 10,000 records.
 * @see https://developer.zendesk.com/api-reference/introduction/pagination/
 */
export function offsetPage(source: PageSource, options: OffsetOptions): Page {
  const { parameters, order, url, sorting } = source;
  const { defaultPerPage, isHelpCenter } = options;
  const page = parameters.positive('page') ?? 1;
  const perPage = Math.min(MAX_PAGE_SIZE, parameters.positive('per_page') ?? defaultPerPage);
  if (page * perPage > MAX_OFFSET_RECORDS) {
    throw invalidPaging(
      'InvalidPaginationDepth',
      'Pagination requests using Offset Pagination are limited to page 100 or up to 10000 records (page * per_page)',
    );
  }
  const count = order.length;
  const start = Math.min(count, (page - 1) * perPage);
  const end = Math.min(count, start + perPage);
  const hasNext = end < count;
  const link = (to: number) =>
    `${url}?${parameters.with({ page: String(to), per_page: parameters.text('per_page') ?? null })}`;
  return {
    start,
    end,
    hasNext,
    envelope: {
      count,
      next_page: hasNext ? link(page + 1) : null,
      previous_page: page > 1 ? link(page - 1) : null,
      ...(isHelpCenter
        ? {
            page,
            page_count: Math.ceil(count / perPage),
            per_page: perPage,
            sort_by: sorting.name,
            sort_order: sorting.isDescending ? 'desc' : 'asc',
          }
        : {}),
    },
  };
}

/** The whole list as one page, for lists that page by cursor or not at all. */
export function wholePage(order: Order): Page {
  const count = order.length;
  const envelope = { count, next_page: null, previous_page: null };
  return { start: 0, end: count, hasNext: false, envelope };
}

/**
 * Cuts a page after or before a cursor. Both cursors are given wherever there is a record, on the
 * first and the last page too; only `has_more` says whether there is more in the direction read.
 *
 * @throws SupportError 400 for a page size out of range or a cursor that was never given out.
 * @see https://developer.zendesk.com/api-reference/introduction/pagination/
 */
export function cursorPage({ parameters, order, url, sorting }: PageSource): Page {
  const size = pageSize(parameters);
  const afterText = parameters.text('page[after]');
  const beforeText = parameters.text('page[before]');
  if (afterText !== undefined && beforeText !== undefined) {
    throw invalidPaging(
      'InvalidPaginationParameter',
      'page[after] and page[before] exclude each other',
    );
  }
  const isBackward = beforeText !== undefined;
  const edge = isBackward
    ? order.countBefore(decodeCursor(sorting, beforeText), false)
    : afterText === undefined
      ? 0
      : order.countBefore(decodeCursor(sorting, afterText), true);
  const start = isBackward ? Math.max(0, edge - size) : edge;
  const end = isBackward ? edge : Math.min(order.length, edge + size);
  const isEmpty = start >= end;
  const link = (changes: Readonly<Record<string, string | null>>) =>
    `${url}?${parameters.with({ page: null, 'page[size]': String(size), ...changes })}`;
  const after = isEmpty ? null : encodeCursor(sorting, order.placeAt(end - 1));
  const before = isEmpty ? null : encodeCursor(sorting, order.placeAt(start));
  return {
    start,
    end,
    hasNext: end < order.length && !isEmpty,
    envelope: {
      meta: {
        has_more: isBackward ? start > 0 : end < order.length,
        after_cursor: after,
        before_cursor: before,
      },
      links: {
        prev: before === null ? null : link({ 'page[after]': null, 'page[before]': before }),
        next: after === null ? null : link({ 'page[before]': null, 'page[after]': after }),
      },
    },
  };
}

/** Refuses cursor parameters where the list has none: there `page` has to be a number. */
export function refuseCursor(parameters: Parameters): void {
  if (wantsCursor(parameters)) throw invalidAttribute('page', 'must be an integer');
}

function pageSize(parameters: Parameters): number {
  const text = parameters.text('page[size]');
  if (text === undefined) return MAX_PAGE_SIZE;
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size < 1 || size > MAX_PAGE_SIZE) {
    throw invalidPaging('InvalidPaginationParameter', 'page[size] must be between 1 and 100');
  }
  return size;
}

function encodeCursor({ name, isDescending }: Sorting, place: Place): string {
  const sign = isDescending ? '-' : '';
  return Buffer.from(
    JSON.stringify({ o: `${sign}${name}`, v: [place.key, place.position] }),
  ).toString('base64');
}

function decodeCursor({ name, isDescending }: Sorting, cursor: string): Place {
  const refusal = invalidPaging(
    'InvalidPaginationParameter',
    'page[after] is not a cursor of this list',
  );
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64').toString('utf8'));
    const { o: order, v: values } = isJsonObject(parsed) ? parsed : {};
    const listed: readonly unknown[] = Array.isArray(values) ? values : [];
    const [key, position] = listed;
    const isKey = typeof key === 'number' || typeof key === 'string';
    // A cursor made for another sorting means nothing in this one.
    if (order !== `${isDescending ? '-' : ''}${name}`) throw refusal;
    if (!isKey || typeof position !== 'number') throw refusal;
    return { key, position };
  } catch (error) {
    if (error instanceof SyntaxError) throw refusal;
    throw error;
  }
}
