import type { KyselyPlugin } from 'kysely';
import type { Database } from '../../../src/database.ts';

/** A database that counts the statements it is given. */
export interface CountedStatements {
  readonly database: Database;
  readonly count: () => number;
}

/** Counts what is asked of a database through another handle of it. */
export function countStatements(database: Database): CountedStatements {
  let count = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      count += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return { database: database.withPlugin(plugin), count: () => count };
}
