import { sql, type RawBuilder } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import { longSql } from '../../column-sql.ts';
import type { PlannerHint } from '../../planned.ts';
import type { Segment } from '../order/segments.ts';
import {
  columnsSql,
  findRows,
  isCut,
  keysOf,
  ROW_COLUMNS,
  stepOf,
  type Step,
} from './found-rows.ts';
import type { RowQuery } from './row-query.ts';
import type { Tier } from '../tiers/tiers.ts';

/** Looks at the next rows of a segment, and stops early when it has found as many as the limit. */
export async function walk(
  query: RowQuery,
  segment: Segment,
  { length, limit }: WalkLength,
): Promise<Step> {
  // Of few rows the planner, which knows the connector, finds them so by itself.
  const hint = query.keepsPlans || length > query.pace.firstStep ? 'walk' : undefined;
  return await walkThrough(query, nextRowsSql(query, segment, length), { hint, length, limit });
}

interface WalkLength {
  /** How many rows are looked at. */
  readonly length: number;
  /** How many that are wanted are enough. */
  readonly limit: number;
}

/** Looks at rows that come in the wanted order. */
export async function walkThrough(
  query: RowQuery,
  nextRows: RawBuilder<unknown>,
  { hint, length, limit }: WalkLength & { readonly hint: PlannerHint | undefined },
): Promise<Step> {
  const from = walkedSql(query, nextRows, length);
  const rows = await findRows(query, { limit, hint, from, isWalk: true });
  const last = rows.at(-1);
  const isEnd = rows.length < limit && last?.position !== length && !isCut(query, rows);
  return {
    ...(await stepOf(query, rows)),
    end: isEnd ? undefined : last,
    walked: last?.position ?? 0,
    toFetch: last?.candidates ?? rows.filter(({ matches }) => matches).length,
  };
}

/** How many of the rows up to each an index would have fetched. */
function candidatesSql({ predicate: { candidates } }: Tier): RawBuilder<unknown> {
  return candidates === undefined
    ? sql`null::integer`
    : sql`(count(*) filter (where ${candidates}) over (rows unbounded preceding))::integer`;
}

/** The next rows of a segment, with whatever is looked at. */
export function nextRowsSql(
  query: RowQuery,
  { where, orderBy }: Segment,
  length: number,
): RawBuilder<unknown> {
  const { connectorId, table } = query;
  return sql`
    select ${walkedColumnsSql(query)} from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and ${where}
    order by ${orderBy} limit ${length}`;
}

/** What is looked at of the rows of a walk. */
export function walkedColumnsSql(query: RowQuery): RawBuilder<unknown> {
  return columnsSql([...query.used, ...keysOf(query)], ROW_COLUMNS);
}

/**
 * The rows among the next ones that the predicate holds for, and the last one in any case: it tells
 * that there may be more, and where to go on.
 *
 * @param nextRows At most `length`.
 */
export function walkedSql(
  { tier }: RowQuery,
  nextRows: RawBuilder<unknown>,
  length: number,
): RawBuilder<unknown> {
  return sql`(
    select * from (
      select w.*, row_number() over () as position, (${tier.predicate.sql}) is true as matches,
        ${candidatesSql(tier)} as candidates
      from (${nextRows}) as w
    ) as p where matches or position = ${length}
  )`;
}

/** Whether the index of the first key has some texts' beginnings only. */
export async function hasLong(query: RowQuery): Promise<boolean> {
  const { database, connectorId, table, order, signal } = query;
  const column = order[0]?.column;
  if (column?.sqlType !== 'text') return false;
  signal?.throwIfAborted();
  const { rows } = await sql<{ hasLong: boolean }>`
    select exists (
      select 1 from ${sql.id(SCHEMA, table.name)}
      where connector_id = ${connectorId}::uuid and ${sql.raw(longSql(column))}
    ) as "hasLong"
  `.execute(database);
  return rows[0]?.hasLong ?? false;
}
