import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { queryOnce } from '@patchbay/store/testing';
import { renewCredentials, rowOf } from '../support/renew.ts';
import {
  DATABASE,
  makeReplicationGround,
  poll,
  startReplicating,
  upstreamsOf,
  type ReplicatingService,
  type ReplicationGround,
} from './support/replicating.ts';
import { startProxy, type TamperingProxy } from './support/tampering-proxy.ts';

const KIND = 'customer-messaging';
const GIVEN = { access_token: 'given' };
/** Pages of contacts are of 150, so there are two. */
const SCALE = 160;

describe(`credentials that stay the same, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  let ground: ReplicationGround;
  let proxy: TamperingProxy;
  let running: ReplicatingService;
  before(async () => {
    ground = await makeReplicationGround(DATABASE, { scale: SCALE });
    proxy = await startProxy(ground.sandbox.urls.intercom);
    const upstreams = {
      ...upstreamsOf(ground.sandbox),
      [KIND]: { baseUrl: proxy.url, limits: 'reactive' as const },
    };
    running = await startReplicating(ground, { upstreams });
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  test('renewed under a running sync, they neither end it nor have anything read anew', async () => {
    const go = Promise.withResolvers<void>();
    const tokens: string[] = [];
    proxy.tamper = async ({ url, authorization }, answer) => {
      if (!url.pathname.endsWith('/contacts') || !url.searchParams.has('starting_after'))
        return answer();
      tokens.push(authorization);
      await go.promise;
      // The attempt that was under way fails, so that there is another one.
      return authorization.endsWith('given') ? { status: 500, body: '{}' } : answer();
    };
    const id = await running.create(KIND, { credentials: GIVEN });
    await poll(() => Promise.resolve(tokens.length > 0 ? true : undefined));
    const { current } = await ground.store.syncs.runs(id);
    const renewed = await renewCredentials(ground.store, id, { access_token: 'renewed' });
    running.clock.advance(5_000);
    await aWatchHasLooked();
    go.resolve();
    const run = await running.settled(id);
    assert.deepEqual([run.id, run.state], [current?.id, 'succeeded']);
    assert.deepEqual(tokens, ['Bearer given', 'Bearer others', 'Bearer renewed']);

    const made = await running.entity(id, 'contacts');
    assert.equal((await running.sync(id)).state, 'succeeded');
    const { lastFullAt, definitionHash } = await running.entity(id, 'contacts');
    assert.deepEqual([lastFullAt, definitionHash], [made.lastFullAt, made.definitionHash]);
    await running.assertExact(id, KIND);
    assert.equal((await rowOf(ground.store, id)).sealedCredentials, renewed.sealedCredentials);
  });

  /** A pause is noticed by the next look, so by then other watches have looked as well. */
  const aWatchHasLooked = async () => {
    const id = await running.create(KIND, { credentials: { access_token: 'others' } });
    await poll(async () => (await running.entity(id, 'contacts')).progress?.pages);
    await running.patch(id, { paused: true });
    assert.equal((await running.settled(id)).state, 'cancelled');
  };

  test('given again to a connector of version 0.1, they leave a digest and nothing else', async () => {
    proxy.tamper = (_, answer) => answer();
    const id = await running.create(KIND, { credentials: GIVEN });
    const { id: lastRun } = await running.settled(id);
    await queryOnce(
      await ground.place.connection(),
      `update patchbay.connectors set credentials_digest = null, revision = revision + 1
      where id = $1`,
      [id],
    );
    const old = await rowOf(ground.store, id);
    await running.patch(id, { credentials: GIVEN });
    const row = await rowOf(ground.store, id);
    const { credentialsDigest, revision, updatedAt } = row;
    assert.deepEqual(row, { ...old, credentialsDigest, revision, updatedAt });
    assert.equal(revision, old.revision + 1);
    assert.match(credentialsDigest ?? '', /^[\w-]{43}$/);
    await running.patch(id, { credentials: GIVEN });
    assert.deepEqual(await rowOf(ground.store, id), row);
    const { current, last } = await ground.store.syncs.runs(id);
    assert.deepEqual([current, last?.id], [undefined, lastRun]);
  });
});
