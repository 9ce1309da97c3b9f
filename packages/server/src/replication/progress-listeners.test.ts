import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressListeners } from './progress-listeners.ts';

test('those who watch a connector are told of it, and of no other, until they leave', () => {
  const listeners = new ProgressListeners();
  const told: string[] = [];
  const listener = () => told.push('twice');
  const leaveFirst = listeners.add('a', listener);
  listeners.add('a', listener);
  listeners.add('b', () => told.push('other'));
  listeners.notify('a');
  assert.deepEqual(told, ['twice', 'twice']);
  leaveFirst();
  leaveFirst();
  listeners.notify('a');
  listeners.notify('nobody');
  assert.deepEqual(told, ['twice', 'twice', 'twice']);
});
