import { CompiledQuery, sql, type QueryResult, type RawBuilder } from 'kysely';
import type { Database } from '../database.ts';
import { executeTogether } from '../execute-together.ts';
import { rolledBackOnError } from '../joined-transaction.ts';
import { localSettings } from '../local-settings.ts';

/**
 * What a statement's planner is told. By itself it does not know what it would have to: how rare
 * terms are (their statistics would be of all connectors), or, until a table has been analysed,
 * anything at all. What is switched off here remains possible where there is no other way.
 */
const HINTS = {
  /** Read an index in its order. */
  walk: ['enable_seqscan = off', 'enable_bitmapscan = off', 'enable_sort = off'],
  /** Find rows through indexes, and sort them. */
  gather: ['enable_seqscan = off'],
  /**
   * Find rows through inverted indexes. To compare a row's terms with a thousand others takes long, so
   * no other index will do, though the planner thinks that nearly all rows have one of them.
   */
  invert: ['enable_seqscan = off', 'enable_indexscan = off', 'enable_indexonlyscan = off'],
  /**
   * Intersect what an inverted index finds with a range of another one. Each alone, the planner thinks, finds
   * few rows; that these are dear to look at makes both worth reading.
   */
  intersect: [
    'enable_seqscan = off',
    'enable_indexscan = off',
    'enable_indexonlyscan = off',
    'cpu_tuple_cost = 1000',
  ],
  /** Read as the planner likes. */
  scan: [],
} as const satisfies Record<string, readonly string[]>;

export type PlannerHint = keyof typeof HINTS;

/** Those that leave the planner no choice, so that a plan which is kept serves for any values. */
const SERVES_ANY: ReadonlySet<PlannerHint> = new Set(['walk', 'invert']);
const KEPT = 'plan_cache_mode = force_generic_plan';

/** Where a statement runs. */
interface PlannedOn {
  readonly database: Database;
  /** As of the copies' context. */
  readonly keepsPlans: boolean;
}

/**
 * To compile such statements takes longer than to run them. And where rows are found through an index
 * there is to be room to remember each of them: with less, only the page is, and all its rows are looked at.
 */
const ALWAYS = ['jit = off', "work_mem = '32MB'"];

/**
 * Runs a statement as the hint says, in a transaction of its own, since settings must not outlive it. All
 * of that is sent at once: with a round trip for each part, an embedded database would wait for this
 * process, and everybody else for both of them.
 */
export async function planned<T>(
  { database, keepsPlans }: PlannedOn,
  hint: PlannerHint,
  statement: RawBuilder<T>,
): Promise<QueryResult<T>> {
  if (database.isTransaction) throw new Error('a search cannot be part of a transaction');
  const others = keepsPlans && SERVES_ANY.has(hint) ? [KEPT] : [];
  const begin = CompiledQuery.raw(beginning(hint, others));
  const compiled = named(statement.compile(database), hint);
  const end = CompiledQuery.raw('commit');
  // Where the statement fails, so does the transaction, and its commit undoes it.
  const [, answer] = await executeTogether(database, [begin, compiled, end]);
  return answer;
}

/** Runs several statements as the hint says, in one transaction. */
export async function plannedTransaction<T>(
  database: Database,
  hint: PlannerHint,
  run: (database: Database) => Promise<T>,
): Promise<T> {
  return await database.connection().execute((connection) =>
    rolledBackOnError(connection, async () => {
      await sql.raw(beginning(hint)).execute(connection);
      const result = await run(connection);
      await sql`commit`.execute(connection);
      return result;
    }),
  );
}

function beginning(hint: PlannerHint, others: readonly string[] = []): string {
  return `begin; ${localSettings([...ALWAYS, ...HINTS[hint], ...others])}`;
}

/** A plan is kept by the text of its statement, and is another one with another hint. */
function named<T>(statement: CompiledQuery<T>, hint: PlannerHint): CompiledQuery<T> {
  return { ...statement, sql: `/* ${hint} */ ${statement.sql}` };
}
