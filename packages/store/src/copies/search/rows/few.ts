import { sql, type RawBuilder } from 'kysely';
import { ofConnector } from '../../of-connector.ts';
import { SCHEMA } from '../../../database.ts';
import type { PlannerHint } from '../../planned.ts';
import { invertedSql, type IndexRange } from '../filter/predicate.ts';
import { afterSql, orderSql, type Position } from '../order/order.ts';
import { BatchSize } from './batch-size.ts';
import {
  candidatesOf,
  columnsSql,
  findRows,
  isCut,
  keysOf,
  ROW_COLUMNS,
  stepOf,
} from './found-rows.ts';
import type { Candidate, RowQuery } from './row-query.ts';

/** Rows that an index finds, and whatever is wanted is among. */
export interface FoundRows {
  readonly hint: PlannerHint;
  readonly where: RawBuilder<unknown>;
  /** The order of the index, where the planner might rather read another one. */
  readonly orderBy?: RawBuilder<unknown>;
  /** What is to be asked of them besides; `undefined` where nothing is. */
  readonly rest: RawBuilder<unknown> | undefined;
}

/** The rows that the inverted indexes find. */
export function rowsOfTerms(query: RowQuery): FoundRows {
  const { predicate } = query.tier;
  return {
    hint: 'invert',
    where: sql`${ofConnector(query)} and ${invertedSql(predicate)}`,
    rest: predicate.rest,
  };
}

/** The rows of a range of a B-tree. */
export function rowsInRange(
  { connectorId, tier }: RowQuery,
  { key, where }: IndexRange,
): FoundRows {
  return {
    hint: 'walk',
    where: sql`connector_id = ${connectorId}::uuid and ${where}`,
    orderBy: sql.raw(key),
    rest: tier.predicate.sql,
  };
}

/** What is taken of few rows. */
interface Take {
  readonly after: Position | undefined;
  readonly count: number;
  /** With more rows than these, none is looked at. */
  readonly most: number;
}

/**
 * Takes what is wanted after a position, where an index finds few rows.
 *
 * @returns Whether they are few; otherwise nothing was taken, and no more of them looked at than that takes.
 */
export async function* takeFew(
  query: RowQuery,
  found: FoundRows,
  { after, count, most }: Take,
): AsyncGenerator<Candidate, boolean> {
  const batch = new BatchSize(query);
  let missing = count;
  let end = after;
  let allowed = most;
  for (;;) {
    const limit = batch.next(missing);
    const rows = await findRows(query, {
      limit,
      hint: found.hint,
      from: fewSql(query, found, { after: end, most: allowed, limit }),
      isWalk: true,
    });
    if (rows.some(({ matches }) => !matches)) {
      if (end === after) return false;
      // They have become more meanwhile.
      allowed *= 2;
      continue;
    }
    const [first] = rows;
    const isAllFound = found.rest === undefined && query.tier.predicate.isExact;
    if (isAllFound && first?.candidates != null) query.onTotal?.(first.candidates);
    const step = await stepOf(query, rows);
    yield* candidatesOf(query, step);
    if (rows.length < limit && !isCut(query, rows)) return true;
    missing = Math.max(1, missing - step.candidates.length);
    end = rows.at(-1);
    batch.learn(step);
  }
}

/** The rows that are wanted, in their order; where there are too many, one that does not match. */
function fewSql(
  query: RowQuery,
  { where, orderBy, rest = sql`true` }: FoundRows,
  { after, most, limit }: Pick<Take, 'after' | 'most'> & { readonly limit: number },
): RawBuilder<unknown> {
  const { table, order } = query;
  // Of how rows are found, some conditions look at the connector, too.
  const others = [sql`connector_id`, ...ROW_COLUMNS];
  const columns = columnsSql([...query.needed, ...query.used, ...keysOf(query)], others);
  return sql`(
    select * from (
      select f.*, found::integer as candidates,
        (found <= ${most} and ${rest} and ${afterSql(order, after)}) is true as matches
      from (
        select l.*, row_number() over () as position, count(*) over () as found from (
          select ${columns} from ${sql.id(SCHEMA, table.name)} where ${where}
          ${orderBy === undefined ? sql`` : sql`order by ${orderBy}`} limit ${most + 1}
        ) as l
      ) as f
    ) as m where matches or position > ${most}
    order by ${orderSql(order)} limit ${limit}
  )`;
}
