import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countIn, pageWith, withPlaces } from './known-pages.ts';

const SYNC = { state: 'idle', as_of: null, complete: true, lag_seconds: null };
// A page may be empty and still lead to another.
const PAGES = withPlaces(
  [3, 1, 0, 2].map((count, index) => ({ cursor: String(index), count, next: null, sync: SYNC })),
);

test('every record is found on its page, whatever sizes pages have', () => {
  const places = Array.from({ length: countIn(PAGES) }, (_, index) => pageWith(PAGES, index));
  assert.deepEqual(
    places.map((page) => page?.cursor),
    ['0', '0', '0', '1', '3', '3'],
  );
});

test('there is no page with a record that nobody knows of', () => {
  assert.equal(pageWith(PAGES, 6), undefined);
  assert.equal(pageWith([], 0), undefined);
  assert.equal(countIn([]), 0);
});
