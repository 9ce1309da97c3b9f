import { Socket } from 'node:net';
import { Pool, TypeOverrides, type PoolClient, type PoolConfig } from 'pg';
import type { PostgresPool } from 'kysely';
import { explainConnectionError } from './connection-errors.ts';
import { PooledClient } from './pooled-client.ts';
import { FrequentStatements, PreparedStatements } from './prepared-statements.ts';
import type { LaneUse } from './contract/lane-use.ts';
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
  /** Longest time of a statement, in milliseconds; any, unless said. */
  readonly statementMs?: number;
  /** Statements that every transaction begins with. */
  readonly transactionSettings?: string;
  /** Whether each connection is a session, which keeps statements that are prepared in it; not, unless said. */
  readonly keepsStatements?: boolean;
}

const INT8 = 20;
const INT8_ARRAY = 1016;

const DEFAULT_CONNECTIONS = 10;

/** Longer than any statement of a healthy service; then connections are cut. */
const END_WITHIN_MS = 1_000;

/**
 * Connections as Kysely wants them. `int8` comes as a number, instants as `Date`; what cannot
 * connect, or loses its connection, rejects with a `StoreError`. Statements have names only where connections have
 * sessions of their own: one may serve many (PGlite, PgBouncer).
 */
export class ConnectionPool implements PostgresPool {
  readonly #pool: Pool;
  readonly #description: string;
  readonly #statementMs: number | undefined;
  readonly #transactionSettings: string | undefined;
  readonly #logger: StoreLogger;
  readonly #prepared: WeakMap<PoolClient, PreparedStatements> | undefined;
  readonly #frequent = new FrequentStatements();
  /** Of the connections that are open or being made, each with the promise of its end. */
  readonly #sockets = new Map<Socket, Promise<void>>();
  #ending: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.#description = options.description;
    this.#statementMs = options.statementMs;
    this.#transactionSettings = options.transactionSettings;
    this.#logger = options.logger;
    this.#prepared = options.keepsStatements === true ? new WeakMap() : undefined;
    const { connection, connections = DEFAULT_CONNECTIONS, waitMs } = options;
    this.#pool = new Pool({
      ...connection,
      max: connections,
      // What is sent together travels together; see `planned`.
      pipeline: true,
      ...(waitMs === undefined ? {} : { connectionTimeoutMillis: waitMs }),
      types: makeTypes(),
      stream: () => this.#newSocket(),
    });
    // Without a listener, an idle connection that breaks would end the process.
    this.#pool.on('error', (error) => {
      this.#logger.warn({ err: error }, 'An idle database connection was lost.');
    });
    // In use, a broken connection rejects its statement; but without a listener it would, between
    // two statements of a transaction, end the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** What its connections are at. */
  get use(): LaneUse {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return {
      inUse: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount,
      most: options.max,
    };
  }

  get options(): object {
    return this.#pool.options;
  }

  /** @param signal Whose abort ends the wait and every statement, with its reason. */
  async connect(signal?: AbortSignal): Promise<PooledClient> {
    const description = this.#description;
    const connecting = this.#pool.connect();
    try {
      const client = await (signal === undefined ? connecting : clientUntil(connecting, signal));
      return new PooledClient(client, {
        description,
        statementMs: this.#statementMs,
        transactionSettings: this.#transactionSettings,
        signal,
        prepared: this.#preparedBy(client),
      });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw explainConnectionError(error, description);
    }
  }

  /** The same connections, for statements that end when the signal aborts, with its reason. */
  until(signal: AbortSignal): PostgresPool {
    return {
      options: this.options,
      connect: () => this.connect(signal),
      // It is not its own.
      end: () => Promise.resolve(),
    };
  }

  /** Ends all connections at once, whatever they are at. */
  cut(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** Lets running statements finish, for a while. */
  async end(): Promise<void> {
    this.#ending ??= this.#end();
    await this.#ending;
  }

  #preparedBy(client: PoolClient): PreparedStatements | undefined {
    const prepared = this.#prepared?.get(client);
    if (this.#prepared === undefined || prepared !== undefined) return prepared;
    const made = new PreparedStatements(client, this.#frequent);
    this.#prepared.set(client, made);
    return made;
  }

  #newSocket(): Socket {
    const socket = new Socket();
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      resolve();
    });
    this.#sockets.set(socket, promise);
    return socket;
  }

  async #end(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => {
      resolve('late');
    }, END_WITHIN_MS);
    const outcome = await Promise.race([this.#endAll(), late]);
    clearTimeout(timer);
    if (outcome !== 'late') return;
    this.#logger.warn({}, 'Some database connections were still busy when the store closed.');
    this.cut();
  }

  /** The pool's own `end` does not wait until the connections are closed. */
  async #endAll(): Promise<void> {
    await this.#pool.end();
    await Promise.all(this.#sockets.values());
  }
}

/** Does something with a pool of one connection, which is cut where that fails. */
export async function withPoolOfOne<T>(
  options: PoolOptions,
  work: (pool: ConnectionPool) => Promise<T>,
): Promise<T> {
  const pool = new ConnectionPool({ ...options, connections: 1 });
  try {
    return await work(pool);
  } catch (error) {
    pool.cut();
    throw error;
  } finally {
    await pool.end();
  }
}

/** A client that comes when nobody waits for it any more goes back at once. */
function clientUntil(connecting: Promise<PoolClient>, signal: AbortSignal): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    connecting
      .then((client) => (signal.aborted ? client.release() : resolve(client)), reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
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
