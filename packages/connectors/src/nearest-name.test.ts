import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { editDistance } from './edit-distance.ts';
import { nearestName } from './nearest-name.ts';

const NAMES = ['users', 'channels', 'channel_messages', 'threads', 'ts', 'to'];

describe('the nearest name', () => {
  const rows: readonly (readonly [unknown, string | undefined])[] = [
    ['user', 'users'],
    ['USERS', 'users'],
    ['chanels', 'channels'],
    ['channelmessages', 'channel_messages'],
    ['thread', 'threads'],
    ['thraeds', 'threads'],
    ['suers', 'users'],
    ['t', 'ts'],
    ['conversations', undefined],
    ['x', undefined],
    ['', undefined],
    ['x'.repeat(1_000_000), undefined],
    [undefined, undefined],
    [7, undefined],
    ['unthreads', undefined],
    ['not_users', undefined],
    ['notChannels', undefined],
    ['!threads', undefined],
    ['nusers', undefined],
    ['o', 'to'],
  ];
  for (const [given, nearest] of rows)
    test(`of ${String(given).slice(0, 20)} is ${nearest ?? 'none'}`, () => {
      assert.equal(nearestName(given, NAMES), nearest);
    });

  test('of a name is the name', () => {
    for (const name of NAMES) assert.equal(nearestName(name, NAMES), name);
  });

  test('is one of the names, or none, and one edit of a long name finds it', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (given, names) => {
        const nearest = nearestName(given, names);
        assert.ok(nearest === undefined || names.includes(nearest));
      }),
    );
    fc.assert(
      fc.property(fc.nat({ max: 14 }), (at) => {
        const name = 'channel_messages';
        assert.equal(nearestName(name.slice(0, at) + name.slice(at + 1), NAMES), name);
      }),
    );
  });

  test('is as near as any of the names, and there wherever one of them is near enough', () => {
    // Of other letters too, some of whose bits are one, or which have two code units; none makes a word that says the opposite.
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'A', '1', 'Q', '😀'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, fc.array(text), (given, names) => {
        const bound = Math.max(1, Math.floor(given.length / 3));
        const distanceTo = (name: string) =>
          editDistance(given.toLowerCase(), name.toLowerCase(), bound) ?? Infinity;
        const nearest = nearestName(given, names);
        const least = Math.min(Infinity, ...names.map(distanceTo));
        assert.equal(nearest === undefined ? Infinity : distanceTo(nearest), least);
      }),
    );
  });
});
