import { sql, type Expression, type RawBuilder } from 'kysely';

/**
 * The database's clock as it is when the expression is computed, also after a wait for a lock.
 * Truncated like a `Date`: a column would round it, at times into the future. Where the database is
 * distributed, it is the clock of the node that was asked, as it is when the statement begins.
 */
export const DATABASE_NOW: Expression<Date> = sql<Date>`patchbay.clock()`;

/** The instant so many milliseconds from now, by the database's clock. */
export function databaseNowPlus(ms: number): Expression<Date> {
  return sql<Date>`${DATABASE_NOW} + ${ms}::float8 * interval '1 millisecond'`;
}

/**
 * Later than that is an instant of the future, which a clock made that was wrong. The nodes of a distributed
 * database do not agree to the millisecond either.
 */
export const SURELY_FUTURE = databaseNowPlus(60_000);

/** An instant, but null where it is surely of the future: by such a one, all would have been read already. */
export function unlessFuture(instant: Expression<Date | null>): RawBuilder<Date | null> {
  return sql<Date | null>`case when ${instant} <= ${SURELY_FUTURE} then ${instant} end`;
}
