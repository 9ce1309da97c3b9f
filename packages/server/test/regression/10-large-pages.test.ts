import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchHit, Store } from '@patchbay/store';
import { copiedUser, copyByHand } from '../support/hand-sync.ts';
import { makeTestGround, startServiceOn } from '../support/start-test-service.ts';

const HITS = 10_000;
const TITLE = 'é'.repeat(1_500);
const SEARCH = { entity: 'users', action: 'search', params: { query: {}, limit: HITS } };

/** Counts the rounds of the event loop. */
function countRounds(): { readonly now: () => number; readonly end: () => void } {
  let round = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    round++;
    next = setImmediate(count);
  };
  count();
  return { now: () => round, end: () => clearImmediate(next) };
}

/** A store that finds a large page, and notes in which rounds of the event loop it is looked at. */
function findingMuch(store: Store) {
  const rounds = countRounds();
  const looks = new Map<number, number>();
  const data = JSON.stringify({ id: 'U1', title: TITLE });
  const hits = Array.from({ length: HITS }, (_, index): SearchHit => ({
    id: `U${index}`,
    score: 1,
    get data() {
      looks.set(rounds.now(), (looks.get(rounds.now()) ?? 0) + 1);
      return data;
    },
  }));
  const search: Store['copies']['search'] = () =>
    Promise.resolve({ hits, nextCursor: null, isPartial: false });
  return { store: { ...store, copies: { ...store.copies, search } }, looks, end: rounds.end };
}

test('others have their turns while a large page is put into words', async () => {
  await using ground = await makeTestGround();
  const { store, looks, end } = findingMuch(ground.store);
  await using running = await startServiceOn({ ...ground, store });
  const token = await running.applicationToken();
  const id = await running.connector(token);
  await copyByHand(ground.store, id, 'users', [copiedUser('U1')]);
  const answer = await running.execute(token, id, SEARCH);
  end();
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)));
  const { result } = JSON.parse(answer.text) as { result: { hits: { data: { title: string } }[] } };
  assert.equal(result.hits.length, HITS);
  assert.ok(result.hits.every(({ data }) => data.title === TITLE));
  // Each hit is looked at twice; what is made in one round takes some milliseconds.
  assert.ok(Math.max(...looks.values()) < HITS, `rounds: ${[...looks.values()].join(', ')}`);
});
