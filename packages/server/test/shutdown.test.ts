import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import { openTestStore } from '@patchbay/store/testing';
import { ServiceError, startService } from '../src/index.ts';
import { contractOf } from './support/contract.ts';
import { makeClient } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  countOf,
  logIn,
  makeTestGround,
  MASTER_KEY,
  someChannel,
  startServiceOn,
  type OpenGround,
  type TestService,
} from './support/start-test-service.ts';
import { until } from './support/until.ts';
import { TELLS_WAITING, untilOneWaits } from './support/waiting-turns.ts';

function messageTo(channel: string) {
  return { entity: 'messages', action: 'create', params: { channel, text: 'hello' } };
}

const LOGIN = '/api/v1/account/applications/token';

/** The client of no application. */
const NOBODY = 'client-of-nobody';

const USERS = { entity: 'users', action: 'list', params: { limit: 1 } };

describe('starting and stopping', () => {
  let ground: OpenGround;
  before(async () => {
    ground = await makeTestGround();
  });
  after(() => ground[Symbol.asyncDispose]());

  test('a shutdown lets calls under way finish, and takes no new ones', async () => {
    await using running = await startServiceOn(ground);
    const token = await running.applicationToken();
    const id = await running.connector(token);
    const hang = running.sandbox.faults.add({ kind: 'hang' });
    const call = running.execute(token, id, USERS);
    await hang.whenHit();
    const closed = running.service.close();
    await assert.rejects(running.send('GET', '/healthz'));
    hang.release();
    const answer = await call;
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('connection'), 'close');
    await closed;
    assert.ok(running.log.lines().some((line) => line['msg'] === 'listening'));
  });

  test('calls that take too long end as not_ready', async () => {
    await using running = await startServiceOn(ground, { shutdownGraceMs: 20 });
    const token = await running.applicationToken();
    const id = await running.connector(token);
    const hang = running.sandbox.faults.add({ kind: 'hang' });
    const call = running.execute(token, id, USERS);
    await hang.whenHit();
    await running.service.close();
    assertProblem(await call, 'not_ready');
    hang.release();
  });

  test('calls that wait for their turn still end as not_ready, too, with a token and without', async () => {
    const held = Promise.withResolvers<void>();
    const { applications } = ground.store;
    const findLogin = async (clientId: string) => {
      if (clientId === NOBODY) await held.promise;
      return await applications.findLogin(clientId);
    };
    const store = { ...ground.store, applications: { ...applications, findLogin } };
    const limits = { callsOfApplication: 1, callsOfApplicationWhenBusy: 1 };
    const options = { ...TELLS_WAITING, limits, shutdownGraceMs: 20 };
    await using running = await startServiceOn({ ...ground, store }, options);
    const token = await running.applicationToken();
    const id = await running.connector(token);
    const hang = running.sandbox.faults.add({ kind: 'hang' });
    const call = running.execute(token, id, USERS);
    await hang.whenHit();
    const waitingCall = running.execute(token, id, USERS);
    const logins = [1, 2].map(() =>
      running.send('POST', LOGIN, { body: { client_id: NOBODY, client_secret: 'x'.repeat(40) } }),
    );
    await untilOneWaits(running, 'calls');
    await untilOneWaits(running, 'strangers');
    const closed = running.service.close();
    const answers = await Promise.allSettled([call, waitingCall, Promise.any(logins)]);
    held.resolve();
    hang.release();
    await closed;
    await Promise.allSettled(logins);
    for (const answer of answers) {
      assert.ok(answer.status === 'fulfilled', 'its connection was cut');
      assertProblem(answer.value, 'not_ready');
    }
  });

  test('writes that wait for their budget were not sent, and their keys are free', async () => {
    const { sandbox } = ground;
    await using running = await startServiceOn(ground, { shutdownGraceMs: 500 });
    const token = await running.applicationToken();
    const id = await running.connector(token);
    const channel = await someChannel(running, token, id);
    const method = 'chat.postMessage';
    const write = (service: TestService, key: string, as: string) =>
      service.execute(as, id, messageTo(channel), { 'idempotency-key': key });
    sandbox.faults.add({ kind: 'rateLimit', method, retryAfterSeconds: 30, times: 1 });
    const refused = write(running, 'refused', token);
    await until(() => countOf(sandbox, method) === 1);
    const unsent = write(running, 'unsent', token);
    const intents = () => ground.query('select key from patchbay.idempotency_keys');
    while ((await intents()).length < 2) await wait(1);
    await running.service.close();
    for (const answer of [await refused, await unsent]) assertProblem(answer, 'not_ready');
    assert.equal(countOf(sandbox, method), 1);
    await using next = await startServiceOn(ground);
    const { clientId, clientSecret } = running.client;
    const nextToken = await logIn(next.send, { clientId, clientSecret });
    for (const key of ['refused', 'unsent']) {
      const answer = await write(next, key, nextToken);
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test('a service that drains answers on, says that it is going, and keeps no connection', async () => {
    const drainMs = 3_600_000;
    const drains: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      after: (ms, callback) => {
        if (ms !== drainMs) return systemClock.after(ms, callback);
        drains.push(callback);
        return () => undefined;
      },
    };
    await using running = await startServiceOn(ground, { drainMs, clock });
    const token = await running.applicationToken();
    const id = await running.connector(token);
    const closed = running.service.close();
    assertProblem(await running.send('GET', '/readyz'), 'not_ready');
    const answer = await running.execute(token, id, USERS);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('connection'), 'close');
    for (const end of drains) end();
    await closed;
    await assert.rejects(running.send('GET', '/healthz'));
  });

  test('closing twice is closing once', async () => {
    await using running = await startServiceOn(ground);
    await Promise.all([running.service.close(), running.service.close()]);
    await assert.rejects(running.send('GET', '/healthz'));
    await running.service.close();
  });

  test('a wrong master key is refused at start', async () => {
    await using running = await startServiceOn(ground);
    await assert.rejects(
      startService({
        store: running.store,
        masterKey: new Uint8Array(32).fill(8),
        port: 0,
        role: 'api',
      }),
      (error) => error instanceof ServiceError && error.code === 'master_key_wrong',
    );
    const again = await startService({
      store: running.store,
      masterKey: MASTER_KEY,
      port: 0,
      logger: { level: 'silent' },
      role: 'api',
    });
    await again.close();
  });

  test('a start that fails once it has signed on signs off again', async () => {
    const { instances, settings } = ground.store;
    const signedOff: string[] = [];
    let hasBegun = false;
    const store = {
      ...ground.store,
      instances: {
        ...instances,
        beat: async (...given: Parameters<typeof instances.beat>) => {
          hasBegun = true;
          return await instances.beat(...given);
        },
        remove: async (id: string) => {
          signedOff.push(id);
          await instances.remove(id);
        },
      },
      settings: {
        ...settings,
        get: async (name: Parameters<typeof settings.get>[0]) => {
          if (hasBegun) throw new Error('the database is away');
          return await settings.get(name);
        },
      },
    };
    await assert.rejects(startServiceOn({ ...ground, store }), { message: 'the database is away' });
    assert.equal(signedOff.length, 1);
  });

  test('a port that is taken is named', async () => {
    const { store } = ground;
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    assert.ok(typeof address === 'object' && address !== null);
    await assert.rejects(
      startService({
        store,
        masterKey: MASTER_KEY,
        port: address.port,
        logger: { level: 'silent' },
        role: 'api',
      }),
      (error) =>
        error instanceof ServiceError &&
        error.code === 'address_unusable' &&
        error.message.includes(String(address.port)),
    );
    taken.close();
  });

  test('readyz asks the database, healthz does not', async () => {
    const store = await openTestStore();
    const service = await startService({
      store,
      masterKey: MASTER_KEY,
      port: 0,
      logger: { level: 'silent' },
      role: 'api',
    });
    const send = makeClient(service.url, contractOf(service.routes));
    assert.equal((await send('GET', '/readyz')).status, 200);
    await store.close();
    assertProblem(await send('GET', '/readyz'), 'not_ready');
    assert.equal((await send('GET', '/healthz')).status, 200);
    await service.close();
  });

  test('readyz says yes only once everything that the start promises is done', async () => {
    await using store = await openTestStore();
    const client = { clientId: 'client-of-a-container', clientSecret: 'x'.repeat(40) };
    const login = { body: { client_id: client.clientId, client_secret: client.clientSecret } };
    const early: number[] = [];
    await using service = await startService({
      store,
      masterKey: MASTER_KEY,
      port: 0,
      logger: { level: 'silent' },
      role: 'api',
      prepare: async (started) => {
        const send = makeClient(started.url);
        for (const path of ['/healthz', '/readyz']) early.push((await send('GET', path)).status);
        early.push((await send('POST', LOGIN, login)).status);
        await started.ensureFirstApplication(client);
      },
    });
    assert.deepEqual(early, [200, 503, 401]);
    const send = makeClient(service.url);
    assert.equal((await send('GET', '/readyz')).status, 200);
    assert.equal((await send('POST', LOGIN, login)).status, 200);
  });
});
