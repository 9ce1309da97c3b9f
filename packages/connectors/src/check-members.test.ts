import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { checkMembers } from './check-members.ts';

const NAMES = {
  schema: Type.Array(Type.String(), { maxItems: 20_000 }),
  isRequired: false,
  expects: 'an array of names',
};

const codeOf = (names: unknown) =>
  checkMembers({ names: NAMES }, { names }, '').faults.map(({ errorCode }) => errorCode);

describe('an array that is wrong', () => {
  const right = Array.from({ length: 500 }, () => 'name');

  test('is of a wrong type by its first wrong element, wherever that is', () => {
    assert.deepEqual(codeOf([...right, 1, 'name']), ['wrong_type']);
    assert.deepEqual(codeOf('name'), ['wrong_type']);
    assert.deepEqual(codeOf({}), ['wrong_type']);
  });

  test('has a length out of range where all elements are right', () => {
    assert.deepEqual(codeOf(Array.from({ length: 20_001 }, () => 'name')), ['out_of_range']);
  });

  test('is looked at no further than to the first of them', () => {
    let looks = 0;
    const wrong = new Proxy(
      Array.from({ length: 15_500 }, () => 1),
      {
        get: (target, name, receiver) => {
          looks++;
          return Reflect.get(target, name, receiver) as unknown;
        },
      },
    );
    assert.deepEqual(codeOf(wrong), ['wrong_type']);
    assert.ok(looks < 100, `${looks} looks`);
  });
});
