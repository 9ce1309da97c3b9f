import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearestPath } from './nearest-path.ts';

const KNOWN = [
  ['profile', 'email'],
  ['profile', 'address', 'city'],
  ['profile', 'list', '[]', 'kind'],
  ['profile', 'plan.tier'],
  ['profile', 'deep', 'a.b.c', 'd'],
  ['profile', 'deep', 'a', 'b', 'x'],
];

describe('the nearest path', () => {
  for (const [given, nearest] of [
    ['profile emial', 'profile email'],
    ['profile adress city', 'profile address city'],
    ['profile adress ctiy', 'profile address city'],
    ['profile list [] kidn', 'profile list [] kind'],
    ['profile email', 'profile email'],
    ['profile plan tier', 'profile plan.tier'],
    ['profile deep a b c d', 'profile deep a.b.c d'],
    ['profile list kind', 'profile list [] kind'],
    ['profile list kidn', 'profile list [] kind'],
    ['profile list zzz', undefined],
    ['profile list [] zzz', undefined],
    ['profile email below', undefined],
    ['profile zzz', undefined],
    ['profile address zzz', undefined],
    ['other emial', undefined],
  ] as const)
    test(`of ${given} is ${nearest ?? 'none'}`, () => {
      assert.deepEqual(nearestPath(given.split(' '), KNOWN), nearest?.split(' '));
    });
});
