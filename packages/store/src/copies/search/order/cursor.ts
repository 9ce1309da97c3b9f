import { createHash } from 'node:crypto';
import { ConnectorError } from '@patchbay/connectors';
import { canonicalText, type Search } from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import { isStorable } from '../../../storable-text.ts';
import type { CopyId } from '../../../contract/copies.ts';
import type { OpenCopy } from '../../open-copy.ts';
import { valuesOf, valuesSql, type Order, type Position, type SortValue } from './order.ts';

/** Where a page ended. */
export interface PageEnd extends Position {
  /** The score of the last hit, where scores decide the order. */
  readonly score: number | undefined;
}

const VERSION = 2;

/** Binds a cursor to what it came from: the copy, and filter and sort, however they were written. */
export function bindingOf(copy: CopyId, search: Pick<Search, 'filter' | 'sort'>): string {
  const { connectorId, kind, entity } = copy;
  return createHash('sha256')
    .update(JSON.stringify([connectorId.toLowerCase(), kind, entity, canonicalText(search)]))
    .digest('base64url')
    .slice(0, 22);
}

/**
 * @param maxBytes Where the values to sort by take more, as JSON, their digest travels instead of
 *   them: a cursor stays short whatever hits are sorted by.
 */
export function writeCursor(
  binding: string,
  { values, key, score }: PageEnd,
  maxBytes: number,
): string {
  const isShort = Buffer.byteLength(JSON.stringify(values)) <= maxBytes;
  const where = isShort ? values : digestOf(values);
  return Buffer.from(JSON.stringify([VERSION, binding, score ?? null, where, key])).toString(
    'base64url',
  );
}

/**
 * @throws ConnectorError `invalid_cursor` for whatever `writeCursor` did not write for the same
 *   binding and order; and where only a digest travelled, once the record has other values to sort
 *   by, or has gone.
 */
export async function readCursor(
  cursor: string,
  {
    copy,
    binding,
    order,
  }: { readonly copy: OpenCopy; readonly binding: string; readonly order: Order },
): Promise<PageEnd> {
  // Without a sort, hits come by score.
  const hasScores = order.length === 0;
  const parts = parseCursor(cursor);
  if (!Array.isArray(parts) || parts.length !== 5 || parts[0] !== VERSION) throw invalid(copy);
  const [, bound, score, where, key] = parts as readonly unknown[];
  if (bound !== binding) {
    throw invalid(copy, 'it belongs to another connector, entity, filter or sort');
  }
  const isScored = hasScores ? Number.isFinite(score) : score === null;
  if (!isScored || typeof key !== 'string' || !isStorable(key)) throw invalid(copy);
  const values = typeof where === 'string' ? await readAgain(copy, order, key) : where;
  if (typeof where === 'string' && digestOf(values) !== where) {
    throw invalid(copy, 'the record that the page before ended with has been changed since');
  }
  if (!Array.isArray(values) || values.length !== order.length) throw invalid(copy);
  if (!order.every(({ column }, index) => isOfType(column.sqlType, values[index]))) {
    throw invalid(copy);
  }
  return {
    key,
    // Checked just above.
    values: values as readonly SortValue[],
    score: hasScores ? Number(score) : undefined,
  };
}

function parseCursor(cursor: string): unknown {
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding skips what is no base64url.
  if (bytes.toString('base64url') !== cursor) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // Whatever it is, it is no cursor of ours, and says so below.
    return undefined;
  }
}

function digestOf(values: unknown): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}

/** What the record has now to sort by; `null` where it has gone. */
async function readAgain(
  { database, connectorId, table }: OpenCopy,
  order: Order,
  key: string,
): Promise<readonly SortValue[] | null> {
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    select ${sql.join([sql`record_key`, ...valuesSql(order)])} from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and record_key = ${key}::text
  `.execute(database);
  const [row] = rows;
  return row === undefined ? null : valuesOf(order, row);
}

function isOfType(type: Order[number]['column']['sqlType'], value: unknown): boolean {
  if (value === null) return true;
  switch (type) {
    case 'text':
      return typeof value === 'string' && isStorable(value);
    case 'int8':
      return Number.isSafeInteger(value);
    case 'float8':
      return Number.isFinite(value);
    default:
      return typeof value === 'boolean';
  }
}

function invalid({ entity }: CopyId, reason = 'it is none that this search gave'): ConnectorError {
  return new ConnectorError(
    'invalid_cursor',
    { entity, action: 'search' },
    { message: `The cursor cannot be used: ${reason}. Begin without a cursor.` },
  );
}
