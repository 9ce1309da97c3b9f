import { SlackError } from './slack-error.ts';

/**
 * What a cursor points at, in the words Slack's own cursors hold under their base64. A cursor names
 * the first record of the next page, so records that come and go before it do not shift the page.
 */
export type CursorKind = 'user' | 'team' | 'next_ts';

/** Builds an opaque cursor, padded base64 as Slack's are. */
export function encodeCursor(kind: CursorKind, target: string): string {
  return Buffer.from(`${kind}:${target}`, 'utf8').toString('base64');
}

/**
 * Reads what a cursor points at; undefined for an empty one, which means the first page.
 *
 * @throws SlackError `invalid_cursor` for anything that was not made for this kind of list.
 */
export function decodeCursor(kind: CursorKind, cursor: string | undefined): string | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const decoded = Buffer.from(cursor, 'base64').toString('utf8');
  const prefix = `${kind}:`;
  if (!decoded.startsWith(prefix)) throw new SlackError('invalid_cursor');
  const target = decoded.slice(prefix.length);
  // Base64 decoding skips unknown characters, but a cursor has to be exactly what was given out.
  if (encodeCursor(kind, target) !== cursor) throw new SlackError('invalid_cursor');
  return target;
}
