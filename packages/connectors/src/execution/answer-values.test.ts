import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hasMoreValues } from './answer-values.ts';

/** Members and elements at every depth; of a scalar none. Empty objects and arrays count as having one. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  return Math.max(1, parts.length) + parts.reduce((sum: number, part) => sum + countOf(part), 0);
}

test('values are counted, whatever stands in strings', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const count = countOf(value);
      assert.equal(hasMoreValues(bytes, count), false);
      if (count > 0) assert.equal(hasMoreValues(bytes, count - 1), true);
    }),
  );
});

test('a text that ends within a string has an end', () => {
  for (const text of ['["a', String.raw`["a\"`, '["'])
    assert.equal(hasMoreValues(Buffer.from(text), 1), false);
});

test('texts full of commas, brackets and quotes are single values', () => {
  const texts = ['7,'.repeat(1_000), '[{'.repeat(1_000), String.raw`\"`.repeat(1_000), '\\'];
  assert.equal(hasMoreValues(Buffer.from(JSON.stringify(texts)), texts.length), false);
});
