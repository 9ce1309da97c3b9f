import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/contract/store.ts';
import type { CopyId, CopyRecord } from '../../src/contract/copies.ts';
import type { Lease, ReadBatch, SyncRun } from '../../src/contract/syncs.ts';
import { addConnector } from './sample-rows.ts';

/** Far longer than any test. */
export const LONG_MS = 600_000;

export const FULL = { entity: 'users', mode: 'full', definitionHash: 'first' } as const;
export const INCREMENT = { ...FULL, mode: 'increment' } as const;
export const END = { entity: 'users', kind: 'chat-workspace' } as const;

/** A lease that nobody else has; on a connector of its own unless one is given. */
export async function takeLease(
  store: Store,
  parts: { readonly connectorId?: string; readonly owner?: string; readonly ttlMs?: number } = {},
): Promise<Lease> {
  const lease = await store.syncs.takeLease({
    connectorId: parts.connectorId ?? (await addConnector(store)).id,
    owner: parts.owner ?? `worker-${randomUUID()}`,
    ttlMs: parts.ttlMs ?? LONG_MS,
  });
  assert.ok(lease !== undefined, 'the lease is free');
  return lease;
}

/** A run of the lease's connector, under way. */
export async function startRun(store: Store, lease: Lease): Promise<SyncRun> {
  await store.syncs.requestRun(lease.connectorId, { id: randomUUID(), cause: 'demand' });
  const run = await store.syncs.startRun(lease);
  assert.ok(run !== undefined, 'a run has been asked for');
  return run;
}

/** A page without records, unless it is given some. */
export function page(position: unknown, parts: Partial<ReadBatch> = {}): ReadBatch {
  return {
    entity: FULL.entity,
    kind: END.kind,
    records: [],
    pages: 1,
    askedAt: new Date(),
    position,
    ...parts,
  };
}

/** How many records a copy holds. */
export async function countRecords(store: Store, copy: CopyId): Promise<number> {
  const filter = { operator: 'and', filters: [] } as const;
  return (await store.copies.parents(copy, { filter, fields: [], limit: 100_000 })).length;
}

/** Users with the numbers from `first` to below `end`. */
export function users(first: number, end: number, name = 'Ada'): readonly CopyRecord[] {
  return Array.from({ length: end - first }, (_, index) => {
    const key = `U${first + index}`;
    return { key, values: { id: key, name } };
  });
}

export const PAGE_SIZE = 3;

/** The page of that number, counted from 1, which is its position as well. */
export function numberedPage(number: number): ReadBatch {
  const end = number * PAGE_SIZE;
  return page(number, { records: users(end - PAGE_SIZE, end) });
}
