import type { CompiledQuery, QueryResult } from 'kysely';
import type { Database } from './database.ts';

/** What each of some statements answers. */
export type Answers<S extends readonly CompiledQuery[]> = {
  readonly [I in keyof S]: S[I] extends CompiledQuery<infer Row> ? QueryResult<Row> : never;
};

/**
 * Sends statements over one connection, in one go: with a round trip for each, an embedded database would wait for this
 * process, and everybody else for both of them.
 *
 * @throws what the first of them that failed rejects with. Within a transaction, those after one that failed in the database have
 * done nothing; what fails here alone, since it cannot be sent or its answer not be read, keeps none of the others from being done.
 */
export async function executeTogether<const S extends readonly CompiledQuery[]>(
  database: Database,
  statements: S,
): Promise<Answers<S>> {
  return await database.getExecutor().provideConnection(async (connection) => {
    const settled = await Promise.allSettled(
      statements.map((statement) => connection.executeQuery<unknown>(statement)),
    );
    const answers = settled.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
    // Proof: the answer to each statement is of the rows that it was compiled for.
    return answers as unknown as Answers<S>;
  });
}
