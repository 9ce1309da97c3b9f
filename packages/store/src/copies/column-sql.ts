import { sql, type RawBuilder } from 'kysely';
import type { CopyColumn } from './copy-table.ts';

/** Code points of a text that its index holds: a B-tree entry of PostgreSQL has at most 2,704 bytes. */
export const INDEXED_LENGTH = 300;

/** What the index of a sortable column is ordered by. */
export function sortSql({ name, sqlType }: CopyColumn): string {
  return sqlType === 'text' ? `(left("${name}", ${INDEXED_LENGTH}))` : `"${name}"`;
}

/** Whether a text is longer than what its index holds. */
export function longSql({ name }: CopyColumn): string {
  return `(length("${name}") > ${INDEXED_LENGTH})`;
}

/** Searchable fields as JSON text, in their order. */
export function fieldsSql(columns: readonly CopyColumn[]): RawBuilder<unknown> {
  if (columns.length === 0) return sql`null`;
  const fields = columns.map(({ name, field }) => sql`${sql.id(name)} as ${sql.id(field.name)}`);
  return sql`(select row_to_json(j)::text from (select ${sql.join(fields)}) as j)`;
}
