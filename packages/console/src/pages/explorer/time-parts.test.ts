import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverTimesOf } from '../../service/server-times.ts';
import { timePartsOf } from './time-parts.ts';

test('a round trip is the way, the wait, the service and the upstream', () => {
  const times = serverTimesOf('wait;dur=3, upstream;dur=41.3, total;dur=46.5');
  assert.deepEqual(times, { waitMs: 3, upstreamMs: 41.3, totalMs: 46.5 });
  const parts = timePartsOf({ waitMs: 3, upstreamMs: 40, totalMs: 50 }, 58);
  assert.deepEqual(
    parts.map(({ name, ms }) => [name, ms]),
    [
      ['on the way', 8],
      ['waiting', 3],
      ['service', 7],
      ['upstream', 40],
    ],
  );
});

test('no part is less than nothing, whatever two clocks say', () => {
  const parts = timePartsOf({ waitMs: 0, upstreamMs: 9, totalMs: 8.9 }, 8);
  assert.deepEqual(
    parts.map(({ ms }) => ms),
    [0, 0, 0, 9],
  );
});

test('where a header says nothing of it, nothing is known', () => {
  for (const header of [null, '', 'cache;desc="hit"', 'db;dur=4'])
    assert.equal(serverTimesOf(header), undefined);
});
