import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms, makeNode, type PostgresNode } from './postgres-node.ts';

/** A Citus cluster of one test file's own: its nodes are killed and moved as nobody else's may be. */
export interface CitusCluster extends AsyncDisposable {
  readonly coordinator: PostgresNode;
  /** In the order in which they were added. */
  readonly workers: readonly PostgresNode[];
  /** Of its one database, on the coordinator. */
  readonly databaseUrl: string;
  /** Runs SQL on the coordinator. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Adds a worker, on which there is nothing yet. */
  addWorker(): Promise<PostgresNode>;
}

const DATABASE = 'patchbay';

/** Why there can be no cluster, or false. */
export const CLUSTER_SKIP: string | false = skipReason();

interface ClusterOptions {
  /** 2 unless said; without any, it is one PostgreSQL. */
  readonly workers?: number;
  /** Lines of postgresql.conf that differ from those of tests. */
  readonly settings?: readonly string[];
}

/** Starts a coordinator without shards and some workers. */
export async function startCluster({
  workers = 2,
  settings,
}: ClusterOptions = {}): Promise<CitusCluster> {
  const cluster = await makeCluster(settings);
  try {
    for (let count = 0; count < workers; count++) await cluster.addWorker();
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

/** A coordinator alone. */
async function makeCluster(settings?: readonly string[]): Promise<CitusCluster> {
  const programs = findPrograms();
  if ('missing' in programs) throw new Error(programs.missing);
  // Not in TEST_FOLDER, which is only for who made it.
  const folder = await mkdtemp(join(tmpdir(), 'citus-'));
  // The servers may be another user's.
  await chmod(folder, 0o755);
  const nodes: PostgresNode[] = [];
  const addNode = async () => {
    const node = await makeNode(programs.folder, join(folder, String(nodes.length)), settings);
    nodes.push(node);
    await node.query(`create database ${DATABASE}`);
    await node.query('create extension citus', DATABASE);
    return node;
  };
  const coordinator = await addNode();
  const query = (sql: string) => coordinator.query(sql, DATABASE);
  await query(`select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
  return {
    coordinator,
    get workers() {
      return nodes.slice(1);
    },
    databaseUrl: `postgres://postgres@127.0.0.1:${coordinator.port}/${DATABASE}`,
    query,
    addWorker: async () => {
      const node = await addNode();
      await query(`select citus_add_node('127.0.0.1', ${node.port})`);
      return node;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      await rm(folder, { recursive: true, maxRetries: 20 });
    },
  };
}

/** They take minutes, so they are not part of every run of the tests. */
function skipReason(): string | false {
  if (process.env['TEST_CITUS_URL'] === undefined)
    return 'no Citus; npm run test:citus with TEST_CITUS_URL tests what becomes of its nodes';
  const programs = findPrograms();
  return 'missing' in programs ? programs.missing : false;
}
