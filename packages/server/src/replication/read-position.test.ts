import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEGINNING, parsePosition } from './read-position.ts';

test('a position that was stored comes back', () => {
  const refused = [{ id: 'c' }];
  const list = { page: 3 };
  const position = {
    ...BEGINNING,
    after: 'a',
    parent: 'b',
    list,
    hasRead: true,
    refused,
    whole: ['b'],
    hiddenAt: '2026-01-02T03:04:05.678Z',
  };
  assert.deepEqual(parsePosition(JSON.parse(JSON.stringify(position))), position);
});

test('what is no position is the beginning', () => {
  for (const stored of [
    null,
    undefined,
    7,
    'x',
    [],
    {},
    { after: 7 },
    { parent: {} },
    { hiddenAt: 'x' },
  ])
    assert.deepEqual(parsePosition(stored), BEGINNING);
});
