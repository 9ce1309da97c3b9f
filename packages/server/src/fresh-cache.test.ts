import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedCache } from './bounded-cache.ts';
import { FreshCache } from './fresh-cache.ts';

/** A cache over a source that answers when it is told to. */
function make(maxEntries = 10) {
  let now = 0;
  const waiting: { resolve: (value: string | undefined) => void; reject: (e: Error) => void }[] =
    [];
  const errors: unknown[] = [];
  const cache = new FreshCache<string>({
    clock: { now: () => 0, monotonic: () => now, after: () => () => undefined },
    maxEntries,
    refreshAfterMs: 100,
    maxAgeMs: 200,
    load: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    onRefreshError: (error) => errors.push(error),
  });
  return {
    cache,
    errors,
    loads: () => waiting.length,
    answer: (value: string | undefined) => waiting.shift()?.resolve(value),
    fail: () => waiting.shift()?.reject(new Error('no database')),
    advance: (ms: number) => {
      now += ms;
    },
  };
}

test('readers at the same time share one load, and later ones its value', async () => {
  const { cache, loads, answer } = make();
  const readers = [cache.get('a'), cache.get('a')].map((each) => Promise.resolve(each));
  assert.equal(loads(), 1);
  answer('one');
  assert.deepEqual(await Promise.all(readers), ['one', 'one']);
  assert.equal(cache.get('a'), 'one');
  assert.equal(loads(), 0);
});

test('an ageing value is given out while it is loaded anew, an old one is not', async () => {
  const { cache, loads, answer, advance } = make();
  const first = cache.get('a');
  answer('one');
  await first;
  advance(150);
  assert.equal(cache.get('a'), 'one');
  assert.equal(cache.get('a'), 'one');
  assert.equal(loads(), 1);
  advance(100);
  const waiting = cache.get('a');
  assert.equal(loads(), 1);
  answer('two');
  assert.equal(await waiting, 'two');
});

test('what was forgotten or loaded anew meanwhile is not overwritten by an older load', async () => {
  const { cache, answer } = make();
  const slow = cache.get('a');
  assert.equal(await cache.reload('a', () => Promise.resolve('newest')), 'newest');
  answer('stale');
  assert.equal(await slow, 'stale');
  assert.equal(cache.get('a'), 'newest');
  cache.forget('a');
  const again = cache.get('a');
  cache.forget('a');
  answer('stale');
  await again;
  assert.ok(cache.get('a') instanceof Promise);
});

test('absence is not remembered, and a failed refresh is reported', async () => {
  const { cache, answer, fail, advance, errors } = make();
  const absent = cache.get('a');
  answer(undefined);
  assert.equal(await absent, undefined);
  const present = cache.get('a');
  answer('one');
  await present;
  advance(150);
  assert.equal(cache.get('a'), 'one');
  fail();
  await new Promise(setImmediate);
  assert.equal(errors.length, 1);
  advance(100);
  const broken = cache.get('a');
  fail();
  await assert.rejects(Promise.resolve(broken));
});

test('a full cache lets go of what was longest unused', () => {
  const cache = new BoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.equal(cache.get('a'), 1);
  cache.set('c', 3);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.size, 2);
});

test('a bounded cache of things that weigh something holds so much of them', () => {
  const cache = new BoundedCache<string, string>(10, (value) => value.length);
  cache.set('a', 'xxxx');
  cache.set('b', 'xxxx');
  cache.set('b', 'xx');
  cache.set('c', 'xxxx');
  assert.equal(cache.size, 3);
  assert.equal(cache.get('a'), 'xxxx');
  cache.set('d', 'xxx');
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined),
    ['a', 'd'],
  );
});
