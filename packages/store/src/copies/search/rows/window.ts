import { sql, type RawBuilder } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import { foundSql } from '../filter/predicate.ts';
import { afterSql, type Position } from '../order/order.ts';
import { columnsSql, findRows, isCut, stepOf, type Step } from './found-rows.ts';
import type { RowQuery } from './row-query.ts';

/** Some keys that follow each other. */
interface Window {
  readonly after: Position | undefined;
  /** How many there are. */
  readonly length: number;
  /** So many rows are enough. */
  readonly limit: number;
}

/** Looks at the rows of a window that the inverted indexes find, in the order of keys. */
export async function lookThrough(
  query: RowQuery,
  { after, length, limit }: Window,
): Promise<Step> {
  const last = await findKey(query, after, length);
  const rows = await findRows(query, {
    limit,
    hint: 'intersect',
    from: windowSql(query, { after, last, limit }),
    isWalk: false,
  });
  const isWhole = rows.length < limit && !isCut(query, rows);
  const step = await stepOf(query, rows);
  const endOfWindow = last === undefined ? undefined : { key: last, values: [] };
  const end = isWhole ? endOfWindow : rows.at(-1);
  return {
    ...step,
    // Between its last row and its end there is none that is wanted.
    last: isWhole && step.failure === undefined ? (end ?? step.last) : step.last,
    end,
    // What a page has no room for is looked at again.
    walked: isWhole ? length : 0,
    toFetch: query.tier.predicate.rest === undefined ? (isWhole ? rows.length : 0) : undefined,
  };
}

/**
 * The rows of some keys that an index of keys and those of the predicate find together: few of the
 * rows that only one of them finds are read.
 *
 * @param bounds The last key, `undefined` for that of the last row.
 */
export function windowSql(
  { connectorId, table, tier, needed }: RowQuery,
  {
    after,
    last,
    limit,
  }: Pick<Window, 'after' | 'limit'> & {
    readonly last: string | undefined;
  },
): RawBuilder<unknown> {
  // As nobody tells the planner which keys they are, it takes them for so many that both indexes are worth it.
  const follows = after === undefined ? sql`true` : sql`record_key > (select ${after.key}::text)`;
  const isBefore = last === undefined ? sql`true` : sql`record_key <= (select ${last}::text)`;
  return sql`(
    select ${columnsSql(needed)} from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid
      and ${tier.predicate.lookup ?? foundSql(tier.predicate)}
      and ${follows} and ${isBefore}
    order by record_key limit ${limit}
  )`;
}

/** The key of the row so many rows after a position; `undefined` where there are not so many. */
export async function findKey(
  { database, connectorId, table, signal }: RowQuery,
  after: Position | undefined,
  length: number,
): Promise<string | undefined> {
  signal?.throwIfAborted();
  const { rows } = await sql<{ key: string }>`
    select record_key as key from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and ${afterSql([], after)}
    order by record_key offset ${length - 1} limit 1
  `.execute(database);
  return rows[0]?.key;
}
