import { isJsonObject, mapRecordsIn } from '../body-shaping.ts';
import type { JsonBody, MapRecords } from '../body-shaping.ts';

const LIST_FIELDS = ['data', 'conversations', 'admins', 'teams', 'segments'] as const;
const mapListed = mapRecordsIn(new Set(LIST_FIELDS));
const REMEMBERED_NEXT = 'next';

/** Changes the records of a list, or the one record that the whole answer is. */
export const mapIntercomRecords: MapRecords = (body, change) => {
  const isList = LIST_FIELDS.some((field) => Array.isArray(body[field]));
  return isList ? mapListed(body, change) : change(body);
};

/**
 * Gives every page the `next` that was remembered first, so that a list never ends. The fault
 * begins to show with the first answer that has a further page.
 */
export function withRepeatedCursor(body: JsonBody, memory: Map<string, string>): JsonBody {
  const { pages } = body;
  if (!isJsonObject(pages)) return body;
  const next = memory.get(REMEMBERED_NEXT) ?? nextOf(pages);
  if (next === undefined) return body;
  memory.set(REMEMBERED_NEXT, next);
  return { ...body, pages: { ...pages, next: JSON.parse(next) as unknown } };
}

function nextOf(pages: JsonBody): string | undefined {
  const { next } = pages;
  return typeof next === 'string' || isJsonObject(next) ? JSON.stringify(next) : undefined;
}
