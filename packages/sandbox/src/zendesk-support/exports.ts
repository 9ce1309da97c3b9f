import { isoTime } from './times.ts';
import type { Seconds } from './times.ts';
import type { Collection, ZendeskRecord } from './collection.ts';
import type { Order, Place } from './order.ts';
import type { Page } from './paging.ts';
import type { Parameters } from './parameters.ts';
import { invalidAttribute, startTimeTooRecent } from './support-error.ts';

/** The entities that are exported by their last change. */
export type ExportedEntity = 'tickets' | 'users' | 'organizations';

/** The two ways of reading an export. */
export type ExportStyle = 'cursor' | 'time';

/** The field that each export is sorted by; tickets have a time of their own for it. */
export const EXPORT_ORDERS: Readonly<Record<ExportedEntity, string>> = {
  tickets: 'generated_timestamp',
  users: 'updated_at',
  organizations: 'updated_at',
};

const MAX_PAGE_SIZE = 1_000;
/** A `start_time` that is not at least this long ago is refused. */
const SETTLING_SECONDS = 60;

/**
 * A collection as its export gives it: deleted records stay in it, marked as deleted, and their
 * last change is the deletion.
 */
export class ExportedRecords {
  readonly isWhole = true;
  readonly #entity: ExportedEntity;
  readonly #collection: Collection;

  constructor(entity: ExportedEntity, collection: Collection) {
    this.#entity = entity;
    this.#collection = collection;
  }

  get end(): number {
    return this.#collection.end;
  }

  get revision(): number {
    return this.#collection.revision;
  }

  has(position: number): boolean {
    return position >= 0 && position < this.end;
  }

  sortKeyAt(name: string, position: number): number | string {
    return this.#collection.removedAt(position) ?? this.#collection.sortKeyAt(name, position);
  }

  recordAt(position: number): ZendeskRecord {
    const record = this.#collection.recordAt(position);
    const removedAt = this.#collection.removedAt(position);
    return removedAt === undefined ? record : deletedRecord(this.#entity, record, removedAt);
  }

  idAt(position: number): number {
    return Number(this.#collection.recordAt(position)['id']);
  }

  /** The position of a record that exists or was deleted; undefined for an unknown id. */
  positionOf(id: number): number | undefined {
    const position = this.#collection.seededPositionOf(id);
    return position !== undefined && this.has(position) ? position : undefined;
  }
}

/** What an exported page is cut from. */
export interface ExportSource {
  readonly records: ExportedRecords;
  readonly order: Order;
  readonly parameters: Parameters;
  /** The address of the export, without a query. */
  readonly url: string;
  readonly now: Seconds;
}

/**
 * Cuts a page of an export. A cursor goes on after the last record of the page before; a time goes
 * on with everything of that page's last second, so some records come again. Both say where to go
 * on even at the end, for a client that asks again later: only `end_of_stream` tells the end.
 *
 * @throws SupportError 400 for a time in the last minute, or a cursor that was never given out.
 * @see https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/
 */
export function exportPage(style: ExportStyle, source: ExportSource): Page {
  return style === 'cursor' ? cursorExport(source) : timeExport(source);
}

function cursorExport({ records, order, parameters, url, now }: ExportSource): Page {
  const size = sizeOf(parameters);
  const cursor = parameters.text('cursor');
  const place = cursor === undefined ? undefined : decodeCursor(records, cursor);
  const start =
    place === undefined
      ? order.countBefore({ key: startTime(parameters, now), position: -1 }, false)
      : order.countBefore(place, true);
  const end = Math.min(order.length, start + size);
  const at = (rank: number) => encodeCursor(records, order.placeAt(rank));
  const after = end > start ? at(end - 1) : (cursor ?? null);
  const before = end > start && start > 0 ? at(start) : null;
  const link = (to: string | null) =>
    to === null ? null : `${url}?${parameters.with({ start_time: null, cursor: to })}`;
  return {
    start,
    end,
    hasNext: end < order.length,
    envelope: {
      after_url: link(after),
      after_cursor: after,
      before_url: link(before),
      before_cursor: before,
      end_of_stream: end === order.length,
    },
  };
}

function timeExport({ order, parameters, url, now }: ExportSource): Page {
  const size = sizeOf(parameters);
  const start = order.countBefore({ key: startTime(parameters, now), position: -1 }, false);
  let end = Math.min(order.length, start + size);
  const endTime = end > start ? order.placeAt(end - 1).key : null;
  // All records of a second are on one page, however many: a time cannot point inside a second.
  while (end < order.length && order.placeAt(end).key === endTime) end += 1;
  return {
    start,
    end,
    hasNext: end < order.length,
    envelope: {
      count: end - start,
      end_time: endTime,
      next_page:
        endTime === null ? null : `${url}?${parameters.with({ start_time: String(endTime) })}`,
      end_of_stream: end === order.length,
    },
  };
}

function sizeOf(parameters: Parameters): number {
  return Math.min(MAX_PAGE_SIZE, parameters.positive('per_page') ?? MAX_PAGE_SIZE);
}

function startTime(parameters: Parameters, now: Seconds): Seconds {
  const text = parameters.text('start_time');
  if (text === undefined || !/^\d{1,12}$/.test(text)) {
    throw invalidAttribute('start_time', 'must be an integer');
  }
  if (Number(text) > now - SETTLING_SECONDS) throw startTimeTooRecent();
  return Number(text);
}

/** Builds a cursor as Zendesk's are: base64 of a time and the id of the record with that time. */
function encodeCursor(records: ExportedRecords, { key, position }: Place): string {
  return Buffer.from(`${String(key)}.0||${String(records.idAt(position))}|`).toString('base64');
}

function decodeCursor(records: ExportedRecords, cursor: string): Place {
  const decoded = Buffer.from(cursor, 'base64').toString('utf8');
  const [, key, id] = /^(\d{1,12})\.0\|\|(\d{1,15})\|$/.exec(decoded) ?? [];
  const position = records.positionOf(Number(id));
  if (key === undefined || position === undefined) {
    throw invalidAttribute('cursor', 'must be a cursor of this export');
  }
  return { key: Number(key), position };
}

function deletedRecord(
  entity: ExportedEntity,
  record: ZendeskRecord,
  removedAt: Seconds,
): ZendeskRecord {
  const updated_at = isoTime(removedAt);
  switch (entity) {
    case 'tickets':
      return { ...record, status: 'deleted', updated_at, generated_timestamp: removedAt };
    case 'users':
      return { ...record, active: false, updated_at };
    case 'organizations':
      return { ...record, deleted_at: updated_at, updated_at };
  }
}
