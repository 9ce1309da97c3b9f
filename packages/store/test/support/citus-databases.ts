import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { standardTables } from '../../src/copies/copy-table.ts';
import { PLACEMENTS } from '../../src/distribution/placements.ts';
import { MIGRATIONS } from '../../src/migrations/all.ts';
import { openStore } from '../../src/open-store.ts';

/** Few, so that a database is made fast; two of each node at least. */
const SHARDS = 4;

/** What spreads the tables makes a template as much as the tables do. */
const SPREADING = readFileSync(
  new URL('../../src/distribution/distribute-tables.ts', import.meta.url),
  'utf8',
);

/** An arbitrary number: who has its lock makes the template. */
const LOCK_KEY = 7_281_642_290_401;

const OBJECT_IN_USE = '55006';
const DROP_ATTEMPTS = 20;
const DROP_AGAIN_MS = 250;

/** A node of the cluster, as the coordinator calls it. */
interface Node {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

/** A database of one test's own on every node of a cluster. */
export interface CitusDatabase {
  /** Of the coordinator. */
  readonly url: string;
  readonly remove: () => Promise<void>;
}

/**
 * Copies a distributed, empty database, node by node: seconds in place of half a minute. Where a
 * cluster has no such database of the schema as it is now, it is made first, and stays.
 *
 * @param url Of a database of the coordinator, with its nodes.
 * @param creation What follows the name in `create database`.
 */
export async function makeCitusDatabase(url: string, creation: string): Promise<CitusDatabase> {
  const cluster = await Cluster.find(url);
  const template = await cluster.ensureTemplate(creation);
  const name = `store_test_${randomUUID().replaceAll('-', '')}`;
  await cluster.copy(template, name);
  return { url: cluster.urlOf(name), remove: () => cluster.drop(name) };
}

/** One with the extension, and nothing of ours. */
export async function makeEmptyCitusDatabase(url: string): Promise<CitusDatabase> {
  const cluster = await Cluster.find(url);
  const name = `store_test_${randomUUID().replaceAll('-', '')}`;
  await cluster.make(name, "template template0 encoding 'UTF8'");
  return { url: cluster.urlOf(name), remove: () => cluster.drop(name) };
}

class Cluster {
  readonly #url: string;
  readonly #nodes: readonly Node[];

  private constructor(url: string, nodes: readonly Node[]) {
    this.#url = url;
    this.#nodes = nodes;
  }

  static async find(url: string): Promise<Cluster> {
    const rows = await run(
      url,
      `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator"
       from pg_dist_node where isactive order by groupid`,
    );
    // Proof: the columns of the query.
    return new Cluster(url, rows as readonly Node[]);
  }

  /** Of a database of the coordinator, or of another node. */
  urlOf(database: string, node?: Node): string {
    const url = new URL(this.#url);
    url.pathname = `/${database}`;
    if (node !== undefined) {
      url.hostname = node.host;
      url.port = String(node.port);
    }
    return url.href;
  }

  async ensureTemplate(creation: string): Promise<string> {
    const schema = [MIGRATIONS, standardTables().all, PLACEMENTS, SPREADING, creation, SHARDS];
    const digest = createHash('sha256').update(JSON.stringify(schema)).digest('hex');
    const name = `store_test_template_${digest.slice(0, 12)}`;
    const client = new Client({ connectionString: this.#url });
    await client.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
      const { rows } = await client.query('select from pg_database where datname = $1', [
        `${name}_made`,
      ]);
      if (rows.length > 0) return `${name}_made`;
      await this.make(name, creation);
      const store = await openStore({ databaseUrl: this.urlOf(name), distribute: () => undefined });
      await store.close();
      for (const node of this.#nodes.toReversed()) {
        await this.#endConnections(name, node);
        await this.#on(node, `alter database ${name} rename to ${name}_made`);
      }
      return `${name}_made`;
    } finally {
      await client.end();
    }
  }

  /** A database with the extension, and the same nodes. */
  async make(name: string, creation: string): Promise<void> {
    await this.drop(name);
    for (const node of this.#nodes) {
      await this.#on(node, `create database ${name} ${creation}`);
      await run(this.urlOf(name, node), 'create extension citus');
    }
    const url = this.urlOf(name);
    for (const { host, port, isCoordinator } of this.#nodes)
      await run(
        url,
        isCoordinator
          ? `select citus_set_coordinator_host('${host}', ${port})`
          : `select citus_add_node('${host}', ${port})`,
      );
    await run(url, `alter database ${name} set citus.shard_count = ${SHARDS}`);
  }

  async copy(template: string, name: string): Promise<void> {
    await Promise.all(
      this.#nodes.map((node) => this.#on(node, `create database ${name} template ${template}`)),
    );
    // What is set for a database is not part of it.
    await this.#on(undefined, `alter database ${name} set citus.shard_count = ${SHARDS}`);
    await this.#on(undefined, `alter database ${name} set citus.propagate_set_commands = 'local'`);
  }

  /** The coordinator first, which has connections to the others. */
  async drop(name: string): Promise<void> {
    for (const node of this.#nodes) await this.#dropOn(node, name);
  }

  /** The upkeep of Citus connects again and again, and the end of a connection takes a moment. */
  async #dropOn(node: Node, name: string): Promise<void> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#on(node, `drop database if exists ${name} with (force)`);
      } catch (error) {
        const isInUse = error instanceof DatabaseError && error.code === OBJECT_IN_USE;
        if (!isInUse || attempt === DROP_ATTEMPTS) throw error;
        await setTimeout(DROP_AGAIN_MS);
      }
  }

  async #endConnections(name: string, node: Node): Promise<void> {
    await this.#on(node, `alter database ${name} allow_connections false`);
    await this.#on(
      node,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    );
    await this.#on(node, `alter database ${name} allow_connections true`);
  }

  async #on(node: Node | undefined, sql: string): Promise<void> {
    await run(node === undefined ? this.#url : this.urlOf(databaseOf(this.#url), node), sql);
  }
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function run(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
