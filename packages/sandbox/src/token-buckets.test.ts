import assert from 'node:assert/strict';
import { it } from 'node:test';

import { TokenBuckets } from './token-buckets.ts';

const rule = { capacity: 2, perSecond: 0.5 };

it('a bucket holds its capacity, refills over time and says how long to wait', () => {
  const buckets = new TokenBuckets();
  const use = [{ key: 'a', rule }];
  assert.deepEqual([buckets.take(use, 0), buckets.take(use, 0)], [0, 0]);
  assert.equal(buckets.take(use, 0), 2);
  assert.equal(buckets.take(use, 1_000), 1);
  assert.equal(buckets.take(use, 2_000), 0);
  assert.equal(buckets.take(use, 1_000), 2);
});

it('a call that one bucket refuses is not paid from the others', () => {
  const buckets = new TokenBuckets();
  const wide = { key: 'wide', rule: { capacity: 3, perSecond: 1 } };
  const narrow = { key: 'narrow', rule: { capacity: 1, perSecond: 1 } };
  assert.equal(buckets.take([wide, narrow], 0), 0);
  assert.equal(buckets.take([wide, narrow], 0), 1);
  assert.deepEqual([buckets.take([wide], 0), buckets.take([wide], 0)], [0, 0]);
  assert.equal(buckets.take([wide], 0), 1);
});
