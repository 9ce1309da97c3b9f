import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '@patchbay/store';
import {
  DATABASE,
  makeReplicationGround,
  startReplicating,
  upstreamsOf,
} from '../replication/support/replicating.ts';
import { startProxy } from '../replication/support/tampering-proxy.ts';

const KIND = 'customer-messaging';
const LARGE = 100_000;
const COMMIT_MS = 200;

/** A store that takes its time for large records, and the most commits with such that there were at once. */
function slow(store: Store): { readonly store: Store; readonly mostAtOnce: () => number } {
  let atOnce = 0;
  let most = 0;
  const commitBatch: Store['syncs']['commitBatch'] = async (lease, batch) => {
    if (!batch.records.some(({ values }) => String(values['name']).length > LARGE))
      return store.syncs.commitBatch(lease, batch);
    most = Math.max(most, ++atOnce);
    try {
      await wait(COMMIT_MS);
      return await store.syncs.commitBatch(lease, batch);
    } finally {
      atOnce -= 1;
    }
  };
  return { store: { ...store, syncs: { ...store.syncs, commitBatch } }, mostAtOnce: () => most };
}

test('large pages of copies are in memory one after another, however many connectors read them', async () => {
  await using ground = await makeReplicationGround(DATABASE);
  await using proxy = await startProxy(ground.sandbox.urls.intercom);
  proxy.tamper = async ({ url }, answer) => {
    const { status, body } = await answer();
    if (!url.pathname.endsWith('/contacts')) return { status, body };
    return { status, body: body.replaceAll('"name":"', `"name":"${'x'.repeat(LARGE)}`) };
  };
  const { store, mostAtOnce } = slow(ground.store);
  await using running = await startReplicating(
    { ...ground, store },
    {
      upstreams: { ...upstreamsOf(ground.sandbox), [KIND]: { baseUrl: proxy.url } },
      replication: { largePages: 1 },
    },
  );
  const ids = [];
  for (let nth = 0; nth < 3; nth++)
    ids.push(await running.create(KIND, { credentials: { access_token: `large-${nth}` } }));
  for (const id of ids) {
    assert.equal((await running.settled(id)).state, 'succeeded');
    const contacts = await running.copy(id, KIND, 'contacts');
    assert.ok([...contacts.values()].some(({ name }) => String(name).length > LARGE));
  }
  assert.equal(mostAtOnce(), 1);
});

test(
  'those who have slots and those who have turns do not wait for each other',
  { timeout: 60_000 },
  async () => {
    await using ground = await makeReplicationGround(DATABASE);
    await using proxy = await startProxy(ground.sandbox.urls.intercom);
    proxy.tamper = async ({ url }, answer) => ({
      ...(await answer()),
      ...(url.pathname.endsWith('/contacts') ? { ahead: { bytes: 3 * 1024 ** 2, ms: 1_000 } } : {}),
    });
    await using running = await startReplicating(ground, {
      upstreams: { ...upstreamsOf(ground.sandbox), [KIND]: { baseUrl: proxy.url } },
      // Half of those that may rest are fewer than those that wait for the turn.
      replication: { largePages: 1, concurrency: 2, turnMs: 100 },
    });
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, nth) =>
        running.create(KIND, { credentials: { access_token: `slow-${nth}` } }),
      ),
    );
    for (const id of ids) assert.equal((await running.settled(id)).state, 'succeeded');
  },
);
