import { sql, type RawBuilder } from 'kysely';
import { INDEXED_LENGTH, sortSql } from '../../column-sql.ts';
import type { CopyColumn } from '../../copy-table.ts';
import type { FieldPlace } from './field-place.ts';
import { exactly, type Predicate } from './predicate.ts';

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

interface Comparison {
  readonly operator: keyof typeof COMPARISONS;
  readonly value: number | string;
}

/** Whether what stands at a place is greater or less than the operand. */
export function compileComparison(
  place: FieldPlace,
  { operator, value: operand }: Comparison,
): Predicate {
  const comparison = COMPARISONS[operator];
  const compared = sql.raw(comparison);
  if (place.column === undefined || place.type === 'jsonb') {
    return exactly(comparedJson(place.sql, compared, operand));
  }
  const { column } = place;
  const condition = sql`${place.sql} ${compared} ${operand}::${sql.raw(place.type)}`;
  if (!column.field.isSortable) return exactly(condition);
  if (place.type !== 'text') return inRange(column, condition);
  // The index has the beginnings of texts only: those that are equal may belong to greater texts.
  const beginning = sql`${sql.raw(sortSql(column))} ${sql.raw(comparison.slice(0, 1))}= left(${operand}::text, ${sql.lit(INDEXED_LENGTH)})`;
  return inRange(column, sql`(${beginning} and ${condition})`);
}

function inRange(column: CopyColumn, condition: RawBuilder<unknown>): Predicate {
  const range = { key: sortSql(column), where: condition };
  return { ...exactly(condition), index: 'range', range };
}

/** The types have to match. JSON's own comparison orders texts by the database's collation. */
function comparedJson(
  json: RawBuilder<unknown>,
  compared: RawBuilder<unknown>,
  operand: number | string,
): RawBuilder<unknown> {
  if (typeof operand === 'number') {
    return sql`(jsonb_typeof(${json}) = 'number' and ${json} ${compared} ${String(operand)}::jsonb)`;
  }
  return sql`(jsonb_typeof(${json}) = 'string' and (${json} #>> '{}') collate "C" ${compared} ${operand}::text)`;
}
