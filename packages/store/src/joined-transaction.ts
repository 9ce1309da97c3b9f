import { CompiledQuery, sql, type QueryResult } from 'kysely';
import type { Database } from './database.ts';
import { executeTogether, type Answers } from './execute-together.ts';

const BEGIN = CompiledQuery.raw('begin');
const COMMIT = CompiledQuery.raw('commit');

/** What ends a transaction: statements whose parameters are plain values, and whose answers can be read. */
export interface Ending<Row, T> {
  readonly beforeLast: readonly CompiledQuery[];
  readonly last: CompiledQuery<Row>;
  /** What comes of it, by the answer to the last statement; called once all is committed. */
  readonly result: (rows: readonly Row[]) => T;
}

/**
 * Runs a transaction whose first statements travel with its beginning, and its last ones with its commit. Each statement
 * that waits for the one before costs a round of the event loop, and until the commit the embedded database serves
 * nobody else.
 *
 * @throws what its first failure rejects with: nothing of it is stored then. Where only the answer to the last statement could not be
 * read, all of it is.
 */
export async function joinedTransaction<const First extends readonly CompiledQuery[], Row, T>(
  database: Database,
  first: First,
  work: (transaction: Database, answers: Answers<First>) => Promise<Ending<Row, T>>,
): Promise<T> {
  return await database.connection().execute(async (connection) => {
    const { beforeLast, last, result } = await rolledBackOnError(connection, async () => {
      const [, ...answers] = await executeTogether(connection, [BEGIN, ...first]);
      const ending = await work(connection, answers);
      requireSendable([...ending.beforeLast, ending.last]);
      return ending;
    });
    // Where one of them fails, so does the transaction, and its commit undoes it.
    const answers = await executeTogether(connection, [...beforeLast, last, COMMIT]);
    // Proof: the last statement's is the one before that of the commit.
    const { rows } = answers.at(-2) as QueryResult<Row>;
    return result(rows);
  });
}

/** A value that the driver cannot send fails in this process alone: the commit, which is on its way by then, would not know. */
function requireSendable(statements: readonly CompiledQuery[]): void {
  for (const { parameters } of statements)
    for (const value of parameters)
      if (!isPlain(value))
        throw new TypeError(
          `a statement that travels with its commit has a parameter of type ${typeof value}`,
        );
}

function isPlain(value: unknown): boolean {
  if (value === null || value instanceof Uint8Array) return true;
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Leaves no transaction open on a connection where something that has begun one there fails. */
export async function rolledBackOnError<T>(
  connection: Database,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await sql`rollback`.execute(connection);
    throw error;
  }
}
