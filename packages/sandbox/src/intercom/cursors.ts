import { parameterInvalid } from './intercom-error.ts';

/** Where a list goes on: after the last record shown, with the next page. */
export interface Cursor {
  /** The value of the last record shown by which the list is sorted. */
  readonly sortKey: number;
  /** The last record shown. */
  readonly id: string;
  /** The number of the page to come. */
  readonly page: number;
}

/** Builds an opaque cursor: base64 of a list of sort keys, as Intercom's are. */
export function encodeCursor({ sortKey, id, page }: Cursor): string {
  return Buffer.from(JSON.stringify([sortKey, id, page]), 'utf8').toString('base64');
}

/**
 * Reads a cursor; undefined for an empty one, which means the first page.
 *
 * @throws IntercomError `parameter_invalid` for anything that was not given out as a cursor.
 */
export function decodeCursor(cursor: string): Cursor | undefined {
  if (cursor === '') return undefined;
  const parts = parse(Buffer.from(cursor, 'base64').toString('utf8'));
  const [sortKey, id, page] = Array.isArray(parts) ? (parts as readonly unknown[]) : [];
  const isCursor =
    typeof sortKey === 'number' &&
    typeof id === 'string' &&
    typeof page === 'number' &&
    Number.isSafeInteger(page) &&
    page > 1;
  if (!isCursor) throw parameterInvalid('starting_after is not a cursor of this list');
  return { sortKey, id, page };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
