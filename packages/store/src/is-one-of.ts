import { sql, type Expression } from 'kysely';

/** Whether a column has one of some ids. One alone is named as such: a distributed database then asks its node. */
export function isOneOf(column: string, ids: readonly string[]): Expression<boolean> {
  const [id] = ids;
  if (ids.length === 1) return sql<boolean>`${sql.ref(column)} = ${id}::uuid`;
  return sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`;
}
