import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * What a statement's planner is told. By itself it does not know what it would have to: how rare
 * terms are (their statistics would be of all connectors), or, until a table has been analysed,
 * anything at all. What is switched off here remains possible where there is no other way.
 */
const HINTS = {
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

export type PlannerHint = keyof typeof HINTS;

/**
 * To compile such statements takes longer than to run them. And where rows are found through an index
 * there is to be room to remember each of them: with less, only the page is, and all its rows are looked at.
 */
const ALWAYS = ['set local jit = off', "set local work_mem = '32MB'"];

/** Runs statements as the hint says, in a transaction: settings must not outlive it. */
export async function planned<T>(
  database: Database,
  hint: PlannerHint,
  run: (database: Database) => Promise<T>,
): Promise<T> {
  if (database.isTransaction) throw new Error('a search cannot be part of a transaction');
  const settings = HINTS[hint].map((name) => `set local ${name} = off`);
  return await database.connection().execute(async (connection) => {
    // At once: each statement of its own would be a round trip.
    await sql.raw(['begin', ...ALWAYS, ...settings].join('; ')).execute(connection);
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
