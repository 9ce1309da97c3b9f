import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { poll } from './replication/support/replicating.ts';
import { at, textAt } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import {
  logIn,
  makeTestGround,
  OPERATOR_KEY,
  startServiceOn,
  startTestService,
  useTestService,
} from './support/start-test-service.ts';

const PATH = '/v1/applications';
const token = OPERATOR_KEY;

describe('applications', async () => {
  const { running, token: ownToken } = await useTestService();
  const { send, clock } = running;

  const make = async (body: object = { name: 'Made' }) => {
    const answer = await send('POST', PATH, { token, body });
    assert.equal(answer.status, 201, answer.text);
    const clientId = textAt(answer, 'client_id');
    const clientSecret = textAt(answer, 'client_secret');
    return { id: textAt(answer, 'id'), answer, clientId, clientSecret };
  };

  const untilGone = async (connectorId: string) => {
    while ((await running.store.connectors.find(connectorId)) !== undefined)
      await new Promise((resolve) => setImmediate(resolve));
  };

  const list = (key: string) => send('GET', PATH, { token: key });

  const tryLogIn = (clientId: string, clientSecret: string) =>
    send('POST', '/api/v1/account/applications/token', {
      body: { client_id: clientId, client_secret: clientSecret },
    });

  test('are made by the operator, and log in with the secret that is told once', async () => {
    const { id, answer, ...client } = await make({
      name: 'Support agent',
      allowed_origins: ['HTTPS://App.example.com:443', 'https://app.example.com'],
      allowed_return_urls: ['https://app.example.com/connected', 'http://localhost:3000/back'],
      rate_limit: 5,
    });
    assert.equal(answer.headers.get('location'), `${PATH}/${id}`);
    assert.partialDeepStrictEqual(answer.body, {
      name: 'Support agent',
      allowed_origins: ['https://app.example.com'],
      allowed_return_urls: ['https://app.example.com/connected', 'http://localhost:3000/back'],
      rate_limit: 5,
      revoked_at: null,
    });
    const own = await logIn(send, client);
    const read = await send('GET', `${PATH}/${id}`, { token: own });
    const { client_secret: _, ...expected } = answer.body as Record<string, unknown>;
    assert.deepEqual(read.body, expected);
    assert.ok(!read.text.includes(client.clientSecret));
    const dump = JSON.stringify(await running.store.applications.findLogin(client.clientId));
    assert.ok(!dump.includes(client.clientSecret));
  });

  test('have a rate limit of their own, which theirs alone is', async () => {
    const { id, ...client } = await make({ name: 'Limited', rate_limit: 3 });
    const limited = await logIn(send, client);
    const kinds = () => send('GET', '/api/v1/connector-kinds', { token: limited });
    assert.equal((await kinds()).headers.get('ratelimit-limit'), '3');
    await kinds();
    await kinds();
    assertProblem(await kinds(), 'rate_limited');
    const other = await send('GET', '/api/v1/connector-kinds', { token: ownToken });
    assert.equal(other.headers.get('ratelimit-limit'), null);
    const change = (body: object) => send('PATCH', `${PATH}/${id}`, { token, body });
    assert.equal(at(await change({ rate_limit: 100 }), 'rate_limit'), 100);
    assert.equal((await kinds()).status, 200);
    assert.equal(at(await change({ rate_limit: null }), 'rate_limit'), 100);
    assert.equal(at(await change({ rate_limit: 0 }), 'rate_limit'), null);
    assert.equal((await kinds()).headers.get('ratelimit-limit'), null);
  });

  test('are told every fault at once, each at its place', async () => {
    const body = {
      allowed_origins: ['https://app.example.com/path', 'http://app.example.com'],
      allowed_return_urls: [
        'https://a.example/#x',
        'https://a.example/?x=1',
        'https://u@a.example',
      ],
      rate_limit: -1,
      nam: 'x',
    };
    const answer = await send('POST', PATH, { token, body });
    assertProblem(answer, 'invalid_request');
    assert.deepEqual(faultFields(answer), [
      'allowed_origins.0',
      'allowed_origins.1',
      'allowed_return_urls.0',
      'allowed_return_urls.1',
      'allowed_return_urls.2',
      'nam',
      'name',
      'rate_limit',
    ]);
    for (const wrong of [
      { name: '' },
      { name: 'x\0' },
      { name: 'x\ny' },
      { name: 'x\u202e' },
      { name: 'x'.repeat(256) },
      { name: 5 },
      { name: 'x', allowed_origins: 'https://a.example' },
      { name: 'x', allowed_origins: [5] },
      { name: 'x', allowed_origins: Array<string>(101).fill('https://a.example') },
      { name: 'x', allowed_return_urls: [`https://a.example/${'x'.repeat(2_048)}`] },
      { name: 'x', rate_limit: 1.5 },
    ])
      assertProblem(await send('POST', PATH, { token, body: wrong }), 'invalid_request');
    assertProblem(await send('POST', PATH, { token }), 'malformed_json');
  });

  test('come page by page', async () => {
    const first = await send('GET', `${PATH}?limit=2`, { token });
    assert.equal((at(first, 'data') as unknown[]).length, 2);
    const all = new Set<unknown>();
    let query: string | undefined = '?limit=2';
    while (query !== undefined) {
      const page = await send('GET', PATH + query, { token });
      const data = at(page, 'data') as { readonly id: string }[];
      for (const { id } of data) {
        assert.ok(!all.has(id));
        all.add(id);
      }
      const next = at(page, 'next');
      query = typeof next === 'string' ? `?limit=2&cursor=${next}` : undefined;
    }
    assert.equal(all.size, (await running.store.applications.list()).length);
    assertProblem(await send('GET', `${PATH}?cursor=x`, { token }), 'invalid_cursor');
    assertProblem(await send('GET', `${PATH}?limit=0`, { token }), 'invalid_request');
    assertProblem(await send('GET', `${PATH}?name=x`, { token }), 'invalid_request');
  });

  test('read and change themselves alone, and not their rate limit', async () => {
    const one = await make();
    const another = await make();
    const own = await logIn(send, one);
    const path = `${PATH}/${one.id}`;
    const urls = ['https://app.example.com/back'];
    const changed = await send('PATCH', path, {
      token: own,
      body: { name: 'New', allowed_return_urls: urls },
    });
    assert.deepEqual([at(changed, 'name'), at(changed, 'allowed_return_urls')], ['New', urls]);
    assert.equal(
      (await send('GET', path.toUpperCase().replace('/V1/APPLICATIONS', PATH), { token: own }))
        .status,
      200,
    );
    assertProblem(await send('PATCH', path, { token: own, body: { rate_limit: 9 } }), 'forbidden');
    for (const id of [another.id, randomUUID(), 'no-uuid']) {
      const foreign = `${PATH}/${id}`;
      assertProblem(await send('GET', foreign, { token: own }), 'application_not_found');
      const body = { name: 'Taken over' };
      assertProblem(await send('PATCH', foreign, { token: own, body }), 'application_not_found');
    }
    for (const [method, each] of [
      ['GET', PATH],
      ['POST', PATH],
      ['DELETE', path],
      ['POST', `${path}/secrets`],
      ['DELETE', `${path}/secrets/${randomUUID()}`],
    ] as const)
      assertProblem(
        await send(method, each, {
          token: own,
          body: method === 'POST' ? { name: 'x' } : undefined,
        }),
        'forbidden',
      );
  });

  test('have several secrets, until the last', async () => {
    const { id, clientId, clientSecret, answer } = await make();
    const path = `${PATH}/${id}/secrets`;
    const second = await send('POST', path, { token });
    assert.equal(second.status, 201, second.text);
    const secondSecret = textAt(second, 'client_secret');
    for (const secret of [clientSecret, secondSecret])
      assert.equal((await tryLogIn(clientId, secret)).status, 200);
    const firstId = textAt(answer, 'secrets.0.id');
    const gone = await send('DELETE', `${path}/${firstId}`, { token });
    assert.deepEqual([gone.status, gone.text], [204, '']);
    assert.equal(gone.headers.get('content-type'), null);
    assertProblem(await tryLogIn(clientId, clientSecret), 'unauthenticated');
    assert.equal((await tryLogIn(clientId, secondSecret)).status, 200);
    assertProblem(await send('DELETE', `${path}/${firstId}`, { token }), 'secret_not_found');
    assertProblem(await send('DELETE', `${path}/no-uuid`, { token }), 'secret_not_found');
    const last = await send('DELETE', `${path}/${textAt(second, 'id')}`, { token });
    assertProblem(last, 'last_secret');
    const other = await make();
    const foreign = `${PATH}/${other.id}/secrets/${textAt(second, 'id')}`;
    assertProblem(await send('DELETE', foreign, { token }), 'secret_not_found');
    const absent = `${PATH}/${randomUUID()}/secrets`;
    assertProblem(await send('POST', absent, { token }), 'application_not_found');
    assertProblem(await send('DELETE', `${absent}/${firstId}`, { token }), 'application_not_found');
    for (let count = 1; count < 10; count++) await send('POST', path, { token });
    assertProblem(await send('POST', path, { token }), 'quota_exceeded');
  });

  test('are deleted for good, with their connectors', async () => {
    const { id, ...client } = await make();
    const own = await logIn(send, client);
    const connectorId = await running.connector(own);
    const path = `${PATH}/${id}`;
    const deleted = await send('DELETE', path, { token });
    assert.equal(deleted.status, 202, deleted.text);
    textAt(deleted, 'job_id');
    assertProblem(await send('GET', path, { token: own }), 'unauthenticated');
    assertProblem(await tryLogIn(client.clientId, client.clientSecret), 'unauthenticated');
    for (const method of ['GET', 'DELETE'] as const)
      assertProblem(await send(method, path, { token }), 'application_not_found');
    assertProblem(
      await send('PATCH', path, { token, body: { name: 'x' } }),
      'application_not_found',
    );
    assert.ok(!(await list(token)).text.includes(id));
    await untilGone(connectorId);
    const revived = await running.service.ensureFirstApplication(client);
    assert.equal(revived.isRevoked, true);
  });

  test("the operator's key reaches the connectors of all applications", async () => {
    const { id, ...client } = await make();
    const own = await logIn(send, client);
    const mine = await running.connector(own);
    const others = await running.connector(ownToken);
    const idsOf = async (query = '') => {
      const answer = await send('GET', `/v1/integrations/connectors${query}`, { token });
      return (at(answer, 'data') as { readonly id: string }[]).map((each) => each.id);
    };
    const all = await idsOf();
    assert.ok(all.includes(mine) && all.includes(others));
    assert.deepEqual(await idsOf(`?application_id=${id.toUpperCase()}`), [mine]);
    assert.deepEqual(await idsOf('?application_id=no-uuid'), []);
    const asOther = await send('GET', `/v1/integrations/connectors?application_id=${id}`, {
      token: ownToken,
    });
    assert.deepEqual(at(asOther, 'data'), []);
    const body = { name: 'By the operator' };
    const changed = await send('PATCH', `/v1/integrations/connectors/${mine}`, { token, body });
    assert.equal(at(changed, 'name'), 'By the operator');
  });

  test("wrong operator's keys are throttled by address; the right one never is", async () => {
    const wrong = `${OPERATOR_KEY.slice(0, -1)}x`;
    clock.advance(60_000);
    for (let count = 0; count < 10; count++) assertProblem(await list(wrong), 'unauthenticated');
    assertProblem(await list(wrong), 'rate_limited');
    assert.equal((await list(token)).status, 200);
    assertProblem(await list('short'), 'unauthenticated');
    clock.advance(60_000);
    assertProblem(await list(wrong), 'unauthenticated');
    assert.ok(!running.log.text().includes(OPERATOR_KEY));
  });
});

test("without an operator's key nobody is the operator", async () => {
  await using running = await startTestService({ operatorKey: undefined });
  assertProblem(await running.send('GET', PATH, { token }), 'unauthenticated');
  const own = await running.applicationToken();
  assertProblem(await running.send('GET', PATH, { token: own }), 'forbidden');
});

test('an application that is deleted loses a connector that an older process makes meanwhile, too', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground);
  const { send, store } = running;
  const remove = async (id: string) => {
    assert.equal((await send('DELETE', `${PATH}/${id}`, { token })).status, 202);
  };
  const gone = (id: string) =>
    poll(async () => (await store.connectors.find(id)) === undefined || undefined);
  const [one, another] = [
    await running.service.createApplication('one'),
    await running.service.createApplication('another'),
  ];
  const connectorId = await running.connector(await logIn(send, one));
  const row = await store.connectors.find(connectorId);
  assert.ok(row !== undefined);
  await remove(one.applicationId);
  await gone(connectorId);
  // Such a process does not look whether the application is revoked.
  const change = (columns: string) =>
    ground.query(`update patchbay.applications set ${columns} where id = $1`, [one.applicationId]);
  await change('revoked_at = null, deleted_at = null, deletion_job_id = null');
  const id = randomUUID();
  const digests = { credentialsDigest: 'd', isRevocable: false, isRenewable: false };
  await store.connectors.create({ ...row, ...digests, id });
  await change('revoked_at = created_at, deleted_at = created_at, deletion_job_id = id');
  await remove(another.applicationId);
  await gone(id);
});
