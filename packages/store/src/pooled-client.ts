import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { databaseSilent, explainStatementError } from './connection-errors.ts';
import type { PreparedStatements } from './prepared-statements.ts';
import { isStoreError } from './store-error.ts';

/** What begins a transaction: ours, and those of Kysely with its words for isolation and access. */
const BEGINNING = /^(?:begin|start transaction)\b[^;]*/i;

/** What ends a statement that takes its time. */
export interface StatementBounds {
  /** Names the database in errors, without its password. */
  readonly description: string;
  /** Longest time of a statement, in milliseconds; any, unless said. */
  readonly statementMs: number | undefined;
  /** Statements that every transaction begins with. */
  readonly transactionSettings: string | undefined;
  /** Who waits for the statements gives up. */
  readonly signal: AbortSignal | undefined;
  /** Statements that the connection keeps; none, unless said. */
  readonly prepared?: PreparedStatements | undefined;
}

/**
 * A connection that somebody has from the pool, until released. A statement that takes too long, or
 * that nobody waits for any more, is ended by cutting the connection: so it ends also where nothing
 * is heard of the database, and the server, whose settings say so, gives it up within a second.
 */
export class PooledClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #bounds: StatementBounds;
  /** Why the connection is of no more use. */
  #failure: { readonly error: unknown } | undefined;

  constructor(client: PoolClient, bounds: StatementBounds) {
    this.#client = client;
    this.#bounds = bounds;
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
   * @throws StoreError on trouble of the connection or the server; the reason of the signal; else
   * the driver's error.
   */
  async send(text: string, values: readonly unknown[]): Promise<QueryResult | QueryResult[]> {
    const { description, signal } = this.#bounds;
    if (signal?.aborted === true) this.#cut(signal.reason);
    if (this.#failure !== undefined) throw this.#failure.error;
    const unwatch = this.#watch();
    this.#cork();
    try {
      // Proof: `pg` answers several statements with a list of results, which its types leave out.
      return (await this.#client.query(this.#configOf(text, values))) as
        QueryResult | QueryResult[];
    } catch (error) {
      const explained = explainStatementError(error, description);
      // What follows, such as a rollback, would only wait, or hide what happened. And where the settings of a transaction
      // failed, it has begun, and nobody knows that it has to end.
      if (isStoreError(explained, 'database_unreachable') || this.#begins(text))
        this.#failure ??= { error: explained };
      throw this.#failure?.error ?? explained;
    } finally {
      unwatch();
    }
  }

  /** Who serves the connection, as it was told when it was made: by the server itself, or by a pooler before it. */
  get processId(): number | undefined {
    // Proof: `pg/lib/client.js` has it; its types leave it out.
    return (this.#client as { readonly processID?: number }).processID;
  }

  release(isBroken = false): void {
    this.#client.release(isBroken || this.#failure !== undefined);
  }

  /** With values it is one statement, which can be prepared. */
  #configOf(text: string, values: readonly unknown[]): QueryConfig {
    if (values.length === 0) return { text: this.#begun(text) };
    const name = this.#bounds.prepared?.nameOf(text);
    return { text, values: [...values], ...(name === undefined ? {} : { name }) };
  }

  #begins(text: string): boolean {
    return this.#bounds.transactionSettings !== undefined && BEGINNING.test(text);
  }

  /** A statement that begins a transaction, with the settings of all of them. */
  #begun(text: string): string {
    const { transactionSettings } = this.#bounds;
    if (transactionSettings === undefined) return text;
    const [beginning] = BEGINNING.exec(text) ?? [];
    if (beginning === undefined) return text;
    return `${beginning}; ${transactionSettings}${text.slice(beginning.length)}`;
  }

  /** Statements that are sent in one go leave as one packet: each is a call of the system here and wakes the server there. */
  #cork(): void {
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  /** Cuts the connection once its statement has taken too long, or nobody waits for it any more. */
  #watch(): () => void {
    const { description, signal, statementMs } = this.#bounds;
    const onAbort = () => this.#cut(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer =
      statementMs === undefined
        ? undefined
        : setTimeout(() => this.#cut(databaseSilent(description, statementMs)), statementMs);
    return () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  }

  /** The statement then rejects, as do all that follow. */
  #cut(error: unknown): void {
    this.#failure ??= { error };
    this.#client.connection.stream.destroy();
  }
}
