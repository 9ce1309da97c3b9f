import { setTimeout } from 'node:timers/promises';
import type { CitusCluster } from './citus-cluster.ts';

/** A group of shards that go together, and the worker that has it. */
interface ShardPlace {
  readonly shard: string;
  readonly port: number;
}

/** The port of the worker that has what belongs to a connector. */
export async function portOfConnector(cluster: CitusCluster, connectorId: string): Promise<number> {
  const [row] = await cluster.query(`
    select nodeport from pg_dist_shard_placement where shardid =
      get_shard_id_for_distribution_column('patchbay.connectors', '${connectorId}'::uuid)`);
  return Number(row?.['nodeport']);
}

/** Has every group of shards, in turn, go to the next worker, until told to stop; gives how many went. */
export async function moveShards(cluster: CitusCluster, isOver: () => boolean): Promise<number> {
  let moved = 0;
  for (const { shard, port } of await shardPlaces(cluster)) {
    if (isOver()) break;
    const ports = cluster.workers.map((worker) => worker.port);
    const target = ports[(ports.indexOf(port) + 1) % ports.length];
    await moveShard(cluster, `${shard}, '127.0.0.1', ${port}, '127.0.0.1', ${target}`);
    moved += 1;
  }
  return moved;
}

/** What an earlier move has left behind, Citus drops once no statement uses it. */
const LEFT_BEHIND = /leftover from the previous move could not be cleaned up/;
const AGAIN_MS = 200;
const ATTEMPTS = 50;

async function moveShard(cluster: CitusCluster, where: string): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await cluster.query(`select citus_move_shard_placement(${where}, 'force_logical')`);
      return;
    } catch (error) {
      const isLeftBehind = error instanceof Error && LEFT_BEHIND.test(error.message);
      if (!isLeftBehind || attempt === ATTEMPTS) throw error;
      await setTimeout(AGAIN_MS);
    }
}

/** Spreads the shards evenly over all workers; resolves when they have gone. */
export async function rebalance(cluster: CitusCluster): Promise<void> {
  await cluster.query(`select citus_rebalance_start(shard_transfer_mode => 'force_logical')`);
  await cluster.query(`select citus_rebalance_wait()`);
}

async function shardPlaces(cluster: CitusCluster): Promise<readonly ShardPlace[]> {
  const rows = await cluster.query(`
    select shardid::text as shard, nodeport from pg_dist_shard
    join pg_dist_shard_placement using (shardid)
    where logicalrelid = 'patchbay.connectors'::regclass order by shardid`);
  return rows.map(({ shard, nodeport }) => ({ shard: String(shard), port: Number(nodeport) }));
}
