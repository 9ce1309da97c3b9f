import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { PoolClient, QueryResult } from 'pg';
import { explainStatementError } from './connection-errors.ts';
import { isStoreError, type StoreError } from './store-error.ts';

/** A connection that somebody has from the pool, until released. */
export class PooledClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #description: string;
  /** Why the connection is of no more use. */
  #failure: StoreError | undefined;

  constructor(client: PoolClient, description: string) {
    this.#client = client;
    this.#description = description;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(statement: unknown, values: readonly unknown[] = []): unknown {
    if (typeof statement !== 'string') throw new TypeError('the store reads without cursors');
    return this.send(statement, values);
  }

  /**
   * Runs a statement, or several where there are no values, which then answer with a list.
   *
   * @throws StoreError on trouble of the connection or the server; else the driver's error.
   */
  async send(text: string, values: readonly unknown[]): Promise<QueryResult | QueryResult[]> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      // Proof: `pg` answers several statements with a list of results, which its types leave out.
      return (await this.#client.query(text, [...values])) as QueryResult | QueryResult[];
    } catch (error) {
      const explained = explainStatementError(error, this.#description);
      // What follows, such as a rollback, would only wait, or hide what happened.
      if (isStoreError(explained, 'database_unreachable')) this.#failure = explained;
      throw explained;
    }
  }

  release(isBroken = false): void {
    this.#client.release(isBroken || this.#failure !== undefined);
  }
}
