import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Found } from '../operations/outcome.ts';
import { foundPage } from './found-page.ts';

function found(data: readonly string[]): Found {
  const hits = data.map((each, index) => ({ id: `${index}`, score: 1, data: each }));
  return {
    page: { hits, nextCursor: null, isPartial: false },
    sync: { state: 'idle', as_of: null, complete: true, lag_seconds: null },
    lastFullAt: null,
    tookMs: 1,
    warnings: [],
  };
}

test('hits that nobody looks at cost nothing', () => {
  const { hits } = foundPage(found(['{"name":"a"}', 'never read']));
  assert.equal(hits.length, 2);
  assert.deepEqual(hits[0]?.data, { name: 'a' });
  assert.throws(() => hits[1]?.data, SyntaxError);
});

test('hits are written as they are', () => {
  const { hits } = foundPage(found(['{"name":"a"}']));
  const written = { id: '0', score: 1, data: { name: 'a' } };
  assert.equal(JSON.stringify(hits), JSON.stringify([written]));
  assert.deepEqual({ ...hits[0] }, written);
});
