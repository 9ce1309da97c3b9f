export { PG_BOUNCER_SKIP, startPgBouncer } from './pg-bouncer.ts';
export type { PgBouncer, PgBouncerSettings } from './pg-bouncer.ts';
export { NODE_FLAGS } from './node-flags.ts';
export { lockTable, openTestStore, queryOnce } from './open-test-store.ts';
export type { TestStore } from './open-test-store.ts';
export { sampleIntent } from './sample-rows.ts';
export { silentProxyTo } from './silent-proxy.ts';
export type { SilentProxy } from './silent-proxy.ts';
export {
  CHOSEN_DATABASE,
  CITUS,
  EMBEDDED,
  SERVER,
  SHARED,
  TEST_DATABASES,
} from './test-databases.ts';
export type { TestDatabase, TestPlace } from './test-databases.ts';
export { CLUSTER_SKIP, startCluster } from './citus/citus-cluster.ts';
export type { CitusCluster } from './citus/citus-cluster.ts';
export { moveShards, portOfConnector, rebalance } from './citus/shard-moves.ts';
export type { PostgresNode } from './citus/postgres-node.ts';
