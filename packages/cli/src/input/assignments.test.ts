import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collectAssignment, valuesOf } from './assignments.ts';

const SCHEMAS = {
  text: { type: 'string' },
  whole: { type: 'integer' },
  number: { type: 'number' },
  yes: { type: 'boolean' },
  word: { type: 'string', enum: ['a'] },
  list: { type: 'array' },
};

describe('name=value', () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ['text=5', '5'],
    ['text=a=b', 'a=b'],
    ['text=', ''],
    ['whole=5', 5],
    ['whole=-5', -5],
    // What does not read like its type stays a text: the service says what is wrong with it.
    ['whole=ten', 'ten'],
    ['whole=5.5', '5.5'],
    ['whole=9007199254740993', '9007199254740993'],
    ['whole=', ''],
    ['number=5.5', 5.5],
    ['number= ', ' '],
    ['yes=true', true],
    ['yes=false', false],
    ['yes=yes', 'yes'],
    ['word=a', 'a'],
    ['list=["a",1]', ['a', 1]],
    ['list=a', 'a'],
    ['unknown=5', '5'],
    ['toString=5', '5'],
  ];
  for (const [given, value] of rows)
    test(`${given} → ${JSON.stringify(value)}`, () => {
      const assignments = collectAssignment(given);
      assert.deepEqual(Object.values(valuesOf(assignments, SCHEMAS)), [value]);
    });

  test('needs a name, and each name once', () => {
    for (const given of ['', 'a', '=b'])
      assert.throws(() => collectAssignment(given), /of the form name=value/);
    const before = collectAssignment('a=1');
    assert.throws(() => collectAssignment('a=2', before), /a is given twice/);
    assert.equal(collectAssignment('b=2', before).length, 2);
  });
});
