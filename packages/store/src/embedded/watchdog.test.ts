import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Watchdog } from './watchdog.ts';

function watched() {
  const signs: { beats: number; turn: number | undefined; isUpkeep: boolean } = {
    beats: 0,
    turn: undefined,
    isUpkeep: false,
  };
  const told: string[] = [];
  const watchdog = new Watchdog(signs, (reason) => told.push(reason));
  const look = (times: number, meanwhile: () => void = () => undefined) => {
    for (let time = 0; time < times; time++) {
      meanwhile();
      watchdog.look();
    }
  };
  return { signs, told, look };
}

test('a thread whose event loop goes round is well, and so is one that takes turns', () => {
  const { signs, told, look } = watched();
  look(100, () => signs.beats++);
  look(100, () => {
    signs.turn = (signs.turn ?? 0) + 1;
  });
  assert.deepEqual(told, []);
});

test('a thread that does nothing at all for 10 s is stuck', () => {
  const { told, look } = watched();
  look(10);
  assert.deepEqual(told, []);
  look(1);
  assert.deepEqual(told, ['it has not answered for 10 s']);
});

test('a statement may take long, but not for ever, whether or not the event loop goes round', () => {
  const { signs, told, look } = watched();
  signs.turn = 7;
  look(60, () => signs.beats++);
  assert.deepEqual(told, []);
  look(1);
  assert.deepEqual(told, ['it has been busy with one statement for 60 s']);
});

test('the upkeep of a large table may take a quarter of an hour', () => {
  const { signs, told, look } = watched();
  Object.assign(signs, { turn: 7, isUpkeep: true });
  look(900);
  assert.deepEqual(told, []);
  look(1);
  assert.deepEqual(told, ['it has been busy with one statement for 900 s']);
});
