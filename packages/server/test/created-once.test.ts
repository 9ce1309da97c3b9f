import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { systemClock } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { openStore, StoreError, type Store } from '@patchbay/store';
import { openTestStore, sampleIntent, SHARED } from '@patchbay/store/testing';
import { makeLogger } from '../src/log.ts';
import { CallDeadline } from '../src/operations/call-deadline.ts';
import { CreatedOnce, type CreationCall } from '../src/operations/created-once.ts';
import { at, textAt } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  connectorBody,
  logIn,
  makeTestGround,
  MASTER_KEY,
  OPERATOR_KEY,
  startServiceOn,
  startTestService,
  useTestService,
  type TestGround,
  type TestService,
} from './support/start-test-service.ts';
import { until } from './support/until.ts';
import { vaultOf } from './support/vault-of.ts';

const APPLICATIONS = '/v1/applications';
const CONNECTORS = '/v1/integrations/connectors';

describe('what is created with an Idempotency-Key', async () => {
  const { running, token } = await useTestService();

  const create = (path: string, key: string, body?: unknown, as = OPERATOR_KEY) =>
    running.send('POST', path, { token: as, body, headers: { 'idempotency-key': key } });

  test('is created once, and told again byte for byte, secret and location included', async () => {
    const key = randomUUID();
    const first = await create(APPLICATIONS, key, { name: 'Once', rate_limit: 5 });
    assert.equal(first.status, 201, first.text);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const again = await create(APPLICATIONS, key, { rate_limit: 5, name: 'Once' });
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    const absent = { rate_limit: 5, name: 'Once', allowed_origins: null };
    assert.equal((await create(APPLICATIONS, key, absent)).text, first.text, 'null is absent');
    assertProblem(await create(APPLICATIONS, key, { name: 'Other' }), 'idempotency_key_reused');
    const named = (await running.store.applications.list()).filter(({ name }) => name === 'Once');
    assert.equal(named.length, 1);

    const secrets = `${APPLICATIONS}/${textAt(first, 'id')}/secrets`;
    // The same key, elsewhere, is another one.
    const secret = await create(secrets, key);
    assert.equal(secret.status, 201, secret.text);
    assert.equal((await create(secrets, key)).text, secret.text);
    assert.equal((await running.store.applications.secrets(textAt(first, 'id'))).length, 2);
  });

  test('is one, of many calls at once', async () => {
    const key = randomUUID();
    const body = connectorBody({ name: key });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create(CONNECTORS, key, body, token)),
    );
    const made = answers.filter(({ status }) => status === 201);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map(({ text }) => text)).size, 1);
    for (const answer of answers)
      if (answer.status !== 201) assertProblem(answer, 'idempotency_in_progress');
    const rows = await running.store.connectors.list({}, { limit: 1_000 });
    assert.equal(rows.filter(({ name }) => name === key).length, 1);
  });

  test('frees its key where it is refused', async () => {
    const key = randomUUID();
    assertProblem(await create(APPLICATIONS, key, { nam: 'x' }), 'invalid_request');
    assert.equal((await create(APPLICATIONS, key, { name: 'x' })).status, 201);
    const long = 'k'.repeat(256);
    assertProblem(await create(APPLICATIONS, long, { name: 'x' }), 'invalid_request');
  });

  test('is told to nobody else who has the same key and body', async () => {
    const key = randomUUID();
    const { external_user_id: _, ...body } = connectorBody();
    const also = `/api${CONNECTORS}`;
    const [alice, bob] = [await running.scopedToken('alice'), await running.scopedToken('bob')];
    const ofAlice = await create(also, key, body, alice);
    const ofBob = await create(also, key, body, bob);
    assert.deepEqual(
      [at(ofAlice, 'external_user_id'), at(ofBob, 'external_user_id')],
      ['alice', 'bob'],
    );
    assert.notEqual(at(ofAlice, 'id'), at(ofBob, 'id'));
    assert.equal((await create(also, key, body, alice)).text, ofAlice.text);
    // Nor to a token of the same user that is for other connectors.
    const connectorIds = [await running.connector(token, { external_user_id: 'alice' })];
    const narrow = await running.scopedToken('alice', { connectorIds });
    assertProblem(await create(also, key, body, narrow), 'forbidden');
  });
});

test(
  'is created once by two processes that are asked at once, and told by both',
  { skip: SHARED.skip },
  async () => {
    await using sandbox = await startSandbox();
    const place = await SHARED.makeMigrated();
    try {
      await using firstStore = await openStore(place.options);
      await using secondStore = await openStore(place.options);
      await using first = await startServiceOn(groundOf(sandbox, firstStore));
      await using second = await startServiceOn(groundOf(sandbox, secondStore));
      for (let round = 0; round < 10; round++) {
        const key = randomUUID();
        const ask = ({ send }: Pick<typeof first, 'send'>) =>
          send('POST', APPLICATIONS, {
            token: OPERATOR_KEY,
            body: { name: key },
            headers: { 'idempotency-key': key },
          });
        const answers = await Promise.all([first, second, first, second].map(ask));
        const made = answers.filter(({ status }) => status === 201);
        for (const answer of answers)
          if (answer.status !== 201) assertProblem(answer, 'idempotency_in_progress');
        const later = [await ask(first), await ask(second)];
        for (const { headers } of later) assert.equal(headers.get('idempotent-replayed'), 'true');
        assert.equal(new Set([...made, ...later].map(({ text }) => text)).size, 1);
        const all = await firstStore.applications.list();
        assert.equal(all.filter(({ name }) => name === key).length, 1);
      }
    } finally {
      await place.remove();
    }
  },
);

/** A service whose store has been changed a little. */
async function startServiceWith(change: (store: Store) => Partial<Store>): Promise<TestService> {
  const ground = await makeTestGround();
  const store = { ...ground.store, ...change(ground.store) };
  const running = await startServiceOn({ ...ground, store });
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await ground[Symbol.asyncDispose]();
    },
  };
}

function silent(): Promise<never> {
  return Promise.reject(new StoreError('database_silent', 'no answer'));
}

test('what has been made is told, though the database answers nothing more', async () => {
  await using running = await startServiceWith((store) => ({
    syncs: { ...store.syncs, standings: silent },
    applications: { ...store.applications, secrets: silent },
  }));
  const token = await running.applicationToken();
  await running.connector(token);
  const made = await running.send('POST', APPLICATIONS, {
    token: OPERATOR_KEY,
    body: { name: 'Made' },
  });
  assert.equal(made.status, 201, made.text);
  const login = {
    clientId: textAt(made, 'client_id'),
    clientSecret: textAt(made, 'client_secret'),
  };
  assert.notEqual(await logIn(running.send, login), '');
});

test('what the database may have made is told as unknown, and what it surely did not frees its key', async () => {
  const troubles: StoreError[] = [];
  await using running = await startServiceWith((store) => ({
    connectors: {
      ...store.connectors,
      create: async (...asked) => {
        const trouble = troubles.shift();
        if (trouble !== undefined) throw trouble;
        return store.connectors.create(...asked);
      },
    },
  }));
  const token = await running.applicationToken();
  const create = (headers: Readonly<Record<string, string>>) =>
    running.send('POST', CONNECTORS, { token, body: connectorBody(), headers });
  const keyed = { 'idempotency-key': randomUUID() };
  const unknown = new StoreError('database_silent', 'no answer');
  troubles.push(unknown);
  assertProblem(await create({}), 'write_outcome_unknown');
  const down = new StoreError('database_unreachable', 'refused', { didNothing: true });
  troubles.push(down, down);
  assertProblem(await create({}), 'not_ready');
  assertProblem(await create(keyed), 'not_ready');
  assert.equal((await create(keyed)).status, 201);
  const lost = { 'idempotency-key': randomUUID() };
  troubles.push(unknown);
  const first = await create(lost);
  assertProblem(first, 'write_outcome_unknown');
  assert.equal((await create(lost)).text, first.text);
  assert.equal((await running.store.connectors.list({}, { limit: 9 })).length, 1);
});

test('what has a key goes on when its client goes, who gets the answer when it comes back', async () => {
  await using running = await startTestService();
  const token = await running.applicationToken();
  const { sandbox, send, service } = running;
  const key = { 'idempotency-key': randomUUID() };
  const body = connectorBody({ verify: true });
  sandbox.faults.add({ kind: 'delay', delayMs: 500, times: 1 });
  const leaving = new AbortController();
  const asked = fetch(service.url + CONNECTORS, {
    method: 'POST',
    headers: { ...key, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  await until(() => sandbox.requests().length > 0);
  leaving.abort();
  await assert.rejects(asked);
  for (;;) {
    const answer = await send('POST', CONNECTORS, { token, body, headers: key });
    if (answer.status === 201) break;
    assertProblem(answer, 'idempotency_in_progress');
  }
  assert.equal((await running.store.connectors.list({}, { limit: 9 })).length, 1);
});

test('what a process that died began has an unknown outcome, for good; what is kept is sealed', async () => {
  await using store = await openTestStore();
  const logger = makeLogger({ level: 'silent' });
  const vault = vaultOf(MASTER_KEY);
  const onceOf = (instanceId: string) => new CreatedOnce({ store, vault, instanceId, logger });
  const body = '{"client_secret":"a-secret-that-is-told"}';
  const begun = Promise.withResolvers<void>();
  const never = onceOf('dead').run(callWith('lost'), () => {
    begun.resolve();
    return new Promise(() => undefined);
  });
  await begun.promise;
  const makeAgain = () => Promise.resolve({ status: 201, body });
  const alive = onceOf('alive');
  const unknown = await alive.run(callWith('lost'), makeAgain);
  assert.deepEqual([unknown.answer.status, unknown.isReplayed], [504, true]);
  assert.deepEqual(await onceOf('another').run(callWith('lost'), makeAgain), unknown);

  const made = await alive.run(callWith('made'), makeAgain);
  assert.deepEqual(made, { answer: { status: 201, body }, isReplayed: false });
  const told = await onceOf('another').run(callWith('made'), () =>
    never.then(({ answer }) => answer),
  );
  assert.deepEqual(told, { answer: { status: 201, body }, isReplayed: true });
  const dump = JSON.stringify(await store.query('select * from patchbay.creations'));
  assert.ok(!dump.includes('a-secret'), dump);
});

test('creations keep the first answer, forget what is released, and go after a day', async () => {
  await using store = await openTestStore();
  const { creations } = store;
  const intent = sampleIntent({ scope: 's', key: 'k' });
  assert.equal(await creations.begin(intent), undefined);
  await creations.release(intent);
  assert.equal(await creations.begin(intent), undefined);
  await creations.finish(intent, { status: 201, body: 'first' });
  await creations.finish(intent, { status: 500, body: 'second' });
  await creations.release(intent);
  assert.deepEqual((await creations.begin(intent))?.answer, { status: 201, body: 'first' });
  await store.query(`update patchbay.creations set created_at = now() - interval '25 hours'`);
  assert.equal(await creations.begin(intent), undefined);
  assert.equal(await creations.deleteOlderThan(24 * 3_600_000, 100), 0);
  await store.query(`update patchbay.creations set created_at = now() - interval '25 hours'`);
  assert.equal(await creations.deleteOlderThan(24 * 3_600_000, 100), 1);
});

function groundOf(sandbox: Sandbox, store: Store): TestGround {
  return { sandbox, store, dataFolder: '', [Symbol.asyncDispose]: () => Promise.resolve() };
}

function callWith(key: string): CreationCall {
  return {
    caller: 'operator',
    route: 'POST /v1/things',
    key,
    request: { credentials: 'a-secret-that-was-given' },
    deadline: new CallDeadline(systemClock),
    renderError: (error) => ({ status: 504, body: JSON.stringify(error) }),
  };
}

test('what has been made is kept, though the key that seals it cannot be looked up any more', async () => {
  await using store = await openTestStore();
  let isDown = false;
  const down = new StoreError('database_unreachable', 'refused', { didNothing: true });
  const vault = vaultOf(MASTER_KEY, (key) => (isDown ? Promise.reject(down) : key));
  const logger = makeLogger({ level: 'silent' });
  const once = new CreatedOnce({ store, vault, instanceId: 'one', logger });
  let made = 0;
  const create = () => {
    isDown = true;
    made += 1;
    return Promise.resolve({ status: 201, body: JSON.stringify({ id: made }) });
  };
  const first = await once.run(callWith('made'), create);
  isDown = false;
  const again = await once.run(callWith('made'), create);
  assert.deepEqual(again, { answer: first.answer, isReplayed: true });
  assert.equal(made, 1);

  isDown = true;
  await assert.rejects(once.run(callWith('not made'), create), down);
  isDown = false;
  assert.equal((await once.run(callWith('not made'), create)).answer.status, 201);
});
