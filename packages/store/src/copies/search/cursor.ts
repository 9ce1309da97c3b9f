import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ConnectorError } from '@patchbay/connectors';
import { canonicalText, type Search } from '@patchbay/connectors/engine';
import { isStorable } from '../../storable-text.ts';
import type { CopyId } from '../../contract/copies.ts';
import type { Order, Position, SortValue } from './order.ts';

/** Where a page ended. */
export interface PageEnd extends Position {
  /** The score of the last hit, where scores decide the order. */
  readonly score: number | undefined;
}

const VERSION = 1;

/** Longer ones are compressed, and so marked: hits may be sorted by texts of any length. */
const MAX_PLAIN_LENGTH = 1_000;
const PLAIN = 'p';
const COMPRESSED = 'c';

/** A cursor that unpacks to more is refused; no request could hold as much. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Binds a cursor to what it came from: the copy, and filter and sort, however they were written. */
export function bindingOf(copy: CopyId, search: Pick<Search, 'filter' | 'sort'>): string {
  const { connectorId, kind, entity } = copy;
  return createHash('sha256')
    .update(JSON.stringify([connectorId.toLowerCase(), kind, entity, canonicalText(search)]))
    .digest('base64url')
    .slice(0, 22);
}

export function writeCursor(binding: string, { values, key, score }: PageEnd): string {
  const text = JSON.stringify([VERSION, binding, score ?? null, values, key]);
  return text.length <= MAX_PLAIN_LENGTH
    ? `${PLAIN}${Buffer.from(text).toString('base64url')}`
    : `${COMPRESSED}${deflateRawSync(text).toString('base64url')}`;
}

/**
 * @throws ConnectorError `invalid_cursor` for whatever `writeCursor` did not write for the same
 *   binding and order.
 */
export function readCursor(
  cursor: string,
  {
    copy,
    binding,
    order,
  }: { readonly copy: CopyId; readonly binding: string; readonly order: Order },
): PageEnd {
  // Without a sort, hits come by score.
  const hasScores = order.length === 0;
  const parts = parse(cursor);
  if (!Array.isArray(parts) || parts.length !== 5 || parts[0] !== VERSION) throw invalid(copy);
  const [, bound, score, values, key] = parts as readonly unknown[];
  if (bound !== binding) {
    throw invalid(copy, 'it belongs to another connector, entity, filter or sort');
  }
  const isScored = hasScores ? Number.isFinite(score) : score === null;
  if (!isScored || typeof key !== 'string' || !isStorable(key)) throw invalid(copy);
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

function parse(cursor: string): unknown {
  const bytes = Buffer.from(cursor.slice(1), 'base64url');
  // Decoding skips what is no base64url.
  if (bytes.toString('base64url') !== cursor.slice(1)) return undefined;
  try {
    if (cursor.startsWith(PLAIN)) return JSON.parse(bytes.toString());
    if (!cursor.startsWith(COMPRESSED)) return undefined;
    return JSON.parse(inflateRawSync(bytes, { maxOutputLength: MAX_BYTES }).toString());
  } catch {
    // Whatever it is, it is no cursor of ours, and says so below.
    return undefined;
  }
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
