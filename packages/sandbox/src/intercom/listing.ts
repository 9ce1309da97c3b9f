import type { Collection, ListedRecord } from './collection.ts';
import { decodeCursor } from './cursors.ts';
import type { EndpointAnswer, EndpointCall } from './endpoint.ts';
import { parameterInvalid } from './intercom-error.ts';
import { cursorAfter, pageBytes } from './paging.ts';
import type { ListShape, NextPage } from './paging.ts';
import { pageParameter, perPageParameter, textParameter } from './parameters.ts';

/** What is listed and how. */
export interface Listable<Item extends ListedRecord> {
  readonly collection: Collection<Item>;
  readonly shape: ListShape;
  readonly defaultPerPage: number;
  readonly towards: 'older' | 'newer';
}

/** Answers a page of a list by its cursor, or the first one. */
export function listByCursor<Item extends ListedRecord>(
  call: EndpointCall,
  listable: Listable<Item>,
): EndpointAnswer {
  const { collection, towards, defaultPerPage } = listable;
  const perPage = perPageParameter(call.parameters, defaultPerPage);
  const cursor = decodeCursor(textParameter(call.parameters, 'starting_after') ?? '');
  const page = cursor?.page ?? 1;
  const step = towards === 'older' ? -1 : 1;
  const start = cursor === undefined ? firstOf(listable) : shownAt(collection, cursor.id) + step;
  return answerPage(call, listable, {
    start,
    page,
    perPage,
    nextAfter: (last) =>
      cursorAfter(collection.at(last), collection.createdAt(last) * 1_000, {
        page: page + 1,
        perPage,
      }),
  });
}

/** Answers a page of a list by its number; `addressOf` says where the one of a number is. */
export function listByNumber<Item extends ListedRecord>(
  call: EndpointCall,
  listable: Listable<Item>,
  addressOf: (page: number, perPage: number) => string,
): EndpointAnswer {
  const { collection, towards, defaultPerPage } = listable;
  const perPage = perPageParameter(call.parameters, defaultPerPage);
  const page = pageParameter(call.parameters);
  const skipped = (page - 1) * perPage;
  // For a page beyond the last one, a start beyond the end gives an empty page.
  const start = collection.page(firstOf(listable), skipped, towards).next ?? collection.end;
  return answerPage(call, listable, {
    start,
    page,
    perPage,
    nextAfter: () => addressOf(page + 1, perPage),
  });
}

interface PlaceInList {
  readonly start: number;
  readonly page: number;
  readonly perPage: number;
  /** What leads to the page after this one, by the position that this one ends with. */
  readonly nextAfter: (last: number) => NextPage;
}

function answerPage<Item extends ListedRecord>(
  { workspace }: EndpointCall,
  { collection, shape, towards }: Listable<Item>,
  { start, page, perPage, nextAfter }: PlaceInList,
): EndpointAnswer {
  const { positions, next } = collection.page(start, perPage, towards);
  const last = positions.at(-1);
  const upNext = next === undefined || last === undefined ? undefined : nextAfter(last);
  const { total } = collection;
  const key = [shape.type, shape.records, total, start, perPage, page, towards, upNext];
  const body = workspace.cachedPage(JSON.stringify(key), () =>
    pageBytes(shape, { collection, positions, page, perPage, total, next: upNext }),
  );
  if (next === undefined) return { body };
  return {
    body,
    disturb: (change) => {
      collection.disturb(next, change);
    },
  };
}

function firstOf<Item extends ListedRecord>({ collection, towards }: Listable<Item>): number {
  return towards === 'older' ? collection.end - 1 : 0;
}

function shownAt<Item extends ListedRecord>(collection: Collection<Item>, id: string): number {
  const position = collection.positionOf(id);
  if (position === undefined) throw parameterInvalid('starting_after names no record');
  return position;
}
