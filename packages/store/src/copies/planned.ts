import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Ways that a statement is meant to take. The planner does not know what it would have to: how rare
 * terms are (their statistics would be of all connectors), or, until a table has been analysed,
 * anything at all. What is switched off here remains possible where there is no other way.
 */
const WAYS = {
  /** Read an index in its order. */
  walk: ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'],
  /** Find rows through indexes, and sort them. */
  gather: ['enable_seqscan'],
  /**
   * Find rows through inverted indexes. To compare a row's terms with a thousand others takes long, so
   * no other index will do, though the planner thinks that nearly all rows have one of them.
   */
  invert: ['enable_seqscan', 'enable_indexscan', 'enable_indexonlyscan'],
  /** Read as the planner likes. */
  scan: [],
} as const satisfies Record<string, readonly string[]>;

export type Way = keyof typeof WAYS;

/** To compile such statements takes longer than to run them. */
const ALWAYS_OFF = ['jit'];

/** Runs statements the given way, in a transaction: settings must not outlive it. */
export async function planned<T>(
  database: Database,
  way: Way,
  run: (database: Database) => Promise<T>,
): Promise<T> {
  if (database.isTransaction) throw new Error('a search cannot be part of a transaction');
  const settings = [...WAYS[way], ...ALWAYS_OFF].map((name) => `set local ${name} = off`);
  return await database.connection().execute(async (connection) => {
    // At once: each statement of its own would be a round trip.
    await sql.raw(['begin', ...settings].join('; ')).execute(connection);
    try {
      const result = await run(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      await sql`rollback`.execute(connection);
      throw error;
    }
  });
}
