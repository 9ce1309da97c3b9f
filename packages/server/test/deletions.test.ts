import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { poll } from './replication/support/replicating.ts';
import { giveInSession } from '../../console/test/support/give-in-session.ts';
import { makeSession } from './support/connect-page.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import {
  connectorBody,
  logIn,
  makeTestGround,
  OPERATOR_KEY,
  startServiceOn,
  startTestService,
  type TestGround,
  type TestService,
} from './support/start-test-service.ts';
import { until } from './support/until.ts';

const COLLECTION = '/v1/integrations/connectors';
const USER = 'Amélie / 1?';
const USERS = { entity: 'users', action: 'list', params: { limit: 1 } };

describe('what an external user has', () => {
  let ground: TestGround;
  let running: TestService;
  let token: string;
  let applicationId: string;
  before(async () => {
    ground = await makeTestGround();
    // Nobody clears by itself what is deleted here.
    running = await startServiceOn(ground);
    token = await running.applicationToken();
    const [first] = await ground.store.applications.list();
    applicationId = first?.id ?? '';
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  const remove = (user: string, query = '', as = token) =>
    running.send('DELETE', `/v1/external-users/${encodeURIComponent(user)}${query}`, { token: as });
  const job = (id: string, as = token) => running.send('GET', `/v1/jobs/${id}`, { token: as });
  const make = (user: string) => running.connector(token, { external_user_id: user });
  const clear = async (connectorId: string) => {
    // Of what a transaction has changed on two nodes of Citus, one shows it before the other.
    const found = await poll(async () =>
      (await ground.store.syncs.uncleared(1_000)).find((each) => each.connectorId === connectorId),
    );
    while (await ground.store.syncs.clearSome(found, 100));
  };

  test('goes in one call, and its job says what became of the copies', async () => {
    const mine = [await make(USER), await make(USER)] as const;
    const another = await make('another');
    for (const id of mine) await copyByHand(running.store, id, 'users', [copiedUser('U1')]);
    const answer = await remove(USER);
    assert.equal(answer.status, 202, answer.text);
    const jobId = textAt(answer, 'job_id');
    for (const id of mine)
      assertProblem(
        await running.send('GET', `${COLLECTION}/${id}`, { token }),
        'connector_not_found',
      );
    assert.equal((await running.send('GET', `${COLLECTION}/${another}`, { token })).status, 200);
    const told = async () => JSON.parse((await job(jobId.toUpperCase())).text) as unknown;
    const whole = { id: jobId, status: 'running', connectors: 2, connectors_left: 2 };
    assert.deepEqual(await told(), whole);
    await clear(mine[0]);
    assert.deepEqual(await told(), { ...whole, connectors_left: 1 });
    await clear(mine[1]);
    assert.deepEqual(await told(), { ...whole, status: 'succeeded', connectors_left: 0 });
    assertProblem(await remove(USER), 'external_user_not_found');
    assertProblem(await remove('nobody'), 'external_user_not_found');
  });

  test('goes with connect sessions that would make another connector, and what was given in them', async () => {
    const id = await make('invited');
    const session = (user: string) =>
      running.send('POST', '/v1/connect-sessions', { token, body: { external_user_id: user } });
    const [given, open, ofAnother] = [
      await session('invited'),
      await session('invited'),
      await session('another'),
    ];
    await giveInSession(running.service.url, textAt(given, 'connect_url'));
    assert.equal((await remove('invited')).status, 202);
    const sessionOf = (answer: TestAnswer) =>
      running.send('GET', `/v1/connect-sessions/${textAt(answer, 'id')}`, { token });
    for (const answer of [given, open])
      assertProblem(await sessionOf(answer), 'connect_session_not_found');
    assert.equal((await sessionOf(ofAnother)).status, 200);
    await assert.rejects(giveInSession(running.service.url, textAt(open, 'connect_url')));
    assertProblem(
      await running.send('GET', `${COLLECTION}/${id}`, { token }),
      'connector_not_found',
    );
    // Also of somebody who has no connector yet, though then there is no job to tell of.
    const early = await session('early');
    assertProblem(await remove('early'), 'external_user_not_found');
    assertProblem(await sessionOf(early), 'connect_session_not_found');
  });

  test('goes in a few statements however much it is, and again where a crash left some', async () => {
    const { store } = ground;
    const [row] = await store.connectors.list({ ids: [await make('busy')] }, { limit: 1 });
    assert.ok(row !== undefined);
    const { kind, name, config, replicationConfig, authMethod, sealedCredentials } = row;
    const credentials = { authMethod, sealedCredentials, credentialsDigest: 'digest' };
    const alike = { kind, name, config, replicationConfig, ...credentials };
    for (let made = 1; made < 150; made++) {
      const of = { id: randomUUID(), applicationId, externalUserId: 'busy' };
      await store.connectors.create({ ...alike, ...of });
    }
    let calls = 0;
    const deleteSome: typeof store.connectors.deleteSome = async (...asked) => {
      if (++calls === 2) throw new Error('a crash');
      return store.connectors.deleteSome(...asked);
    };
    const crashing = { ...store, connectors: { ...store.connectors, deleteSome } };
    await using beside = await startServiceOn({ ...ground, store: crashing });
    const path = '/v1/external-users/busy';
    assertProblem(await beside.send('DELETE', path, { token }), 'internal');
    const left = await store.connectors.list({ externalUserId: 'busy' }, { limit: 1_000 });
    assert.equal(left.length, 50);
    calls = 2;
    const again = await beside.send('DELETE', path, { token });
    assert.equal(again.status, 202, again.text);
    assert.equal(at(await job(textAt(again, 'job_id')), 'connectors'), 50);
    assert.equal(calls, 3);
    assertProblem(await remove('busy'), 'external_user_not_found');
  });

  test('of another application stays, and its jobs are nobody else’s', async () => {
    const other = await running.service.createApplication('other');
    const foreign = await logIn(running.send, other);
    await make('shared');
    assertProblem(await remove('shared', '', foreign), 'external_user_not_found');
    const query = `?application_id=${applicationId}`;
    assertProblem(await remove('shared', query, foreign), 'application_not_found');
    const jobId = textAt(await remove('shared'), 'job_id');
    assertProblem(await job(jobId, foreign), 'job_not_found');
    for (const none of [randomUUID(), 'no-uuid']) assertProblem(await job(none), 'job_not_found');
    assert.equal(at(await job(jobId, OPERATOR_KEY), 'connectors'), 1);
  });

  test('is deleted by the operator, who says whose user it is', async () => {
    await make('theirs');
    const unsaid = await remove('theirs', '', OPERATOR_KEY);
    assertProblem(unsaid, 'invalid_request');
    assert.deepEqual(faultFields(unsaid), ['application_id']);
    for (const none of [randomUUID(), 'no-uuid', '%00']) {
      const elsewhere = `?application_id=${none}`;
      assertProblem(await remove('theirs', elsewhere, OPERATOR_KEY), 'external_user_not_found');
    }
    const query = `?application_id=${applicationId}`;
    assert.equal((await remove('theirs', query, OPERATOR_KEY)).status, 202);
  });

  test('stays where the request is wrong', async () => {
    const id = await make('kept');
    const wrong = await remove('kept', '?revoke=no&force=1');
    assertProblem(wrong, 'invalid_request');
    assert.deepEqual(faultFields(wrong).toSorted(), ['force', 'revoke']);
    assertProblem(await remove('x'.repeat(4_097)), 'invalid_request');
    assertProblem(await remove('\0'), 'invalid_request');
    assert.equal((await running.send('GET', `${COLLECTION}/${id}`, { token })).status, 200);
  });

  test('of a deleted application is told by the job of that deletion', async () => {
    const given = await running.service.createApplication('to go');
    const theirs = await logIn(running.send, given);
    const [id, earlier, justNow] = [
      await running.connector(theirs),
      await running.connector(theirs),
      await running.connector(theirs),
    ];
    for (const gone of [earlier, justNow])
      await running.send('DELETE', `${COLLECTION}/${gone}`, { token: theirs });
    await clear(earlier);
    const path = `/v1/applications/${given.applicationId}`;
    const jobId = textAt(await running.send('DELETE', path, { token: OPERATOR_KEY }), 'job_id');
    const left = async () => at(await job(jobId, OPERATOR_KEY), 'connectors_left');
    // Of those deleted before only what is not cleared yet.
    assert.equal(await left(), 2);
    assertProblem(await job(jobId), 'job_not_found');
    await poll(async () => (await ground.store.connectors.find(id)) === undefined || undefined);
    await clear(id);
    assert.equal(await left(), 1);
    await clear(justNow);
    const whole = { id: jobId, status: 'succeeded', connectors: 1, connectors_left: 0 };
    assert.deepEqual(JSON.parse((await job(jobId, OPERATOR_KEY)).text), whole);
  });
});

for (const [end, isDeletion] of [
  ['its user is deleted', true],
  ['its application is revoked', false],
] as const)
  test(`a session that is being confirmed while ${end} connects nothing`, async () => {
    await using ground = await makeTestGround();
    const { store } = ground;
    let meanwhile: (() => Promise<unknown>) | undefined;
    const create: typeof store.connectors.create = async (...asked) => {
      await meanwhile?.();
      return store.connectors.create(...asked);
    };
    const slow = { ...ground, store: { ...store, connectors: { ...store.connectors, create } } };
    await using running = await startServiceOn(slow);
    const { send } = running;
    const token = await running.applicationToken();
    const [application] = await store.applications.list();
    const applicationId = application?.id ?? '';
    const earlier = await running.connector(token, { external_user_id: 'alice' });
    const { id, url } = await makeSession(running, token);
    await giveInSession(running.service.url, url);
    meanwhile = () =>
      isDeletion
        ? send('DELETE', '/v1/external-users/alice', { token })
        : store.applications.revoke(applicationId);
    const body = { external_user_id: 'alice' };
    const confirmed = await send('POST', `/v1/connect-sessions/${id}/confirm`, { token, body });
    assertProblem(confirmed, 'connect_session_not_found');
    const left = await store.connectors.list({ applicationId }, { limit: 10 });
    assert.deepEqual(
      left.map((each) => each.id),
      isDeletion ? [] : [earlier],
    );
  });

test('nothing is made with a token whose application is revoked meanwhile', async () => {
  await using ground = await makeTestGround();
  const { store } = ground;
  const create: typeof store.connectors.create = async (connector, ...rest) => {
    await store.applications.revoke(connector.applicationId);
    return store.connectors.create(connector, ...rest);
  };
  const slow = { ...ground, store: { ...store, connectors: { ...store.connectors, create } } };
  await using running = await startServiceOn(slow);
  const token = await running.applicationToken();
  const made = await running.send('POST', COLLECTION, { token, body: connectorBody() });
  assertProblem(made, 'unauthenticated');
  assert.deepEqual(await store.connectors.list({}, { limit: 10 }), []);
});

test('what has just been learnt of a connector does not bring it back once it is deleted', async () => {
  await using ground = await makeTestGround();
  const { connectors } = ground.store;
  const learnt = Promise.withResolvers<void>();
  const update: typeof connectors.update = async (id, change, conditions) => {
    const row = await connectors.update(id, change, conditions);
    if (change.account !== undefined) {
      const deleted = await running.send('DELETE', `${COLLECTION}/${id}`, { token });
      assert.ok(deleted.status < 300, deleted.text);
      learnt.resolve();
    }
    return row;
  };
  const store = { ...ground.store, connectors: { ...connectors, update } };
  await using running = await startServiceOn({ ...ground, store });
  const token = await running.applicationToken();
  const id = await running.connector(token);
  await running.execute(token, id, USERS);
  await learnt.promise;
  // Whoever takes over what was learnt has by then.
  await wait(50);
  assertProblem(await running.execute(token, id, USERS), 'connector_not_found');
});

test('a write that waits while its connector is deleted is not sent any more', async () => {
  await using running = await startTestService();
  const { sandbox, send } = running;
  const token = await running.applicationToken();
  const id = await running.connector(token);
  const method = 'chat.postMessage';
  sandbox.faults.add({ kind: 'rateLimit', retryAfterSeconds: 1, method, times: 1 });
  const sent = () => sandbox.requests().filter((request) => request.method === method).length;
  const params = { channel: 'C0001', text: 'too late' };
  const waiting = running.execute(token, id, { entity: 'messages', action: 'create', params });
  await until(() => sent() > 0);
  assert.ok((await send('DELETE', `${COLLECTION}/${id}`, { token })).status < 300);
  assertProblem(await waiting, 'credentials_rejected');
  assert.equal(sent(), 1);
});
