import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnectorError } from '../errors.ts';
import {
  FruitlessPages,
  keyInWalk,
  MAX_EMPTY_PAGES,
  MAX_FRUITLESS_PAGES,
} from './fruitless-pages.ts';

type Keys = readonly (string | undefined)[];

/** How many pages of a list that never ends are taken; one more than `most` where all are. */
function pagesTaken(keysOf: (nth: number) => Keys, most = 3 * MAX_FRUITLESS_PAGES): number {
  const fruitless = new FruitlessPages();
  for (let nth = 1; nth <= most; nth += 1)
    try {
      fruitless.check(keysOf(nth), { displayName: 'Things', entity: 'things' });
    } catch (error) {
      assert.ok(isConnectorError(error, 'upstream_contract_broken'));
      return nth;
    }
  return most + 1;
}

const page = (size: number, from = 0): Keys =>
  Array.from({ length: size }, (_, nth) => `key-${from + nth}`);

/** Whether a page is the last one at which something new has to come. */
const isLate = (nth: number) => nth % MAX_FRUITLESS_PAGES === MAX_FRUITLESS_PAGES - 1;

test('a list that brings nothing new ends after a great many pages', () => {
  const most = MAX_FRUITLESS_PAGES;
  assert.equal(
    pagesTaken(() => ['a']),
    most + 1,
  );
  // Of every two, one counts.
  assert.equal(
    pagesTaken((nth) => (nth % 2 === 0 ? [] : ['a'])),
    2 * most + 1,
  );
  // The same ones over many pages, or many on one.
  assert.equal(
    pagesTaken((nth) => page(10, (nth % 50) * 10)),
    most + 50,
  );
  const large = page(2_500);
  assert.equal(
    pagesTaken(() => large, 1_001),
    most + 1,
  );
  assert.equal(
    pagesTaken(() => ['x'.repeat(1_000)]),
    most + 1,
  );
});

test('empty pages, of which small ones may be many, end a list later', () => {
  const most = MAX_EMPTY_PAGES;
  assert.equal(
    pagesTaken(() => [], most),
    most,
  );
  assert.equal(
    pagesTaken((nth) => (nth % (most - 1) === 0 ? [`new-${nth}`] : []), 2 * most),
    2 * most + 1,
  );
});

test('a list that brings something new now and then goes on', () => {
  const most = 3 * MAX_FRUITLESS_PAGES;
  for (const keysOf of [
    (nth: number) => page(3, nth),
    (nth: number) => (isLate(nth) ? [`new-${nth}`] : []),
    (nth: number) => (isLate(nth) ? ['a', `new-${nth}`] : ['a']),
    // Nobody knows whether they are new.
    () => [undefined],
  ])
    assert.equal(pagesTaken(keysOf, most), most + 1);
});

test('a record is told by the parts of its key that it has, or not at all', () => {
  assert.equal(keyInWalk(['id'], { id: 'a' }), 'a');
  assert.equal(keyInWalk(['params.channel', 'ts'], { ts: '1.2' }), '1.2');
  assert.equal(keyInWalk(['agent_id', 'start_time'], { agent_id: 1, start_time: 's' }), '1:s');
  assert.equal(keyInWalk(['agent_id', 'start_time'], { agent_id: 1 }), undefined);
  assert.equal(keyInWalk([], { id: 'a' }), undefined);
});
