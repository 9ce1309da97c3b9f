import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUuid } from './uuid.ts';

const ID = '01939e6c-5f00-7abc-8def-0123456789ab';

test('ids have the usual form of UUIDs, in either case', () => {
  for (const id of [ID, ID.toUpperCase()]) assert.ok(isUuid(id));
});

test('what is no UUID is none', () => {
  for (const text of ['', 'x', ID.slice(1), `${ID} `, `{${ID}}`, '0'.repeat(36)])
    assert.ok(!isUuid(text));
});
