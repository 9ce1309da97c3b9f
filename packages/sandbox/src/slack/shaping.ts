import { isJsonObject, mapRecordsIn } from '../body-shaping.ts';
import type { JsonBody } from '../body-shaping.ts';

/** Changes the records of an answer, in every field of the Web API that holds some. */
export const mapSlackRecords = mapRecordsIn(
  new Set(['user', 'members', 'channel', 'channels', 'message', 'messages']),
);

const REMEMBERED_CURSOR = 'next_cursor';

/** The cursor of the page after this one; undefined on the last page. */
export function nextCursorOf(body: JsonBody): string | undefined {
  const metadata = body['response_metadata'];
  const cursor = isJsonObject(metadata) ? metadata['next_cursor'] : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}

/**
 * Gives every page the cursor that was remembered first, so that a list never ends. The fault
 * begins to show with the first answer that has a further page.
 */
export function withRepeatedCursor(body: JsonBody, memory: Map<string, string>): JsonBody {
  const cursor = memory.get(REMEMBERED_CURSOR) ?? nextCursorOf(body);
  if (cursor === undefined) return body;
  memory.set(REMEMBERED_CURSOR, cursor);
  const hasMore = 'has_more' in body ? { has_more: true } : {};
  return { ...body, ...hasMore, response_metadata: { next_cursor: cursor } };
}
