import { openStore } from '@patchbay/store';
import { startCluster } from '@patchbay/store/testing';
import { statementsAt, type BenchDatabase } from './bench-database.ts';

/** Statements of the service, by how many shards they needed. */
export interface ShardCounts {
  readonly one: number;
  readonly several: number;
}

/** A database on servers of a benchmark's own, with the same settings on each. */
export interface ClusterDatabase extends BenchDatabase {
  /** Since it was made; nothing is counted where nothing is distributed. */
  countStatements(): Promise<ShardCounts>;
}

/** Of each of them; what is committed is on the disk. */
const SETTINGS = [
  'fsync = on',
  'shared_buffers = 256MB',
  'max_wal_size = 4GB',
  'citus.shard_count = 8',
  'citus.enable_stat_counters = on',
];

/** One PostgreSQL, or a coordinator with so many workers that have all tables of connectors. */
export async function startClusterDatabase(workers: number): Promise<ClusterDatabase> {
  const cluster = await startCluster({ workers, settings: SETTINGS });
  const { databaseUrl } = cluster;
  const distribute = workers === 0 ? {} : { distribute: () => undefined };
  const store = await openStore({ databaseUrl, ...distribute });
  await store.close();
  return {
    name: workers === 0 ? 'one PostgreSQL' : `Citus, ${workers + 1} nodes`,
    environment: { BENCH_DATABASE: databaseUrl },
    connect: () => statementsAt(databaseUrl),
    countStatements: async () => {
      const [counts] = await cluster.query(
        `select query_execution_single_shard as one, query_execution_multi_shard as several
         from citus_stat_counters where name = 'patchbay'`,
      );
      return { one: Number(counts?.['one'] ?? 0), several: Number(counts?.['several'] ?? 0) };
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
