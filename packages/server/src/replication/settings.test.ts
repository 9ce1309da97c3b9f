import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutMs, DEFAULT_REPLICATION, retryInMs } from './settings.ts';

test('after failed syncs the next one comes after 1, 2, 4, 8 minutes, then by the schedule', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 100].map(
    (failures) => retryInMs(DEFAULT_REPLICATION, failures) / 60_000,
  );
  assert.deepEqual(minutes, [1, 2, 4, 8, 15, 15, 15]);
});

test('what is to come back after a time does so a tenth sooner or later', () => {
  const times = [0, 0.5, 1].map((number) => aboutMs(1_000, () => number));
  assert.deepEqual(times, [900, 1_000, 1_100]);
});
