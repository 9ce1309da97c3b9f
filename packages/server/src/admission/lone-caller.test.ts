import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALONE_AFTER_MS, LoneCaller } from './lone-caller.ts';

test('a caller is alone until another calls, and ten seconds after the last time that one did', () => {
  let now = 0;
  const lone = new LoneCaller({ monotonic: () => now });
  assert.ok(lone.isAlone());
  lone.note('one');
  lone.note('one');
  assert.ok(lone.isAlone());
  lone.note('other');
  assert.ok(!lone.isAlone());
  // It is the first one that calls on: that is known only when it does.
  now += 5_000;
  lone.note('one');
  now += ALONE_AFTER_MS;
  lone.note('one');
  assert.ok(!lone.isAlone());
  now += 1;
  assert.ok(lone.isAlone());
});
