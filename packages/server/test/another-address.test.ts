import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { at, textAt } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { useTestService } from './support/start-test-service.ts';
import { until } from './support/until.ts';

const COLLECTION = '/v1/integrations/connectors';
const RENEWED = JSON.stringify({
  access_token: 'renewed',
  refresh_token: 'the next',
  token_type: 'bearer',
  expires_in: 1_800,
});

/** What credentials are renewed with, besides the refresh token. */
const OF_THE_APP = { client_id: 'app', client_secret: 'of the app' };

/** Who the same credentials are at each account that takes them. */
const PEOPLE: Readonly<Record<string, number>> = { acme: 1, other: 2 };

const bodyFor = (person: number | undefined): object =>
  person === undefined
    ? { error: 'no' }
    : { user: { id: person }, tickets: [], meta: { has_more: false } };

describe('a config with which calls go elsewhere', async () => {
  const asked: string[] = [];
  const ended = new Set<string>();
  const refreshed: string[] = [];
  let renewalTakesMs = 0;
  const upstream = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(`${request.method ?? ''} ${path}`);
    if (path.endsWith('/oauth/tokens')) {
      void text(request).then((body) => refreshed.push(body));
      return void setTimeout(() => response.end(RENEWED), renewalTakesMs);
    }
    const isEnded = ended.has(request.headers.authorization ?? '');
    const person = isEnded ? undefined : PEOPLE[path.split('/')[1] ?? ''];
    response.statusCode = person === undefined ? 401 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(bodyFor(person)));
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  after(() => upstream.close());
  // Proven: it listens on a port.
  const { port } = upstream.address() as AddressInfo;
  const { running, token } = await useTestService({
    upstreams: {
      'support-ticketing': {
        baseUrl: `http://127.0.0.1:${port}/{subdomain}`,
        limits: 'reactive',
      },
    },
  });

  const patch = (id: string, body: object) =>
    running.send('PATCH', `${COLLECTION}/${id}`, { token, body });
  const read = async (id: string): Promise<unknown> =>
    (await running.send('GET', `${COLLECTION}/${id}`, { token })).body;
  const create = async (options: object = {}): Promise<string> => {
    const body = {
      external_user_id: 'u',
      connector_type: 'zendesk-support',
      name: 'Tickets',
      credentials: { email: 'ada@acme.example', api_token: 'one' },
      config: { subdomain: 'acme' },
      ...options,
    };
    const created = await running.send('POST', COLLECTION, { token, body });
    assert.equal(created.status, 201, created.text);
    return textAt(created, 'id');
  };

  test('is of another account unless that is said', async () => {
    const id = await create({ verify: true });
    const earlier = await read(id);
    const config = { subdomain: 'other' };
    const credentials = { email: 'ada@acme.example', api_token: 'one' };
    for (const change of [{ config }, { config, name: 'Others' }, { config, credentials }]) {
      const refused = await patch(id, change);
      assertProblem(refused, 'account_mismatch');
      assert.equal(at(refused, 'details.present.id'), 'acme');
      assert.equal(at(refused, 'details.given.id'), 'other');
    }
    assert.deepEqual(await read(id), earlier);
    const changed = await patch(id, { config, replace_account: true });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(at(changed, 'account.id'), 'other');
    assert.deepEqual(at(changed, 'config'), config);
  });

  test('changes nothing where the credentials do not work there', async () => {
    const id = await create({ verify: true });
    const earlier = await read(id);
    const config = { subdomain: 'nobody' };
    for (const more of [{}, { replace_account: true }])
      assertProblem(await patch(id, { config, ...more }), 'credentials_rejected');
    assert.deepEqual(await read(id), earlier);
  });

  test('asks nothing where nothing is known or copied, and where it stays the same', async () => {
    const unknown = await create({ config: { subdomain: 'acmee' } });
    const known = await create({ verify: true });
    const before = asked.length;
    assert.equal((await patch(unknown, { config: { subdomain: 'acme' } })).status, 200);
    assert.equal((await patch(known, { config: { subdomain: 'acme' } })).status, 200);
    assert.equal(asked.length, before);
  });

  test('takes credentials that have to be renewed there for unknown, and renews them', async () => {
    const credentials = { access_token: 'ends', refresh_token: 'goes on', ...OF_THE_APP };
    const id = await create({ verify: true, credentials });
    ended.add('Bearer ends');
    const config = { subdomain: 'other' };
    const refused = await patch(id, { config });
    assertProblem(refused, 'account_mismatch');
    assert.equal(at(refused, 'details.given'), null);
    const changed = await patch(id, { config, replace_account: true });
    assert.equal(changed.status, 200, changed.text);
    const list = { entity: 'tickets', action: 'list' };
    const called = await running.execute(token, id, list);
    assert.equal(called.status, 200, called.text);
    assert.ok(asked.includes('POST /other/oauth/tokens'), asked.join());
  });

  test('waits for a renewal of the credentials that stay, whose pair would be lost', async () => {
    const credentials = {
      access_token: 'ends meanwhile',
      refresh_token: 'good once',
      ...OF_THE_APP,
    };
    const id = await create({ verify: true, credentials });
    ended.add('Bearer ends meanwhile');
    renewalTakesMs = 500;
    refreshed.length = 0;
    const list = { entity: 'tickets', action: 'list' };
    const calling = running.execute(token, id, list);
    await until(() => refreshed.length === 1);
    renewalTakesMs = 0;
    const config = { subdomain: 'other' };
    const changed = await patch(id, { config, replace_account: true });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(at(changed, 'account.id'), 'other');
    await calling;
    const called = await running.execute(token, id, list);
    assert.equal(called.status, 200, called.text);
    assert.equal(refreshed.filter((body) => body.includes('good once')).length, 1);
  });

  test('lets credentials that were refused be tried again', async () => {
    const id = await create({ config: { subdomain: 'acmee' } });
    const check = await running.send('POST', `${COLLECTION}/${id}/check`, { token });
    assert.equal(check.status, 200, check.text);
    const status = async () =>
      at(await running.send('GET', `${COLLECTION}/${id}`, { token }), 'status');
    assert.equal(await status(), 'reauth_required');
    assert.equal((await patch(id, { config: { subdomain: 'acme' } })).status, 200);
    assert.equal(await status(), 'pending');
  });
});
