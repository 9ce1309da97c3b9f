import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, split, type Changes } from './batch-changes.ts';

function recordsOf(...lengths: readonly number[]): Changes['records'] {
  return lengths.map((length, key) => ({ key: String(key), values: { text: 'x'.repeat(length) } }));
}

/** How many records, and keys that are deleted, each transaction has. */
function partsOf(changes: Changes, most: number): readonly (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  for (let rest = changes; rest.records.length + rest.deletedKeys.length > 0;) {
    const { part, others, characters } = split(rest, most);
    if (most !== Infinity) assert.ok(characters > 0);
    parts.push([part.records.length, part.deletedKeys.length]);
    rest = others;
  }
  return parts;
}

test('long records come in small numbers, down to one by one, and short ones together', () => {
  const changes = { records: recordsOf(40_000, 40_000, 9_000, 9_000, 100, 100), deletedKeys: [] };
  assert.deepEqual(partsOf(changes, 20_000), [
    [1, 0],
    [1, 0],
    [4, 0],
  ]);
});

test('a record counts by all that is in it', () => {
  const values = { profile: { fields: Array.from({ length: 1_000 }, (_, id) => ({ id })) } };
  const records = ['a', 'b'].map((key) => ({ key, values }));
  assert.deepEqual(partsOf({ records, deletedKeys: [] }, 10_000), [
    [1, 0],
    [1, 0],
  ]);
});

test('a text counts once for each object that it stands in', () => {
  const nested = Array.from({ length: 100 }).reduce((inner) => ({ a: inner }), 'x'.repeat(100));
  const records = ['a', 'b'].map((key) => ({ key, values: { profile: nested } }));
  assert.deepEqual(partsOf({ records, deletedKeys: [] }, 10_000), [
    [1, 0],
    [1, 0],
  ]);
});

test('what is to be deleted comes after all records, in transactions of its own where there is no room', () => {
  const deletedKeys = Array.from({ length: 250 }, (_, key) => `gone ${key}`);
  assert.deepEqual(partsOf({ records: recordsOf(30_000), deletedKeys }, 20_000), [
    [1, 0],
    [0, 100],
    [0, 100],
    [0, 50],
  ]);
  assert.deepEqual(partsOf({ records: recordsOf(1, 1), deletedKeys }, Infinity), [[2, 250]]);
});

test('of several records with one key the last counts', () => {
  const records = [
    { key: 'a', values: { text: 'old' } },
    { key: 'a', values: { text: 'new' } },
  ];
  const changes = changesOf({ records } as never);
  assert.deepEqual(changes, { records: [records[1]], deletedKeys: [] });
});
