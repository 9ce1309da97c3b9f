import type { FaultOf } from '../faults.ts';

/** An answer as an object, before it is sent. */
export type SlackBody = Readonly<Record<string, unknown>>;

/** The fields of answers that hold records, one or many. */
const RECORD_FIELDS: ReadonlySet<string> = new Set([
  'user',
  'members',
  'channel',
  'channels',
  'message',
  'messages',
]);
const REMEMBERED_CURSOR = 'next_cursor';

/** Promises the cursor of the page after this one; undefined on the last page. */
export function nextCursorOf(body: SlackBody): string | undefined {
  const metadata = body['response_metadata'];
  const cursor = isObject(metadata) ? metadata['next_cursor'] : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}

/**
 * Promises the body with the first cursor that was ever given out, so that a list never ends. The
 * fault begins to show with the first answer that has a further page.
 */
export function withRepeatedCursor(body: SlackBody, memory: Map<string, string>): SlackBody {
  const cursor = memory.get(REMEMBERED_CURSOR) ?? nextCursorOf(body);
  if (cursor === undefined) return body;
  memory.set(REMEMBERED_CURSOR, cursor);
  const hasMore = 'has_more' in body ? { has_more: true } : {};
  return { ...body, ...hasMore, response_metadata: { next_cursor: cursor } };
}

/** Promises the body with fields that nobody has heard of, on it and on every record. */
export function withUnknownFields(body: SlackBody): SlackBody {
  const extra = {
    sandbox_unknown_text: 'a field that no documentation names',
    sandbox_unknown_number: 4.5,
    sandbox_unknown_null: null,
    sandbox_unknown_object: { nested: [{ deeper: true }] },
  };
  return {
    ...mapRecords(body, (record) => ({ ...record, ...extra, id_v2: 'sandbox' })),
    ...extra,
  };
}

/** Promises arrays where objects belong: the whole body, its records, or objects inside them. */
export function withArrays(
  body: SlackBody,
  where: NonNullable<FaultOf<'arrayBody'>['where']>,
): unknown {
  switch (where) {
    case 'body':
      return [body];
    case 'records':
      return mapRecords(body, (record) => Object.values(record));
    case 'fields':
      return mapRecords(body, (record) =>
        Object.fromEntries(
          Object.entries(record).map(([name, value]) => [name, isObject(value) ? [] : value]),
        ),
      );
  }
}

function mapRecords(body: SlackBody, change: (record: SlackBody) => unknown): SlackBody {
  const changed = (value: unknown) => (isObject(value) ? change(value) : value);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (!RECORD_FIELDS.has(name)) return [name, value];
      return [name, Array.isArray(value) ? value.map(changed) : changed(value)];
    }),
  );
}

function isObject(value: unknown): value is SlackBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
