import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { ConnectionPool, type PoolOptions } from './connection-pool.ts';
import { SCHEMA, type Database, type Tables } from './database.ts';
import { withSettings, type TakenSettings } from './server-settings.ts';
import type { SearchOptions } from './contract/copies.ts';
import { connectionNameOf, QUICK_SEARCH_MS, type Lane, type LaneUse } from './contract/lane-use.ts';
import type { LaneSizes } from './store-options.ts';

interface LaneTimes {
  /** Longest time of a statement. */
  readonly statementMs: number;
  /** Longest time until there is a connection for it. */
  readonly waitMs: number;
}

const TIMES: Readonly<Record<Lane, LaneTimes>> = {
  // Whether the service lives, keeps its leases, and whom it lets in.
  control: { statementMs: 5_000, waitMs: 5_000 },
  calls: { statementMs: 10_000, waitMs: 10_000 },
  // Longer than any deadline, which ends them sooner.
  searches: { statementMs: 310_000, waitMs: 30_000 },
  scans: { statementMs: 310_000, waitMs: 310_000 },
  replication: { statementMs: 120_000, waitMs: 60_000 },
};

/** What else the connections of a lane ask of a server. */
const SETTINGS: Readonly<Partial<Record<Lane, Readonly<Record<string, number>>>>> = {
  // Others go first: not three processes of the server for each.
  scans: { max_parallel_workers_per_gather: 0 },
  // In KiB: what waits to be indexed of a copy is sorted in one go, not in five that each go through the same pages.
  replication: { work_mem: 32_768 },
};

/** On a server; a larger deployment runs more processes. */
export const SERVER_LANES: LaneSizes = {
  control: 3,
  calls: 6,
  searches: 4,
  scans: 2,
  replication: 4,
};

/** One session is behind all of them: more would only wait there. */
export const EMBEDDED_LANES: LaneSizes = {
  control: 2,
  calls: 2,
  searches: 4,
  scans: 4,
  replication: 2,
};

/** A database that has been found, and how it takes settings. */
export interface LanesPlace extends PoolOptions {
  readonly settings: TakenSettings;
  /**
   * Milliseconds that searches have had the database, but for long ones; of any beginning, and those of the
   * clock unless said: a server works for all at once.
   */
  readonly searchedMs?: () => number;
}

/**
 * Connections of their own for each lane, so that no statement waits for those of another one. They
 * are opened when needed, and closed after a while of idleness.
 */
export class Lanes {
  readonly #pools: Readonly<Record<Lane, ConnectionPool>>;
  readonly databases: Readonly<Record<Lane, Database>>;
  /** Milliseconds that searches have had the database, as `LanesPlace` has it. */
  readonly searchedMs: () => number;

  constructor(place: LanesPlace, sizes: LaneSizes) {
    this.searchedMs = place.searchedMs ?? (() => performance.now());
    const open = (lane: Lane) => new ConnectionPool(laneOptions(place, lane, sizes[lane]));
    this.#pools = {
      control: open('control'),
      calls: open('calls'),
      searches: open('searches'),
      scans: open('scans'),
      replication: open('replication'),
    };
    const { control, calls, searches, scans, replication } = this.#pools;
    this.databases = {
      control: databaseOn(control),
      calls: databaseOn(calls),
      searches: databaseOn(searches),
      scans: databaseOn(scans),
      replication: databaseOn(replication),
    };
  }

  /** What the connections of each lane are at. */
  use(): Readonly<Record<Lane, LaneUse>> {
    const { control, calls, searches, scans, replication } = this.#pools;
    return {
      control: control.use,
      calls: calls.use,
      searches: searches.use,
      scans: scans.use,
      replication: replication.use,
    };
  }

  /**
   * For one search, which begins now, and whose statements end when the signal aborts, with its
   * reason. When searches have had the database for `quickMs` since, others go before it: not when it has waited for so
   * long for others than searches, or whoever waits would wait ever longer. Its statements name the schema themselves.
   */
  oneSearch(
    signal: AbortSignal | undefined,
    { quickMs = QUICK_SEARCH_MS, onLong }: Pick<SearchOptions, 'quickMs' | 'onLong'> = {},
  ): Database {
    const { searches, scans } = this.#pools;
    const longFrom = this.searchedMs() + quickMs;
    return bareDatabaseOn({
      options: searches.options,
      connect: () => {
        if (this.searchedMs() < longFrom) return searches.connect(signal);
        onLong?.();
        return scans.connect(signal);
      },
      // They are not its own.
      end: () => Promise.resolve(),
    });
  }

  /** Lets running statements finish, for a while. */
  async end(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map((pool) => pool.end()));
  }
}

export function databaseOn(pool: PostgresPool): Database {
  return bareDatabaseOn(pool).withSchema(SCHEMA);
}

/** For statements that name the schema themselves: to look for tables without one is a tenth of what a search computes here. */
function bareDatabaseOn(pool: PostgresPool): Database {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

function laneOptions(place: LanesPlace, lane: Lane, connections: number): PoolOptions {
  const times = TIMES[lane];
  const named = {
    ...place,
    connection: { ...place.connection, application_name: connectionNameOf(lane) },
    connections,
    ...times,
  };
  return withSettings(named, place.settings, {
    statementMs: times.statementMs,
    others: SETTINGS[lane] ?? {},
  });
}
