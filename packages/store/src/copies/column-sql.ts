import { sql, type RawBuilder } from 'kysely';
import type { CopyColumn } from './copy-table.ts';

/** Code points of a text that its index holds: a B-tree entry of PostgreSQL has at most 2,704 bytes. */
export const INDEXED_LENGTH = 300;

/** What the index of a sortable column is ordered by. */
export function sortSql({ name, sqlType }: CopyColumn): string {
  return sqlType === 'text' ? `(left(${quoted(name)}, ${INDEXED_LENGTH}))` : quoted(name);
}

/** Whether a text is longer than what its index holds. */
export function longSql({ name }: CopyColumn): string {
  return `(length(${quoted(name)}) > ${INDEXED_LENGTH})`;
}

/** Searchable fields as JSON text, in their order. */
export function fieldsSql(columns: readonly CopyColumn[]): RawBuilder<unknown> {
  if (columns.length === 0) return sql`null`;
  const fields = columns.map(({ name, field }) => `${quoted(name)} as ${quoted(field.name)}`);
  return sql.raw(`(select row_to_json(j)::text from (select ${fields.join(', ')}) as j)`);
}

/** The columns, as in a list. A search names all of them several times: as text, that costs it next to nothing. */
export function namesSql(names: Iterable<string>): RawBuilder<unknown> {
  return sql.raw(Array.from(names, quoted).join(', '));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
