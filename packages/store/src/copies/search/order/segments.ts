import type { Filter } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import { INDEXED_LENGTH, sortSql } from '../../column-sql.ts';
import type { CopyColumn } from '../../copy-table.ts';
import { compileComparison } from '../filter/comparison.ts';
import { findPlace } from '../filter/field-place.ts';
import type { Compiler } from '../filter/compiler.ts';
import { conditionsOf } from '../filter/conditions.ts';
import {
  afterSql,
  isAfter,
  orderSql,
  type Order,
  type OrderKey,
  type Position,
  type SortValue,
} from './order.ts';

/** Some rows that follow each other in an order, as an index gives them. */
export interface Segment {
  readonly where: RawBuilder<unknown>;
  readonly orderBy: RawBuilder<unknown>;
}

/** What is to be known to walk along an order. */
export interface OrderedWalk {
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
export function segmentsOf({
  order,
  after,
  bounds,
  hasLongTexts,
}: OrderedWalk): readonly Segment[] {
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
    const follows = value === null ? hasValue(first.column) : isBeyond(first, value);
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

function hasValue(column: CopyColumn): RawBuilder<unknown> {
  return sql`${sql.raw(sortSql(column))} is not null`;
}

function equals(column: CopyColumn, value: SortValue): RawBuilder<unknown> {
  const same = sql`${sql.id(column.name)} = ${value}::${sql.raw(column.sqlType)}`;
  if (column.sqlType !== 'text') return same;
  return sql`${sql.raw(sortSql(column))} = ${indexedBeginning(value)} and ${same}`;
}

function isBeyond({ column, order }: OrderKey, value: SortValue): RawBuilder<unknown> {
  const compared = order === 'asc' ? '>' : '<';
  const beyond = sql`${sql.id(column.name)} ${sql.raw(compared)} ${value}::${sql.raw(column.sqlType)}`;
  if (column.sqlType !== 'text') return beyond;
  return sql`${sql.raw(sortSql(column))} ${sql.raw(`${compared}=`)} ${indexedBeginning(value)} and ${beyond}`;
}

function indexedBeginning(text: SortValue): RawBuilder<unknown> {
  return sql`left(${text}::text, ${sql.lit(INDEXED_LENGTH)})`;
}

/** Comparisons of the first key that every row has to meet which satisfies the filter. */
export function boundsOf(
  compiler: Compiler,
  filter: Filter,
  order: Order,
): readonly RawBuilder<unknown>[] {
  const name = order[0]?.column.field.name;
  return conditionsOf(filter).flatMap(({ condition, arrays, isCertain }) => {
    const { segments } = condition.path;
    if (!isCertain || arrays.length > 0 || segments.length !== 1 || segments[0] !== name) return [];
    switch (condition.operator) {
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return [compileComparison(findPlace(compiler, condition.path), condition).sql];
      default:
        return [];
    }
  });
}
