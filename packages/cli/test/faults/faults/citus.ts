import { moveShards, portOfConnector, rebalance, type CitusCluster } from '@patchbay/store/testing';
import { OVER, type Fault, type Scene } from '../fault.ts';

/** What happens to the nodes of a Citus cluster. */
export const CITUS_FAULTS: readonly Fault[] = [
  {
    name: 'node-killed',
    doc: 'the worker node that has the busiest connector is ended as kill -9 does, and comes back',
    databases: ['citus'],
    inject: async (scene) => {
      const cluster = clusterOf(scene);
      const port = await portOfConnector(cluster, scene.load.tenant.slack);
      const node = cluster.workers.find((worker) => worker.port === port);
      await node?.kill();
      return {
        heal: async () => {
          await node?.start();
          return 1;
        },
      };
    },
  },
  {
    name: 'coordinator-killed',
    doc: 'the coordinator is ended as kill -9 does, and comes back',
    databases: ['citus'],
    inject: async (scene) => {
      const { coordinator } = clusterOf(scene);
      await coordinator.kill();
      return {
        heal: async () => {
          await coordinator.start();
          return 1;
        },
      };
    },
  },
  {
    name: 'coordinator-restarted',
    doc: 'the coordinator is stopped in good order, and started at once',
    databases: ['citus'],
    inject: async (scene) => {
      const { coordinator } = clusterOf(scene);
      await coordinator.stop();
      await coordinator.start();
      return OVER;
    },
  },
  {
    name: 'shards-moved',
    doc: 'shards go from node to node, one after the other',
    databases: ['citus'],
    inject: (scene) => {
      const over = new AbortController();
      const moving = moveShards(clusterOf(scene), () => over.signal.aborted);
      return Promise.resolve({
        heal: () => {
          over.abort();
          return moving;
        },
      });
    },
  },
  {
    name: 'node-added',
    doc: 'a worker node is added, and the shards are spread anew',
    databases: ['citus'],
    inject: (scene) => {
      const cluster = clusterOf(scene);
      const spreading = cluster.addWorker().then(() => rebalance(cluster));
      return Promise.resolve({ heal: () => spreading.then(() => 1) });
    },
  },
];

function clusterOf({ world }: Scene): CitusCluster {
  const { cluster } = world.database;
  if (cluster === undefined) throw new Error('this fault is for a Citus cluster');
  return cluster;
}
