import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LATENCY_PARTS, latencyOf, latencyPart } from './latency.ts';

test('every duration is in one part, longer ones in later ones', () => {
  const durations = [0, 0.2, 1, 1.1, 2, 3, 45, 46, 999, 60_000, 300_000, 1e9];
  const parts = durations.map(latencyPart);
  assert.deepEqual(
    parts,
    parts.toSorted((a, b) => a - b),
  );
  assert.equal(parts[0], 0);
  assert.equal(latencyPart(1.1), 1);
  assert.equal(latencyPart(2), 2);
  assert.equal(parts.at(-1), LATENCY_PARTS - 1);
});

test('a share of the calls took no longer than what is told, within the width of a part', () => {
  const counts = Array<number>(LATENCY_PARTS).fill(0);
  const durations = Array.from({ length: 1_000 }, (_, index) => 1 + index * 2.5);
  for (const each of durations) {
    const part = latencyPart(each);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  for (const share of [0.5, 0.95, 0.99]) {
    const exact = durations[share * 1_000 - 1] ?? Number.NaN;
    const told = latencyOf(counts, share) ?? Number.NaN;
    assert.ok(told > exact / Math.SQRT2 && told < exact * Math.SQRT2, `${share}: ${told} ${exact}`);
  }
  assert.equal(latencyOf([0, 0, 0, 4], 1), 2 ** 1.5);
  assert.equal(latencyOf([], 0.5), undefined);
  assert.equal(latencyOf([0, 0], 0.5), undefined);
});
