import { sql, type RawBuilder } from 'kysely';
import { ofConnector } from '../../of-connector.ts';
import { SCHEMA } from '../../../database.ts';
import { BatchSize } from './batch-size.ts';
import { afterSql, orderSql, type Position } from '../order/order.ts';
import { foundSql } from '../filter/predicate.ts';
import { planned, type PlannerHint } from '../../planned.ts';
import {
  candidatesOf,
  columnsSql,
  findRows,
  isCut,
  keysOf,
  stepOf,
  type Step,
} from './found-rows.ts';
import type { Candidate, RowQuery } from './row-query.ts';

/** Finds the rows through indexes or by looking at all of them, whatever is best, and sorts them. */
export async function* gather(
  query: RowQuery,
  after: Position | undefined,
  count: number,
): AsyncGenerator<Candidate> {
  const batch = new BatchSize(query);
  let missing = count;
  let position = after;
  for (;;) {
    const limit = batch.next(missing);
    const step = await gatherSome(query, position, limit);
    yield* candidatesOf(query, step);
    if (step.end === undefined) return;
    missing = Math.max(1, missing - step.candidates.length);
    position = step.end;
    batch.learn(step);
  }
}

/**
 * The same without the index that finds it where so many rows are rather looked for one by one. Where
 * steps must not take long, rows count that have the terms and grams, whatever else is asked of them:
 * all of those would be looked at by one statement.
 */
export async function withoutCommon(query: RowQuery): Promise<RowQuery> {
  const { tier, table, pace, signal } = query;
  const { predicate } = tier;
  if (predicate.index !== 'inverted') return query;
  signal?.throwIfAborted();
  const statement = sql<{ count: number }>`
    select count(*) as count from (
      select 1 from ${sql.id(SCHEMA, table.name)}
      where ${foundAlone(query)} limit ${pace.commonRows}
    ) as r
  `;
  const { rows } = await planned(query, 'invert', statement);
  if ((rows[0]?.count ?? 0) < pace.commonRows) return query;
  const { isExact, breadth } = predicate;
  const hidden = { sql: sql`(${predicate.sql}) is true`, isExact, breadth, index: 'none' } as const;
  return { ...query, tier: { ...tier, predicate: hidden } };
}

/** What one statement for all rows would have to look at. */
function foundAlone(query: RowQuery): RawBuilder<unknown> {
  const { pace } = query;
  const { inverted, lookup } = query.tier.predicate;
  if (pace.stepMs === Infinity || inverted === undefined || lookup !== undefined)
    return accessTo(query).where;
  return sql`${ofConnector(query)} and ${inverted}`;
}

async function gatherSome(
  query: RowQuery,
  after: Position | undefined,
  limit: number,
): Promise<Step> {
  const rows = await findRows(query, {
    limit,
    hint: hintOf(query),
    from: gatheredSql(query, after, limit),
    isWalk: false,
  });
  const isEnd = rows.length < limit && !isCut(query, rows);
  return {
    ...(await stepOf(query, rows)),
    end: isEnd ? undefined : rows.at(-1),
    walked: rows.length,
    toFetch: rows.length,
  };
}

/** The next rows that the predicate holds for, in their order. */
export function gatheredSql(
  query: RowQuery,
  after: Position | undefined,
  limit: number,
): RawBuilder<unknown> {
  const { table, order } = query;
  const { where, isOrdered } = accessTo(query);
  const follows = afterSql(order, after);
  // So written, no index of keys fits it: see `planned`.
  const isNext = isOrdered ? follows : sql`(${follows}) is true`;
  return sql`(
    select ${columnsSql([...query.needed, ...keysOf(query)])}
    from ${sql.id(SCHEMA, table.name)}
    where ${where} and ${isNext}
    order by ${orderSql(order)} limit ${limit}
  )`;
}

/**
 * All rows that are wanted, in no order.
 *
 * @returns `undefined` where there are more than `most`, or they are too large; to find that out costs little.
 */
export async function gatherFew(
  query: RowQuery,
  most: number,
): Promise<readonly Candidate[] | undefined> {
  const { hint, where } = accessTo(query);
  const rows = await findRows(query, {
    limit: most + 1,
    hint,
    from: sql`(
      select ${columnsSql([...query.needed, ...keysOf(query)])}
      from ${sql.id(SCHEMA, query.table.name)} where ${where} limit ${most + 1}
    )`,
    isWalk: false,
  });
  if (rows.length > most || isCut(query, rows)) return undefined;
  return [...candidatesOf(query, await stepOf(query, rows))];
}

/** How the rows that are wanted are got at. */
interface Access {
  readonly where: RawBuilder<unknown>;
  readonly hint: PlannerHint;
  /** An index may give them in their order. */
  readonly isOrdered: boolean;
}

function accessTo(query: RowQuery): Access {
  const { connectorId, tier, order } = query;
  const { predicate } = tier;
  const { index, breadth, lookup } = predicate;
  const isOfConnector = sql`connector_id = ${connectorId}::uuid`;
  if (lookup !== undefined) {
    // The rows of one value are in the order of their keys there.
    const isOrdered = breadth === 1 && order.length === 0;
    const hint = isOrdered ? 'gather' : 'invert';
    return { where: sql`${isOfConnector} and ${lookup}`, hint, isOrdered };
  }
  if (index !== 'inverted') {
    const hint = index === 'none' ? 'scan' : 'gather';
    return { where: sql`${isOfConnector} and ${predicate.sql}`, hint, isOrdered: true };
  }
  return {
    where: sql`${ofConnector(query)} and ${foundSql(predicate)}`,
    hint: 'invert',
    isOrdered: false,
  };
}

export function hintOf(query: RowQuery): PlannerHint {
  return accessTo(query).hint;
}
