import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText } from './cell-text.ts';

test('texts are shown as they are, on one line, and everything else as JSON', () => {
  assert.equal(cellText('a\n  b'), 'a b');
  assert.equal(cellText(null), '');
  assert.equal(cellText(undefined), '');
  assert.equal(cellText(false), 'false');
  assert.equal(cellText(1.5), '1.5');
  assert.equal(cellText({ a: [1, 'x"', null], b: {} }), '{"a":[1,"x\\"",null],"b":{}}');
});

test('what is long is cut, and of what is huge only the beginning is written', () => {
  assert.equal(cellText('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(cellText('x'.repeat(201)), `${'x'.repeat(200)}…`);
  let written = 0;
  const huge = Array.from({ length: 100_000 }, () => ({
    get value() {
      written++;
      return 'some text';
    },
  }));
  assert.equal(cellText(huge).length, 201);
  assert.ok(written < 100, `${written} members were written`);
});
