import assert from 'node:assert/strict';
import { it } from 'node:test';

import { MinuteWindows } from './minute-windows.ts';

it('a limit is used up call by call and is whole again with the next minute of the clock', () => {
  const windows = new MinuteWindows();
  const at = (seconds: number) => {
    const { remaining, resetsInSeconds, isExceeded } = windows.count('a', 2, seconds * 1_000);
    return [remaining, resetsInSeconds, isExceeded];
  };
  assert.deepEqual(at(70), [1, 50, false]);
  assert.deepEqual(at(90), [0, 30, false]);
  assert.deepEqual(at(119.5), [0, 1, true]);
  assert.deepEqual(at(60), [0, 60, true]);
  assert.deepEqual(at(120), [1, 60, false]);
  assert.equal(windows.count('b', 2, 120_000).remaining, 1);
});
