import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EntitySyncStatus, SyncRun } from '@patchbay/client';
import { progressOf, type EntityProgress } from './entity-progress.ts';

const EARLIER = '2026-01-01T00:00:00.000Z';
const STARTED = '2026-01-02T00:00:00.000Z';
const LATER = '2026-01-02T00:00:05.000Z';

const RUN: SyncRun = {
  run_id: '01970000-0000-7000-8000-000000000000',
  cause: 'demand',
  state: 'running',
  requested_at: STARTED,
  started_at: STARTED,
  finished_at: null,
};

const NEVER: EntitySyncStatus = {
  entity: 'users',
  state: 'never',
  as_of: null,
  complete: false,
  entity_count: 0,
  mode: null,
  records: null,
  pages: null,
  checkpoint: null,
  error: null,
  updated_at: null,
  drift: null,
};

const syncing = { state: 'syncing', mode: 'full', records: 50, pages: 1 };
const copied = { state: 'idle', as_of: EARLIER, complete: true, entity_count: 1200 };

describe('while a sync runs, an entity', () => {
  const rows: readonly (readonly [
    what: string,
    status: Partial<EntitySyncStatus>,
    progress: Omit<EntityProgress, 'entity'>,
  ])[] = [
    ['that was never read waits', {}, { phase: 'waiting', share: 0, told: 'waiting' }],
    ['of an earlier sync waits', copied, { phase: 'waiting', share: 0, told: 'waiting' }],
    [
      'that is read for the first time has no end in sight',
      syncing,
      { phase: 'reading', share: undefined, told: 'reading, 50 records, 1 page' },
    ],
    [
      'that is read whole again is as long as it was',
      { ...copied, ...syncing, records: 300, pages: 2 },
      { phase: 'reading', share: 0.25, told: 'reading, 300 records, 2 pages' },
    ],
    [
      'that has grown is not more than read',
      { ...copied, ...syncing, records: 1300 },
      { phase: 'reading', share: 1, told: 'reading, 1,300 records, 1 page' },
    ],
    [
      'whose changes alone are read has no end in sight',
      { ...copied, ...syncing, mode: 'increment', records: 1, pages: null },
      { phase: 'reading', share: undefined, told: 'reading, 1 record, 0 pages' },
    ],
    [
      'that this sync has read is done',
      { ...copied, as_of: LATER },
      { phase: 'done', share: 1, told: '1,200 records in the copy' },
    ],
    [
      'that fails says why, and nothing that a terminal would obey',
      { state: 'failed', error: { code: 'upstream_rejected', message: 'no\u001b[2J' } },
      { phase: 'failed', share: 0, told: 'failed: no\\u001b[2J (upstream_rejected)' },
    ],
    ['that is paused says so', { state: 'paused' }, { phase: 'paused', share: 0, told: 'paused' }],
  ];
  for (const [what, status, progress] of rows)
    test(what, () => {
      const entities = [{ ...NEVER, ...status }];
      const [told] = progressOf({ current: RUN, last: null, entities });
      assert.deepEqual(told, { entity: 'users', ...progress });
    });
});

test('after a sync, whatever has a copy is done', () => {
  const last = { ...RUN, state: 'succeeded', finished_at: LATER };
  const entities = [{ ...NEVER, ...copied }, NEVER];
  const phases = progressOf({ current: null, last, entities }).map(({ phase }) => phase);
  assert.deepEqual(phases, ['done', 'waiting']);
});
