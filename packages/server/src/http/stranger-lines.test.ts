import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLogger } from '../log.ts';
import { StrangerLines } from './stranger-lines.ts';

test('of many refusals in a second some have lines, and the others are counted', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let log = '';
  const lines = new StrangerLines(makeLogger({ destination: { write: (text) => (log += text) } }));
  const taken = (count: number) =>
    Array.from({ length: count }, () => lines.takeLine()).filter(Boolean).length;
  assert.equal(taken(80), 50);
  t.mock.timers.tick(1_000);
  assert.partialDeepStrictEqual(JSON.parse(log), { calls: 30 });
  assert.equal(taken(20), 20);
  t.mock.timers.tick(1_000);
  assert.equal(log.split('\n').length, 2, 'nothing was left out');
});
