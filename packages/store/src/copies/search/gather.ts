import { sql, type RawBuilder } from 'kysely';
import { SCHEMA } from '../../database.ts';
import { BatchSize } from './batch-size.ts';
import { afterSql, orderSql, type Position } from './order.ts';
import { planned, type Way } from '../planned.ts';
import { columnsSql, fetchRows, isCut, keysOf, stepOf, type Step } from './rows.ts';
import type { Candidate, Wanted } from './wanted.ts';

/** Finds the rows through indexes or by looking at all of them, whatever is best, and sorts them. */
export async function* gather(
  wanted: Wanted,
  after: Position | undefined,
  count: number,
): AsyncGenerator<Candidate> {
  const batch = new BatchSize(wanted);
  let missing = count;
  let position = after;
  for (;;) {
    const limit = batch.next(missing);
    const step = await gatherSome(wanted, position, limit);
    yield* step.candidates;
    if (step.end === undefined) return;
    missing = Math.max(1, missing - step.candidates.length);
    position = step.end;
    batch.learn(step);
  }
}

/** What is wanted, without the index that finds it where so many rows are rather looked for one by one. */
export async function withoutCommon(wanted: Wanted): Promise<Wanted> {
  const { database, tier, table, pace, signal } = wanted;
  const { predicate } = tier;
  if (predicate.index !== 'inverted') return wanted;
  signal?.throwIfAborted();
  const statement = sql<{ count: number }>`
    select count(*) as count from (
      select from ${sql.id(SCHEMA, table.name)}
      where ${isOfConnector(wanted)} and ${predicate.sql} limit ${pace.commonRows}
    ) as r
  `;
  const { rows } = await planned(database, 'invert', (transaction) =>
    statement.execute(transaction),
  );
  if ((rows[0]?.count ?? 0) < pace.commonRows) return wanted;
  const hidden = { ...predicate, sql: sql`(${predicate.sql}) is true`, index: 'none' } as const;
  return { ...wanted, tier: { ...tier, predicate: hidden } };
}

async function gatherSome(
  wanted: Wanted,
  after: Position | undefined,
  limit: number,
): Promise<Step> {
  const { table, tier, order } = wanted;
  const follows = afterSql(order, after);
  // So written, no index of keys fits it: see `planned`.
  const isNext = tier.predicate.index === 'inverted' ? sql`(${follows}) is true` : follows;
  const rows = await fetchRows(wanted, {
    limit,
    way: wayOf(wanted),
    from: sql`(
      select ${columnsSql([...wanted.needed, ...keysOf(wanted)])}
      from ${sql.id(SCHEMA, table.name)}
      where ${isOfConnector(wanted)} and ${tier.predicate.sql} and ${isNext}
      order by ${orderSql(order)} limit ${limit}
    )`,
    isWalk: false,
  });
  const isEnd = rows.length < limit && !isCut(wanted, rows);
  return {
    ...(await stepOf(wanted, rows)),
    end: isEnd ? undefined : rows.at(-1),
    walked: rows.length,
  };
}

/**
 * All rows that are wanted, in no order.
 *
 * @returns `undefined` where there are more than `most`; to find that out costs little.
 */
export async function gatherFew(
  wanted: Wanted,
  most: number,
): Promise<readonly Candidate[] | undefined> {
  const { table, tier } = wanted;
  const rows = await fetchRows(wanted, {
    limit: most + 1,
    way: wayOf(wanted),
    from: sql`(
      select ${columnsSql([...wanted.needed, ...keysOf(wanted)])}
      from ${sql.id(SCHEMA, table.name)}
      where ${isOfConnector(wanted)} and ${tier.predicate.sql} limit ${most + 1}
    )`,
    isWalk: false,
  });
  return rows.length > most ? undefined : (await stepOf(wanted, rows)).candidates;
}

/** The planner takes each of many terms for common, and so would read all rows. */
const FEW_TERMS = 2;

function wayOf({ tier }: Wanted): Way | undefined {
  const { index, breadth } = tier.predicate;
  if (index === 'none') return 'scan';
  if (index !== 'inverted') return 'gather';
  return breadth <= FEW_TERMS ? undefined : 'invert';
}

/**
 * Terms and grams are of one connector anyway. With a plain `=` the planner, which knows nothing of
 * that, may rather read all rows of the connector than the few that have them.
 */
function isOfConnector({ connectorId, tier }: Wanted): RawBuilder<unknown> {
  return tier.predicate.index === 'inverted'
    ? sql`connector_id is not distinct from ${connectorId}::uuid`
    : sql`connector_id = ${connectorId}::uuid`;
}
