import { Pool, TypeOverrides, type PoolClient, type PoolConfig } from 'pg';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { explainConnectionError } from './connection-errors.ts';
import { PooledClient } from './pooled-client.ts';
import type { StoreLogger } from './store-options.ts';

export interface PoolOptions {
  readonly connection: PoolConfig;
  /** Names the database in errors, without its password. */
  readonly description: string;
  readonly logger: StoreLogger;
  /** At most; 10 unless said. */
  readonly connections?: number;
  /** Longest time until there is a connection, in milliseconds; that of `connection` unless said. */
  readonly waitMs?: number;
}

const INT8 = 20;
const INT8_ARRAY = 1016;

const DEFAULT_CONNECTIONS = 10;

/** Longer than any statement of a healthy service; then connections are cut. */
const END_WITHIN_MS = 3_000;

/**
 * Connections as Kysely wants them. `int8` comes as a number, instants as `Date`; what cannot
 * connect, or loses its connection, rejects with a `StoreError`. Statements are never named, as one session may serve many
 * connections (PGlite, PgBouncer).
 */
export class ConnectionPool implements PostgresPool {
  readonly #pool: Pool;
  readonly #description: string;
  readonly #logger: StoreLogger;
  /** Open connections, each with the promise of its end. */
  readonly #connections = new Map<PoolClient, Promise<void>>();
  #ending: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.#description = options.description;
    this.#logger = options.logger;
    const { connection, connections = DEFAULT_CONNECTIONS, waitMs } = options;
    this.#pool = new Pool({
      ...connection,
      max: connections,
      ...(waitMs === undefined ? {} : { connectionTimeoutMillis: waitMs }),
      types: makeTypes(),
    });
    // Without a listener, an idle connection that breaks would end the process.
    this.#pool.on('error', (error) => {
      this.#logger.warn({ err: error }, 'An idle database connection was lost.');
    });
    this.#pool.on('connect', (client) => {
      this.#watch(client);
    });
  }

  get options(): object {
    return this.#pool.options;
  }

  async connect(): Promise<PostgresPoolClient> {
    return await this.#connect();
  }

  /**
   * Runs a statement, or several where there are no values; their rows come together. A connection
   * on which that fails is closed, since it may have a transaction open.
   */
  async execute(text: string, values: unknown[] = []): Promise<{ readonly rows: unknown[] }> {
    const client = await this.#connect();
    try {
      const answer = await client.send(text, values);
      client.release();
      return { rows: [answer].flat().flatMap(({ rows }): unknown[] => rows) };
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async #connect(): Promise<PooledClient> {
    try {
      return new PooledClient(await this.#pool.connect(), this.#description);
    } catch (error) {
      throw explainConnectionError(error, this.#description);
    }
  }

  /** Lets running statements finish, for a while. */
  async end(): Promise<void> {
    this.#ending ??= this.#end();
    await this.#ending;
  }

  #watch(client: PoolClient): void {
    // In use, a broken connection rejects its statement; but without a listener it would, between
    // two statements of a transaction, end the process.
    client.on('error', () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    client.once('end', () => {
      this.#connections.delete(client);
      resolve();
    });
    this.#connections.set(client, promise);
  }

  async #end(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => {
      resolve('late');
    }, END_WITHIN_MS);
    const outcome = await Promise.race([this.#endAll(), late]);
    clearTimeout(timer);
    if (outcome === 'late') {
      this.#logger.warn({}, 'Some database connections were still busy when the store closed.');
    }
  }

  /** The pool's own `end` does not wait until the connections are closed. */
  async #endAll(): Promise<void> {
    await this.#pool.end();
    await Promise.all(this.#connections.values());
  }
}

function makeTypes(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(INT8, parseInt8);
  overrides.setTypeParser(INT8_ARRAY, parseInt8Array);
  return overrides;
}

/** Parses an array of one dimension, such as `{1,NULL,3}`. */
function parseInt8Array(text: string): (number | null)[] {
  const elements = text === '{}' ? [] : text.slice(1, -1).split(',');
  return elements.map((element) => (element === 'NULL' ? null : parseInt8(element)));
}

/** Rejects rather than rounds: nothing of ours goes beyond what a number holds exactly. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The database sent ${text}, which a number cannot hold exactly.`);
}
