import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLines } from './json-lines.ts';

test('what would turn the direction of a line is escaped, and the JSON stays the same', () => {
  const value = { '\u202ename': 'a\u2066b\u007f\nc' };
  const { lines, longest } = jsonLines(value);
  const line = String.raw`  "\u202ename": "a\u2066b\u007f\nc"`;
  assert.deepEqual(lines, ['{', line, '}']);
  assert.equal(longest, line.length);
  assert.deepEqual(JSON.parse(lines.join('')), value);
});
