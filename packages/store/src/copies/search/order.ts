import type { Filter, SortKey } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { CopyColumn, CopyTable } from '../copy-table.ts';
import { INDEXED_LENGTH, sortSql } from '../column-sql.ts';
import { compileFilter } from './compile-filter.ts';
import type { Compiler } from './compiler.ts';

/** A value that hits are sorted by. */
export type SortValue = string | number | boolean | null;

/** Where a hit stands in an order: its values of the sort keys, then its record key. */
export interface Position {
  readonly values: readonly SortValue[];
  readonly key: string;
}

/** A key to sort by, in the column that holds it. Nulls come last either way. */
interface OrderKey {
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

function isAfter(order: Order, values: readonly SortValue[], key: string): RawBuilder<unknown> {
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

/** Some rows that follow each other in an order, as an index gives them. */
export interface Segment {
  readonly where: RawBuilder<unknown>;
  readonly orderBy: RawBuilder<unknown>;
}

/** What is to be known to walk along an order. */
export interface Walk {
  readonly order: Order;
  readonly after: Position | undefined;
  /** Conditions on the first key that all wanted rows meet. */
  readonly bounds: readonly RawBuilder<unknown>[];
  /** Some texts are longer than what the index holds. */
  readonly hasLongTexts: boolean;
}

/**
 * The rows after a position, in parts which indexes have in order: those of the value where it
 * stands, those of the values that follow, those of none.
 */
export function segmentsOf({ order, after, bounds, hasLongTexts }: Walk): readonly Segment[] {
  const [first, ...others] = order;
  if (first === undefined) {
    return [{ where: afterSql(order, after), orderBy: sql`record_key` }];
  }
  const column = sql.id(first.column.name);
  const inside = orderSql(others);
  const [value = null, ...otherValues] = after?.values ?? [];
  const afterInside = after === undefined ? sql`true` : isAfter(others, otherValues, after.key);
  const segments: Segment[] = [];
  if (after !== undefined && value !== null) {
    const same = sql`${equals(first.column, value)} and ${afterInside}`;
    segments.push({ where: same, orderBy: inside });
  }
  if (after === undefined || value !== null) {
    const follows = value === null ? isThere(first.column) : isBeyond(first, value);
    segments.push({
      where: sql.join([follows, ...bounds], sql` and `),
      orderBy: sql`${keySql(first, hasLongTexts)}, ${inside}`,
    });
  }
  if (bounds.length === 0) {
    const none = sql`${column} is null`;
    const isBegun = after !== undefined && value === null;
    segments.push({ where: isBegun ? sql`${none} and ${afterInside}` : none, orderBy: inside });
  }
  return segments;
}

/** Nulls are not among them, so that it does not matter where the index has them. */
function keySql({ column, order }: OrderKey, hasLongTexts: boolean): RawBuilder<unknown> {
  const direction = sql.raw(order);
  const indexed = sql`${sql.raw(sortSql(column))} ${direction}`;
  if (column.sqlType !== 'text' || !hasLongTexts) return indexed;
  return sql`${indexed}, ${sql.id(column.name)} ${direction}`;
}

function isThere(column: CopyColumn): RawBuilder<unknown> {
  return sql`${sql.raw(sortSql(column))} is not null`;
}

function equals(column: CopyColumn, value: SortValue): RawBuilder<unknown> {
  const same = sql`${sql.id(column.name)} = ${value}::${sql.raw(column.sqlType)}`;
  if (column.sqlType !== 'text') return same;
  return sql`${sql.raw(sortSql(column))} = ${beginning(value)} and ${same}`;
}

function isBeyond({ column, order }: OrderKey, value: SortValue): RawBuilder<unknown> {
  const compared = order === 'asc' ? '>' : '<';
  const beyond = sql`${sql.id(column.name)} ${sql.raw(compared)} ${value}::${sql.raw(column.sqlType)}`;
  if (column.sqlType !== 'text') return beyond;
  return sql`${sql.raw(sortSql(column))} ${sql.raw(`${compared}=`)} ${beginning(value)} and ${beyond}`;
}

function beginning(text: SortValue): RawBuilder<unknown> {
  return sql`left(${text}::text, ${sql.lit(INDEXED_LENGTH)})`;
}

/** Comparisons of the first key that every row has to meet which satisfies the filter. */
export function boundsOf(
  compiler: Compiler,
  filter: Filter,
  order: Order,
): readonly RawBuilder<unknown>[] {
  const name = order[0]?.column.field.name;
  switch (filter.operator) {
    case 'and':
      return filter.filters.flatMap((each) => boundsOf(compiler, each, order));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const { segments } = filter.path;
      if (segments.length !== 1 || segments[0] !== name) return [];
      return [compileFilter(compiler, filter).sql];
    }
    default:
      return [];
  }
}
