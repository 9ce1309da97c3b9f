import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimedPace } from './pace.ts';

/** Of a database where a transaction takes 5 ms and each record some more. */
function settledPace(msPerRecord: number, quietMs: () => number) {
  const pace = new TimedPace(quietMs, 20);
  const settle = (ms: number) => {
    for (let round = 0; round < 30; round++) {
      const records = pace.next();
      pace.learn({ amount: records, ms: 5 + ms * records });
    }
    return pace.next();
  };
  return { settle, size: settle(msPerRecord) };
}

test('transactions are short while others use the database, and longer while nobody does', () => {
  let quietMs = Infinity;
  const { settle, size } = settledPace(0.5, () => quietMs);
  assert.ok(size * 0.5 > 80 && size * 0.5 < 150, String(size));
  quietMs = 10;
  const shared = settle(0.5);
  assert.ok(shared * 0.5 < 50, String(shared));
});

test('large records come in small numbers, but not one by one', () => {
  const { settle, size } = settledPace(0.2, () => 0);
  const large = settle(1);
  assert.ok(large < size);
  assert.ok(settle(1_000) >= 10);
});
