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
    await cluster.query(`select citus_move_shard_placement(
      ${shard}, '127.0.0.1', ${port}, '127.0.0.1', ${target}, 'force_logical')`);
    moved += 1;
  }
  return moved;
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
