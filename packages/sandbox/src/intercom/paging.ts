import type { JsonBody } from '../body-shaping.ts';
import type { Collection, ListedRecord } from './collection.ts';
import { encodeCursor } from './cursors.ts';

/** What leads to the page after one: a cursor, or the address of that page. */
export type NextPage =
  string | { readonly page: number; readonly per_page: number; readonly starting_after: string };

/** A page that is to be shown. */
export interface PageToShow<Item extends ListedRecord> {
  readonly collection: Collection<Item>;
  readonly positions: readonly number[];
  readonly page: number;
  readonly perPage: number;
  /** How many records all pages have together. */
  readonly total: number;
  /** Undefined on the last page. */
  readonly next: NextPage | undefined;
}

/** How one kind of list is written. */
export interface ListShape {
  readonly type: string;
  /** The field that holds the records. */
  readonly records: string;
  /** What `pages.next` is on the last page: null, or left out altogether. */
  readonly nextAtEnd: 'null' | 'absent';
}

const COMMA = Buffer.from(',');

/** Serialises a page of a list. */
export function pageBytes<Item extends ListedRecord>(
  shape: ListShape,
  page: PageToShow<Item>,
): Buffer {
  const head = JSON.stringify({
    type: shape.type,
    pages: pagesObject(shape, page),
    total_count: page.total,
  });
  // Every record becomes bytes alone: one large text with a single emoji in it converts far slower.
  const parts = [Buffer.from(`${head.slice(0, -1)},"${shape.records}":[`)];
  for (const [nth, position] of page.positions.entries()) {
    if (nth > 0) parts.push(COMMA);
    parts.push(Buffer.from(JSON.stringify(page.collection.at(position))));
  }
  parts.push(Buffer.from(']}'));
  return Buffer.concat(parts);
}

/** What leads to the page after a record; `page` is the number of that next page. */
export function cursorAfter(
  record: ListedRecord,
  sortKey: number,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): NextPage {
  const cursor = encodeCursor({ sortKey, id: record.id, page });
  return { page, per_page: perPage, starting_after: cursor };
}

function pagesObject<Item extends ListedRecord>(
  shape: ListShape,
  { page, perPage, total, next }: PageToShow<Item>,
): JsonBody {
  const ended = shape.nextAtEnd === 'null' ? { next: null } : {};
  return {
    type: 'pages',
    ...(next === undefined ? ended : { next }),
    page,
    per_page: perPage,
    total_pages: Math.ceil(total / perPage),
  };
}
