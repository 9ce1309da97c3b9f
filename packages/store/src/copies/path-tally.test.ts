import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { standardTables } from './copy-table.ts';
import { isObservable, MAX_PATHS, pathOfText, PathTally, typesOf } from './path-tally.ts';

const { columns } = standardTables().of({ kind: 'chat-workspace', entity: 'users' });
const at = columns.findIndex(({ field }) => field.name === 'profile');

const user = (profile: unknown) => columns.map((_, index) => (index === at ? profile : 'x'));

function tallyOf(profiles: readonly unknown[], counts = true): PathTally {
  const tally = new PathTally(columns);
  for (const profile of profiles) tally.add(user(profile), counts);
  return tally;
}

const seen = (tally: PathTally) =>
  tally.paths.map(({ text, types, records }) => [
    pathOfText(text).join(' '),
    typesOf(types).join(' '),
    records,
  ]);

describe('paths of records', () => {
  test('are counted once a record, with every type there is', () => {
    const tally = tallyOf([
      { email: 'a@b', n: 1 },
      { email: null, n: 1.5, 'a.b': [{ c: true }, { c: {} }, 7] },
      null,
      'text',
    ]);
    assert.deepEqual(seen(tally), [
      ['profile email', 'string null', 2],
      ['profile n', 'integer number', 2],
      ['profile a.b', 'array', 1],
      ['profile a.b []', 'integer object', 1],
      ['profile a.b [] c', 'boolean object', 1],
    ]);
    assert.deepEqual([tally.records, tally.hasAll], [4, true]);
  });

  test('are there, but do not count, where the record has been counted before', () => {
    const tally = tallyOf([{ email: 'a@b' }], false);
    assert.deepEqual(seen(tally), [['profile email', 'string', 0]]);
    assert.equal(tally.records, 0);
  });

  test('are so many at most, and it is known that there were more', () => {
    const hostile = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`key ${index}`, { below: index }]),
    );
    const tally = tallyOf([hostile, { email: 'a@b' }]);
    assert.equal(tally.paths.length, MAX_PATHS);
    assert.equal(tally.hasAll, false);
  });

  test('that are too deep or too long are not observed, and nothing is missing for that', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 40; level++) deep = { a: deep };
    const tally = tallyOf([{ deep, ['x'.repeat(2_000)]: { y: 1 }, ['é'.repeat(600)]: 1, z: 1 }]);
    assert.equal(tally.hasAll, true);
    assert.equal(tally.paths.length, 12);
    for (const { text } of tally.paths) assert.equal(isObservable(pathOfText(text)), true);
    assert.equal(isObservable(Array.from({ length: 13 }, () => 'a')), false);
    assert.equal(isObservable(['profile', 'é'.repeat(600)]), false);
    assert.equal(isObservable(['profile']), false);
  });

  test('include every member of any JSON that a filter could name', () => {
    const membersOf = (value: unknown, above: readonly string[]): readonly string[] =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? []
        : Object.entries(value).flatMap(([name, member]) => [
            JSON.stringify([...above, name]),
            ...membersOf(member, [...above, name]),
          ]);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (profile) => {
        const texts = new Set(tallyOf([profile]).paths.map(({ text }) => text));
        const named = membersOf(profile, ['profile']).filter((text) =>
          isObservable(pathOfText(text)),
        );
        assert.deepEqual(
          named.filter((text) => !texts.has(text)),
          [],
        );
      }),
    );
  });
});
