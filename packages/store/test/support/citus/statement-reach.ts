import { Client, DatabaseError } from 'pg';
import type { RecordedStatement } from '../statement-recorder.ts';

/**
 * What a statement needs of a cluster:
 *
 * - `one-node`: a router plan, or tables of the coordinator alone;
 * - `every-node`: it writes to a table that every node has;
 * - `several-nodes`: several shards, or several steps;
 * - `unknown-table`: it asks for a copy that this database does not have, of a kind of a test's own;
 * - `refused`: Citus cannot do it.
 */
export type Reach = 'one-node' | 'every-node' | 'several-nodes' | 'unknown-table' | 'refused';

export interface StatementReach {
  readonly reach: Reach;
  /** What Citus said where it refused, else nothing. */
  readonly reason: string;
}

/** What can be explained; all else changes the schema, a setting or a transaction. */
const EXPLAINABLE = /^\s*(?:select|insert|update|delete|with|values)\b/i;

const UNDEFINED = new Set(['42P01', '42703']);

export function isExplainable({ text }: Pick<RecordedStatement, 'text'>): boolean {
  return EXPLAINABLE.test(text);
}

/** Asks the planner of the coordinator; nothing is run. */
export class ReachReader implements AsyncDisposable {
  readonly #client: Client;
  #onEveryNode: readonly string[] = [];

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(databaseUrl: string): Promise<ReachReader> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const reader = new ReachReader(client);
    const { rows } = await client.query<{ name: string }>(
      `select relname::text as name from pg_dist_partition
       join pg_class on pg_class.oid = logicalrelid where repmodel = 't'`,
    );
    reader.#onEveryNode = rows.map(({ name }) => name);
    return reader;
  }

  async read({ text, values }: RecordedStatement): Promise<StatementReach> {
    try {
      const { rows } = await this.#client.query<Record<string, unknown>>(
        `explain (format json, costs off) ${text}`,
        [...values],
      );
      return { reach: this.#reachOf(text, rows), reason: '' };
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const { code = '', message } = error;
      return { reach: UNDEFINED.has(code) ? 'unknown-table' : 'refused', reason: message };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }

  #reachOf(text: string, plan: unknown): Reach {
    if (this.#onEveryNode.some((table) => writesTo(text, table))) return 'every-node';
    return isRouted(plan) ? 'one-node' : 'several-nodes';
  }
}

function writesTo(text: string, table: string): boolean {
  return new RegExp(
    String.raw`\b(?:insert into|update|delete from)\s+"?patchbay"?\."?${table}\b`,
    'i',
  ).test(text);
}

/** Whether no part of a plan has steps of its own, or goes to more than one shard. */
function isRouted(plan: unknown): boolean {
  if (Array.isArray(plan)) return plan.every(isRouted);
  if (typeof plan !== 'object' || plan === null) return true;
  return Object.entries(plan).every(([key, value]) => {
    if (key === 'Task Count') return value === 0 || value === 1;
    if (key === 'Subplans' || key === 'INSERT/SELECT method') return false;
    // What the node makes of it is its own matter.
    return key === 'Tasks' || isRouted(value);
  });
}
