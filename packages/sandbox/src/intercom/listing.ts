import type { Collection, ListedRecord } from './collection.ts';
import { decodeCursor } from './cursors.ts';
import type { EndpointAnswer, EndpointCall } from './endpoint.ts';
import { parameterInvalid } from './intercom-error.ts';
import { cursorAfter, pageBytes } from './paging.ts';
import type { ListShape } from './paging.ts';
import { perPageParameter, textParameter } from './parameters.ts';

/** What is listed and how. */
export interface Listable<Item extends ListedRecord> {
  readonly collection: Collection<Item>;
  readonly shape: ListShape;
  readonly defaultPerPage: number;
  readonly towards: 'older' | 'newer';
  /** Where the list begins, if no cursor says so. */
  readonly start: number;
  /** The number of the page that begins at `start`. */
  readonly page: number;
}

/** Answers a page of a list, from a cursor or from the start. */
export function listFrom<Item extends ListedRecord>(
  { workspace, parameters }: EndpointCall,
  { collection, shape, defaultPerPage, towards, ...first }: Listable<Item>,
): EndpointAnswer {
  const perPage = perPageParameter(parameters, defaultPerPage);
  const cursor = decodeCursor(textParameter(parameters, 'starting_after') ?? '');
  const page = cursor?.page ?? first.page;
  const step = towards === 'older' ? -1 : 1;
  const start = cursor === undefined ? first.start : shownAt(collection, cursor.id) + step;
  const { positions, next } = collection.page(start, perPage, towards);
  const key = [shape.type, shape.records, collection.total, start, perPage, page, towards].join(
    ' ',
  );
  const body = workspace.cachedPage(key, () => {
    const last = positions.at(-1);
    const nextCursor =
      next === undefined || last === undefined
        ? undefined
        : cursorAfter(collection.at(last), collection.createdAt(last) * 1_000, page + 1);
    const total = collection.total;
    return pageBytes(shape, { collection, positions, page, perPage, total, nextCursor });
  });
  if (next === undefined) return { body };
  return {
    body,
    disturb: (change) => {
      collection.disturb(next, change);
    },
  };
}

function shownAt<Item extends ListedRecord>(collection: Collection<Item>, id: string): number {
  const position = collection.positionOf(id);
  if (position === undefined) throw parameterInvalid('starting_after names no record');
  return position;
}
