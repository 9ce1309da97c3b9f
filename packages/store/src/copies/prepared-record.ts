import { hash } from 'node:crypto';
import { MAX_KEY_BYTES, wellFormed, wellFormedText } from '@patchbay/connectors/engine';
import type { CopyRecord } from '../contract/copies.ts';
import type { CopyColumn, CopyTable } from './copy-table.ts';
import { charactersOf } from './record-size.ts';

/** A record as its table takes it. */
export interface PreparedRecord {
  readonly key: string;
  /** Well-formed, in the order of the columns. */
  readonly values: readonly unknown[];
  /** The values as columns take them: JSON text where a column holds JSON. */
  readonly cells: readonly (string | number | boolean | null)[];
  /** Of the contents and of the definition they were made by, as UUID text. */
  readonly contentHash: string;
  /** Roughly how much there is to write, and at least how long its texts are together. */
  readonly size: number;
}

/**
 * Makes a record ready to be written. NUL and lone surrogates become U+FFFD.
 *
 * @throws where the key is longer than indexes take: reads leave such records out.
 */
export function prepareRecord(table: CopyTable, record: CopyRecord): PreparedRecord {
  const key = wellFormedText(record.key);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new Error(`a key of ${table.entity} has more than ${MAX_KEY_BYTES} bytes`);
  }
  const values: unknown[] = [];
  const cells: (string | number | boolean | null)[] = [];
  let content = table.definitionHash;
  for (const column of table.columns) {
    const given = record.values[column.field.name] ?? null;
    const value = given === null ? null : wellFormed(given);
    const cell = value === null ? null : cellOf(column, value);
    values.push(value);
    cells.push(cell);
    // No text has NUL, so that no two contents are spelled alike.
    content += cell === null ? '\0' : `\0=${cell}`;
  }
  const size = Math.max(content.length, charactersOf(record));
  return { key, values, cells, contentHash: hashOf(content), size };
}

function cellOf({ sqlType, field }: CopyColumn, value: unknown): string | number | boolean {
  switch (sqlType) {
    case 'jsonb':
      return JSON.stringify(value);
    case 'text':
      if (typeof value === 'string') return value;
      break;
    case 'int8':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
      break;
    case 'float8':
      if (typeof value === 'number') return value;
      break;
    case 'boolean':
      if (typeof value === 'boolean') return value;
  }
  throw new TypeError(`${field.name} is no ${field.type}`);
}

/** 128 bits in the form of a UUID. */
function hashOf(content: string): string {
  return hash('sha256', content, 'hex').slice(0, 32);
}
