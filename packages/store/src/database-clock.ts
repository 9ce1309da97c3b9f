import { sql, type Expression } from 'kysely';

/**
 * The database's clock as it is when the expression is computed, also after a wait for a lock.
 * Truncated like a `Date`: a column would round it, at times into the future.
 */
export const DATABASE_NOW: Expression<Date> = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;

/** The instant so many milliseconds from now, by the database's clock. */
export function databaseNowPlus(ms: number): Expression<Date> {
  return sql<Date>`${DATABASE_NOW} + ${ms}::float8 * interval '1 millisecond'`;
}
