import type { SortKey } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { CopyColumn, CopyTable } from '../../copy-table.ts';

/** A value that hits are sorted by. */
export type SortValue = string | number | boolean | null;

/** Where a hit stands in an order: its values of the sort keys, then its record key. */
export interface Position {
  readonly values: readonly SortValue[];
  readonly key: string;
}

/** A key to sort by, in the column that holds it. Nulls come last either way. */
export interface OrderKey {
  readonly column: CopyColumn;
  readonly order: 'asc' | 'desc';
}

/** Keys to sort by, the record key last; where there are none, by that alone. */
export type Order = readonly OrderKey[];

export function orderOf(table: CopyTable, sort: readonly SortKey[]): Order {
  return sort.map(({ field, order }) => {
    const column = table.byField.get(field);
    if (column === undefined) throw new Error(`${field} is no searchable field of ${table.entity}`);
    return { column, order };
  });
}

/** Whether an index is in this order, as far as its first key goes. */
export function isWalkable(order: Order): boolean {
  return order[0]?.column.field.isSortable ?? true;
}

/** The values of rows to select, which `valuesOf` finds in what comes back. */
export function valuesSql(order: Order): readonly RawBuilder<unknown>[] {
  return order.map(({ column }, index) => sql`${sql.id(column.name)} as ${sql.id(`k${index}`)}`);
}

export function valuesOf(
  order: Order,
  row: Readonly<Record<string, unknown>>,
): readonly SortValue[] {
  // Proof: the columns of `valuesSql` are of scalar types.
  return order.map((_, index) => row[`k${index}`] as SortValue);
}

/** What stands behind `order by`, whatever index the rows are found by. */
export function orderSql(order: Order): RawBuilder<unknown> {
  const keys = order.map(
    ({ column, order: direction }) => sql`${sql.id(column.name)} ${sql.raw(direction)} nulls last`,
  );
  return sql.join([...keys, sql`record_key`]);
}

/** Whether a row comes after a position. Never null. */
export function afterSql(order: Order, position: Position | undefined): RawBuilder<unknown> {
  if (position === undefined) return sql`true`;
  return isAfter(order, position.values, position.key);
}

/** Whether a row comes after these values and this key. Never null. */
export function isAfter(
  order: Order,
  values: readonly SortValue[],
  key: string,
): RawBuilder<unknown> {
  const [first, ...others] = order;
  if (first === undefined) return sql`record_key > ${key}::text`;
  const [value = null, ...otherValues] = values;
  const column = sql.id(first.column.name);
  const afterInside = isAfter(others, otherValues, key);
  if (value === null) return sql`(${column} is null and ${afterInside})`;
  const operand = sql`${value}::${sql.raw(first.column.sqlType)}`;
  const compared = sql.raw(first.order === 'asc' ? '>' : '<');
  return sql`(${column} is null or ${column} ${compared} ${operand} or (${column} = ${operand} and ${afterInside}))`;
}
