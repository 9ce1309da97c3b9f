import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentiles } from './measure.ts';
import { climb, summaryOf, type RateStep } from './rate-ladder.ts';

/** A service that gets slower with the rate, and drops calls from 50 a second on. */
async function measured(perSecond: number): Promise<RateStep> {
  const failures = perSecond >= 50 ? { late: 1 } : {};
  const times = { p50: perSecond, p95: perSecond * 2, p99: perSecond * 3 };
  const cpu = { latestMs: 0, serviceCpuMs: 1, machineCpuMs: 2 };
  return { perSecond, calls: 10, ...times, failures, ...cpu };
}

for (const [p99Ms, held, tried] of [
  [100, 30, [10, 20, 30, 40]],
  [120, 40, [10, 20, 30, 40, 60]],
  [1_000, 40, [10, 20, 30, 40, 60]],
  [20, 0, [10]],
] as const)
  test(`with p99 up to ${p99Ms} ms ${held} a second are held`, async () => {
    const { steps, heldPerSecond } = await climb([10, 20, 30, 40, 60, 80], p99Ms, measured);
    assert.equal(heldPerSecond, held);
    assert.deepEqual(
      steps.map(({ perSecond }) => perSecond),
      tried,
    );
  });

test('where every rate is held, the last one is', async () => {
  assert.equal((await climb([10, 20], 100, measured)).heldPerSecond, 20);
});

test('failed calls are counted by why, and their times count', () => {
  const samples = [{ ms: 3 }, { ms: 5_000, failure: 'late' }, { ms: 1 }, { ms: 2, failure: 'no' }];
  assert.deepEqual(summaryOf(samples), {
    calls: 4,
    p50: 2,
    p95: 5_000,
    p99: 5_000,
    failures: { late: 1, no: 1 },
  });
});

test('percentiles are values that came up, at or above their share', () => {
  const values = Array.from({ length: 200 }, (_, nth) => 200 - nth);
  assert.deepEqual(percentiles(values), { p50: 100, p95: 190, p99: 198 });
  assert.deepEqual(percentiles([7]), { p50: 7, p95: 7, p99: 7 });
  assert.ok(Number.isNaN(percentiles([]).p50));
});
