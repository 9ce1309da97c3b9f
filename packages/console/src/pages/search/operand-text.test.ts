import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operandOf, textOfOperand } from './operand-text.ts';

test('what is shown is read as the same again', () => {
  for (const [value, operator, type, text] of [
    ['12', 'eq', 'string', '12'],
    [12, 'eq', 'integer', '12'],
    ['12', 'eq', undefined, '"12"'],
    ['gold', 'eq', undefined, 'gold'],
    [true, 'eq', 'boolean', 'true'],
    [{ a: [1] }, 'eq', 'object', '{"a":[1]}'],
    ['true', 'like', 'object', 'true'],
    [['a', 'b'], 'in', 'string', 'a, b'],
    [['a,b', 'c'], 'in', 'string', '["a,b","c"]'],
    [[1, 2], 'in', 'integer', '1, 2'],
    [['1', 2], 'in', undefined, '"1", 2'],
    [[null, 1], 'in', undefined, '[null,1]'],
    [[], 'in', 'string', ''],
  ] as const) {
    assert.equal(textOfOperand(value, operator, type), text);
    assert.deepEqual(operandOf(text, operator, type), value);
  }
});
