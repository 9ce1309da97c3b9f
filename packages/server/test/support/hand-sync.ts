import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CopyRecord, Lease, RunProblem, Store, SyncProblem, SyncRun } from '@patchbay/store';

const TTL_MS = 600_000;
const KIND = 'chat-workspace';

/** Does the work of a worker, one step at a time, so that tests stop where they like. */
export interface HandSync {
  readonly run: SyncRun;
  begin(entity: string): Promise<void>;
  /** Commits a page; without a position it was the last one. */
  commit(entity: string, records: readonly CopyRecord[], position?: unknown): Promise<void>;
  finishRead(entity: string): Promise<void>;
  /** All of the three above. */
  copy(entity: string, records: readonly CopyRecord[]): Promise<void>;
  fail(
    entity: string,
    problem: SyncProblem,
    options?: { readonly isForbidden?: boolean },
  ): Promise<void>;
  end(state?: 'succeeded' | 'failed' | 'cancelled', problem?: RunProblem): Promise<void>;
}

/** Begins the run of a connector that is queued, or asks for one. */
export async function beginSync(store: Store, connectorId: string): Promise<HandSync> {
  const { syncs } = store;
  await syncs.requestRun(connectorId, { id: randomUUID(), cause: 'demand' });
  const lease = await syncs.takeLease({ connectorId, owner: 'by hand', ttlMs: TTL_MS });
  assert.ok(lease !== undefined, 'somebody else has the lease');
  const run = await syncs.startRun(lease);
  assert.ok(run !== undefined, 'there is nothing to run');
  return makeHandSync(store, lease, run);
}

/** Copies records of one entity, and nothing else, in a run of their own. */
export async function copyByHand(
  store: Store,
  connectorId: string,
  entity: string,
  records: readonly CopyRecord[],
): Promise<void> {
  const sync = await beginSync(store, connectorId);
  await sync.copy(entity, records);
  await sync.end();
}

/** A user as the copy holds it. */
export function copiedUser(
  key: string,
  values: Readonly<Record<string, unknown>> = {},
): CopyRecord {
  return { key, values: { id: key, ...values } };
}

function makeHandSync({ syncs }: Store, lease: Lease, run: SyncRun): HandSync {
  /** When what is committed next was asked for. */
  let askedAt = new Date(0);
  const begin: HandSync['begin'] = async (entity) => {
    const read = await syncs.beginRead(lease, { entity, mode: 'full', definitionHash: 'by hand' });
    askedAt = read.resumedAt;
  };
  const commit: HandSync['commit'] = async (entity, records, position = null) => {
    const page = { entity, kind: KIND, records, pages: 1, askedAt, position };
    askedAt = (await syncs.commitBatch(lease, page)).committedAt;
  };
  const finishRead: HandSync['finishRead'] = async (entity) => {
    await syncs.finishRead(lease, { entity, kind: KIND });
  };
  return {
    run,
    begin,
    commit,
    finishRead,
    copy: async (entity, records) => {
      await begin(entity);
      await commit(entity, records);
      await finishRead(entity);
    },
    fail: async (entity, problem, { isForbidden = false } = {}) => {
      await begin(entity);
      await syncs.failRead(lease, { entity, problem, isForbidden, keepsPosition: true });
    },
    end: async (state = 'succeeded', problem) => {
      const told = problem === undefined ? {} : { problem };
      await syncs.finishRun(lease, { runId: run.id, state, nextInMs: null, ...told });
      await syncs.releaseLease(lease);
    },
  };
}
