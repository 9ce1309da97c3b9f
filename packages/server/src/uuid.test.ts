import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUuid } from '@patchbay/store';
import { newUuid } from './uuid.ts';

test('new ids are UUIDv7: unique, with the time in front', () => {
  const now = Date.UTC(2026, 10, 21);
  const ids = Array.from({ length: 5_000 }, () => newUuid(now));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) {
    assert.ok(isUuid(id));
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), now);
  }
  assert.ok(newUuid(now) < newUuid(now + 1));
});
