import { Pool, type PoolConfig } from 'pg';

/** A step of a plan, as PostgreSQL tells it. */
export type PlanNode = Readonly<Record<string, unknown>> & { readonly Plans?: readonly PlanNode[] };

/** What `explain (format json)` answers. */
export interface PlanRow {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

/** One connection to the database of a test, beside that of its store. */
export function openPool(connection: PoolConfig): Pool & AsyncDisposable {
  const pool = new Pool({ ...connection, max: 1 });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
}

/** All steps of the plan. */
export function nodesOf(rows: readonly PlanRow[]): readonly PlanNode[] {
  return rows.flatMap((row) => below(row['QUERY PLAN'][0].Plan));
}

/** Rows that a step has read, also where a filter left them out. */
export function rowsOf(node: PlanNode): number {
  const each = Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0);
  return each * Number(node['Actual Loops']);
}

function below(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(below)];
}
