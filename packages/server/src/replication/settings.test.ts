import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_REPLICATION, retryInMs } from './settings.ts';

test('after failed syncs the next one comes after 1, 2, 4, 8 minutes, then by the schedule', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 100].map(
    (failures) => retryInMs(DEFAULT_REPLICATION, failures) / 60_000,
  );
  assert.deepEqual(minutes, [1, 2, 4, 8, 15, 15, 15]);
});
