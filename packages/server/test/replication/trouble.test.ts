import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { findKind } from '@patchbay/connectors/engine';
import { assertCopies, readUpstream } from './support/expected-copies.ts';
import { assertProblem } from '../support/problem.ts';
import { makeHurriedClock } from './support/hurried-clock.ts';
import {
  accountOf,
  DATABASE,
  makeReplicationGround,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
  upstreamsOf,
} from './support/replicating.ts';
import { startProxy, type TamperingProxy } from './support/tampering-proxy.ts';

const KIND = 'customer-messaging';
const REFUSED = { status: 503, body: '{}' };

/** Pages of contacts are of 150, so there are two. */
const SCALE = 160;

describe('an upstream in trouble', () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  let proxy: TamperingProxy;
  before(async () => {
    ground = await makeReplicationGround(DATABASE, { scale: SCALE });
    proxy = await startProxy(ground.sandbox.urls.intercom);
    running = await startReplicating(ground, {
      upstreams: { ...upstreamsOf(ground.sandbox), [KIND]: { baseUrl: proxy.url } },
      clock: makeHurriedClock(50),
      // By the hurried clock: a busy machine must not wear it out.
      replication: { leaseTtlMs: 60_000, lookEveryMs: 5_000, patienceMs: 300_000 },
    });
  });
  afterEach(() => {
    ground.sandbox.faults.clear();
    proxy.tamper = (_, answer) => answer();
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  /** Answers the pages of contacts behind the first one with something else. */
  const spoilLaterPages = (spoil: () => { status: number; body: string }) => {
    proxy.tamper = ({ url }, answer) =>
      url.pathname.endsWith('/contacts') && url.searchParams.has('starting_after')
        ? Promise.resolve(spoil())
        : answer();
  };

  for (const fault of [
    { kind: 'rateLimit', retryAfterSeconds: 1, times: 25 },
    { kind: 'serverError', times: 25 },
    { kind: 'cutConnection', times: 25 },
    { kind: 'truncate', how: 'connection', skip: 2, times: 25 },
  ] as const)
    test(`a sync outlasts a storm of ${fault.kind}`, async () => {
      const handle = ground.sandbox.faults.add(fault);
      const id = await running.create(KIND);
      const run = await running.settled(id);
      assert.equal(run.state, 'succeeded');
      assert.equal(handle.hits, 25);
      await running.assertExact(id, KIND);
    });

  test('trouble that outlasts patience fails the entity alone; the next run goes on with its page', async () => {
    spoilLaterPages(() => REFUSED);
    const id = await running.create(KIND);
    const failed = await running.settled(id);
    assert.equal(failed.state, 'failed');
    assert.equal(await running.status(id), 'degraded');
    const contacts = await running.entity(id, 'contacts');
    assert.deepEqual(failed.problem, { ...contacts.problem, entity: 'contacts' });
    assert.equal(contacts.state, 'failed');
    assert.equal(contacts.problem?.code, 'upstream_unavailable');
    assert.equal(contacts.progress?.pages, 1);
    assert.equal((await running.copy(id, KIND, 'contacts')).size, 150);
    assert.equal((await running.entity(id, 'companies')).isComplete, true);
    const asked: (string | null)[] = [];
    proxy.tamper = ({ url }, answer) => {
      if (url.pathname.endsWith('/contacts')) asked.push(url.searchParams.get('starting_after'));
      return answer();
    };
    const mended = await running.sync(id);
    assert.deepEqual([mended.state, mended.problem], ['succeeded', null]);
    assert.equal(await running.status(id), 'active');
    assert.ok(asked[0] !== null, 'the list began anew');
    await running.assertExact(id, KIND);
  });

  for (const [what, fault] of [
    ['a repeated cursor', { kind: 'repeatCursor', method: 'GET /contacts' }],
    ['a page of HTML', { kind: 'htmlBody', method: 'GET /contacts', skip: 1 }],
    ['half a page of JSON', { kind: 'truncate', how: 'json', method: 'GET /contacts', skip: 1 }],
  ] as const)
    test(`${what} fails the entity, deletes nothing, and the next run reads the list from its beginning`, async () => {
      const id = await running.create(KIND);
      assert.equal((await running.settled(id)).state, 'succeeded');
      const earlier = await running.copy(id, KIND, 'contacts');
      // New settings have everything read in full anew.
      const handle = ground.sandbox.faults.add(fault);
      await running.patch(id, { replication_config: { start_date: '2020-01-01T00:00:00Z' } });
      assert.equal((await running.settled(id)).state, 'failed');
      assert.ok(handle.hits > 0);
      const contacts = await running.entity(id, 'contacts');
      assert.equal(contacts.problem?.code, 'upstream_contract_broken');
      assert.equal(contacts.isComplete, true);
      assert.deepEqual(await running.copy(id, KIND, 'contacts'), earlier);
      handle.release();
      const asked: (string | null)[] = [];
      proxy.tamper = ({ url }, answer) => {
        if (url.pathname.endsWith('/contacts')) asked.push(url.searchParams.get('starting_after'));
        return answer();
      };
      assert.equal((await running.sync(id)).state, 'succeeded');
      assert.equal(asked[0], null);
      assert.deepEqual(await running.copy(id, KIND, 'contacts'), earlier);
    });

  test('an entity whose first page is none is not searched as if it were empty', async () => {
    ground.sandbox.faults.add({ kind: 'htmlBody', method: 'GET /contacts' });
    const id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'failed');
    const contacts = await running.entity(id, 'contacts');
    assert.equal(contacts.problem?.code, 'upstream_contract_broken');
    const search = { entity: 'contacts', action: 'search', params: { query: {} } };
    assertProblem(
      await running.execute(await running.applicationToken(), id, search),
      'search_not_ready',
    );
  });

  test('a stored cursor that the upstream has forgotten begins the list anew', async () => {
    spoilLaterPages(() => REFUSED);
    const id = await running.create(KIND);
    await running.settled(id);
    let isForgotten = true;
    const statuses: number[] = [];
    proxy.tamper = async ({ url }, answer) => {
      const isLater = url.pathname.endsWith('/contacts') && url.searchParams.has('starting_after');
      if (isLater && isForgotten) url.searchParams.set('starting_after', 'forgotten');
      const answered = await answer();
      if (isLater && isForgotten) statuses.push(answered.status);
      isForgotten &&= !isLater;
      return answered;
    };
    assert.equal((await running.sync(id)).state, 'succeeded');
    assert.deepEqual(statuses, [400]);
    await running.assertExact(id, KIND);
  });

  test('NUL and lone surrogates in texts are replaced', async () => {
    proxy.tamper = async ({ url }, answer) => {
      const { status, body } = await answer();
      if (!url.pathname.endsWith('/contacts')) return { status, body };
      // As the upstream would write them in JSON.
      const spoilt = body.replaceAll('"name":"', String.raw`"name":"a\u0000b\ud83dc\udc00 `);
      return { status, body: spoilt };
    };
    const id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'succeeded');
    const contacts = [...(await running.copy(id, KIND, 'contacts')).values()];
    const named = contacts.filter(({ name }) => typeof name === 'string');
    assert.ok(named.length > 0);
    for (const { name } of named) assert.match(String(name), /^a\ufffdb\ufffdc\ufffd /);
    const expected = await readUpstream({ ...accountOf(KIND, ground.sandbox), baseUrl: proxy.url });
    await assertCopies(running.store, id, findKind(KIND), expected);
  });

  test('of a record that comes twice in one read, since it changed, the later one stays', async () => {
    const first = Promise.withResolvers<string>();
    proxy.tamper = async ({ url }, answer) => {
      const { status, body } = await answer();
      if (!url.pathname.endsWith('/contacts')) return { status, body };
      // As the upstream documents it.
      const page = JSON.parse(body) as { data: { id: string; name: string }[] };
      if (!url.searchParams.has('starting_after')) first.resolve(JSON.stringify(page.data[0]));
      else page.data.push({ ...(JSON.parse(await first.promise) as object), name: 'New' } as never);
      return { status, body: JSON.stringify(page) };
    };
    const id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'succeeded');
    const { id: contactId } = JSON.parse(await first.promise) as { id: string };
    const contacts = await running.copy(id, KIND, 'contacts');
    assert.equal(contacts.get(contactId)?.['name'], 'New');
  });
});
