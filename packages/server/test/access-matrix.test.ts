import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { ErrorCode } from '@patchbay/connectors';
import { isOfOneApplication } from '../src/access/reach.ts';
import type { Route } from '../src/http/route.ts';
import { makeBrowser, makeSession } from './support/connect-page.ts';
import { beginSync } from './support/hand-sync.ts';
import { at, textAt } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  connectorBody,
  logIn,
  OPERATOR_KEY,
  useTestService,
} from './support/start-test-service.ts';

/** Every route of the service must have a row here. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /v1/integrations/connectors': connectorBody(),
  'PATCH /v1/integrations/connectors/:id': { name: 'Renamed' },
  'PUT /v1/integrations/connectors/:id': { name: 'Renamed' },
  'POST /api/v1/connectors/sources/:id/execute': {
    entity: 'users',
    action: 'list',
    params: { limit: 1 },
  },
  'POST /api/v1/account/applications/scoped-token': { external_user_id: 'user-1' },
  'POST /v1/tokens/revoke': { jti: randomUUID() },
  'POST /v1/applications': { name: 'Made' },
  'PATCH /v1/applications/:id': { name: 'Renamed' },
  'POST /v1/integrations/connectors/oauth/initiate': {
    external_user_id: 'user-1',
    connector_type: 'chat-workspace',
    redirect_url: 'http://127.0.0.1:1/back',
  },
  'POST /v1/connect-sessions': { external_user_id: 'user-1' },
  'POST /v1/connect-sessions/:session/confirm': { external_user_id: 'user-1' },
  'PUT /api/v1/oauth/credentials': {
    connector_type: 'chat-workspace',
    configuration: { client_id: 'client', client_secret: 'secret' },
  },
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
};

/** Of the web console, for which a token stands no more than for any other public one. */
const CONSOLE_ROUTES: ReadonlySet<string> = new Set(['/console/session', '/console/token']);

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'POST /mcp': { accept: 'application/json, text/event-stream' },
};

const QUERIES: Readonly<Record<string, string>> = {
  'GET /api/v1/connectors/connectors_for_user': '?external_user_id=user-1',
};

/** Outcomes: success, or an error code. */
type Outcome = 'ok' | ErrorCode;

/** The tokens that are good: of an application, of its external user, such a one that only reads, the operator's key. */
const KINDS_OF_TOKEN = ['application', 'scoped', 'readOnly', 'operator'] as const;

/** What the classes of docs/wire.md#reach give to each of them. */
const REACH: Readonly<Record<Route['reach'], readonly [Outcome, Outcome, Outcome, Outcome]>> = {
  public: ['ok', 'ok', 'ok', 'ok'],
  kinds: ['ok', 'ok', 'ok', 'ok'],
  applications: ['forbidden', 'forbidden', 'forbidden', 'ok'],
  operation: ['forbidden', 'forbidden', 'forbidden', 'ok'],
  ownApplication: ['ok', 'forbidden', 'forbidden', 'ok'],
  scopedToken: ['ok', 'forbidden', 'forbidden', 'ok'],
  tokenRevocation: ['ok', 'forbidden', 'forbidden', 'ok'],
  scopedTokenInfo: ['forbidden', 'ok', 'ok', 'forbidden'],
  connectors: ['ok', 'ok', 'ok', 'ok'],
  connectorChange: ['ok', 'ok', 'forbidden', 'ok'],
  connectorCreation: ['ok', 'ok', 'forbidden', 'ok'],
  execution: ['ok', 'ok', 'ok', 'ok'],
  externalUsers: ['ok', 'ok', 'ok', 'ok'],
  mcp: ['forbidden', 'ok', 'ok', 'forbidden'],
  consent: ['ok', 'ok', 'forbidden', 'ok'],
  deletions: ['ok', 'forbidden', 'forbidden', 'ok'],
  stats: ['ok', 'forbidden', 'forbidden', 'ok'],
  oauthApps: ['ok', 'forbidden', 'forbidden', 'ok'],
  connectSessionCreation: ['ok', 'forbidden', 'forbidden', 'ok'],
  connectSessionConfirmation: ['ok', 'forbidden', 'forbidden', 'ok'],
  connectSessionReading: ['ok', 'forbidden', 'forbidden', 'ok'],
};

describe('access', async () => {
  // Most calls here have a connector of their own.
  const { running, token: ownToken } = await useTestService({
    quotas: { connectorsPerUser: 10_000, connectSessionsPerUser: 10_000 },
    oauthApps: { 'chat-workspace': { clientId: 'client', clientSecret: 'secret' } },
  });
  const another = await running.service.createApplication('another');
  const foreignToken = await logIn(running.send, another);

  const call = async (
    route: Pick<Route, 'method' | 'path' | 'reach'>,
    path: string,
    request: {
      readonly authorization?: string;
      readonly connectorId?: string;
      readonly secretId?: string;
      readonly sessionId?: string | undefined;
    },
  ) => {
    const name = `${route.method} ${route.path}`;
    const filled = path
      .replace(':id', request.connectorId ?? randomUUID())
      .replace(':secret', request.secretId ?? randomUUID())
      .replace(':session', request.sessionId ?? randomUUID())
      .replace(':user', 'user-1')
      .replace(':kind', 'chat-workspace');
    const { authorization } = request;
    const saysWhose =
      path.includes(':user') ||
      (authorization === `Bearer ${OPERATOR_KEY}` &&
        route.reach !== 'public' &&
        isOfOneApplication(route.reach));
    const query = saysWhose ? `?application_id=${ownApplicationId}` : QUERIES[name];
    return running.send(route.method, filled + (query ?? ''), {
      body: BODIES[name] ?? (route.method === 'POST' ? {} : undefined),
      headers: { ...HEADERS[name], ...(authorization === undefined ? {} : { authorization }) },
    });
  };

  /** One in which something has been given. */
  const sessionToConfirm = async () => {
    const { id, url } = await makeSession(running, ownToken, { external_user_id: 'user-1' });
    const browser = makeBrowser(running);
    await browser.open(url);
    assert.equal((await browser.submit(id)).status, 200);
    return id;
  };

  const [oldest] = await running.store.applications.list();
  const ownApplicationId = oldest?.id ?? '';

  /** With two secrets, so that one can be deleted. */
  const madeApplication = async () => {
    const { applicationId: id } = await running.service.createApplication('to be changed');
    const path = `/v1/applications/${id}/secrets`;
    const added = await running.send('POST', path, { token: OPERATOR_KEY });
    return { id, secretId: textAt(added, 'id') };
  };

  const madeJob = async () => {
    const path = `/v1/integrations/connectors/${await running.connector(ownToken)}`;
    return textAt(await running.send('DELETE', path, { token: ownToken }), 'job_id');
  };

  const everyPath = () =>
    running.service.routes.flatMap((route) =>
      [route.path, ...(route.also ?? [])].map((path) => ({ route, path })),
    );

  const assertOutcome = (
    answer: Awaited<ReturnType<typeof call>>,
    expected: Outcome,
    told: string,
  ) => {
    const actual = answer.status < 300 ? 'ok' : at(answer, 'code');
    assert.equal(actual, expected, `${told}: ${answer.status} ${answer.text}`);
    if (expected !== 'ok') assertProblem(answer, expected);
  };

  test('every protected route refuses every token that is none of ours', async () => {
    const [header = '', payload = ''] = ownToken.split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const forged = createHmac('sha256', 'guess').update(`${header}.${payload}`).digest('base64url');
    const bad: Readonly<Record<string, string | undefined>> = {
      'no token': undefined,
      'an empty token': 'Bearer ',
      'another scheme': `Basic ${ownToken}`,
      'no JWT': 'Bearer abc',
      'a cut JWT': `Bearer ${header}.${payload}`,
      'another signature': `Bearer ${header}.${payload}.${forged}`,
      'an emptied signature': `Bearer ${header}.${payload}.`,
      'alg none': `Bearer ${none}.${payload}.`,
      'alg none with the signature': `Bearer ${none}.${ownToken.split('.').slice(1).join('.')}`,
      'two tokens': `Bearer ${ownToken} ${ownToken}`,
    };
    for (const { route, path } of everyPath()) {
      if (route.reach === 'public') continue;
      for (const [name, authorization] of Object.entries(bad)) {
        const answer = await call(
          route,
          path,
          authorization === undefined ? {} : { authorization },
        );
        assertOutcome(answer, 'unauthenticated', `${route.method} ${path} with ${name}`);
      }
    }
  });

  test('public routes do not care about tokens', async () => {
    for (const { route, path } of everyPath()) {
      if (route.reach !== 'public') continue;
      const without = await call(route, path, {});
      const answer = await call(route, path, { authorization: 'Bearer abc' });
      assert.equal(answer.status, without.status, `${path}: ${answer.text}`);
      // The console's own have a cookie.
      if (CONSOLE_ROUTES.has(path)) continue;
      assert.notEqual(answer.status, 401);
    }
  });

  test('good tokens reach exactly what the reach table says', async () => {
    const tokens = {
      application: ownToken,
      scoped: await running.scopedToken('user-1'),
      readOnly: await running.scopedToken('user-1', { access: 'read' }),
      operator: OPERATOR_KEY,
    };
    for (const { route, path } of everyPath()) {
      if (route.reach === 'public') continue;
      for (const [index, kind] of KINDS_OF_TOKEN.entries()) {
        const token = tokens[kind];
        const expected = REACH[route.reach][index] ?? 'internal';
        // A fresh one for each call, since one of the routes deletes it.
        if (path.startsWith('/v1/applications')) {
          const made = await madeApplication();
          const connectorId = kind === 'application' ? ownApplicationId : made.id;
          const answer = await call(route, path, {
            authorization: `Bearer ${token}`,
            connectorId,
            secretId: made.secretId,
          });
          assertOutcome(answer, expected, `${route.method} ${path} with ${kind} token`);
          continue;
        }
        const connectorId = path.startsWith('/v1/jobs')
          ? await madeJob()
          : await running.connector(ownToken);
        // Watching ends with the run, and nobody works on the one of a new connector here.
        if (path.endsWith('/sync/events'))
          await (await beginSync(running.store, connectorId)).end();
        const sessionId = path.includes(':session') ? await sessionToConfirm() : undefined;
        const authorization = `Bearer ${token}`;
        const answer = await call(route, path, { authorization, connectorId, sessionId });
        assertOutcome(answer, expected, `${route.method} ${path} with ${kind} token`);
      }
    }
  });

  test('a connector of somebody else is as absent as one that never was', async () => {
    const connectorId = await running.connector(ownToken);
    const outsiders = {
      'another application': foreignToken,
      'another external user': await running.scopedToken('user-2'),
      'a token for other connectors': await running.scopedToken('user-1', {
        connectorIds: [randomUUID()],
      }),
    };
    for (const { route, path } of everyPath()) {
      if (!path.includes('connectors') || !path.includes(':id')) continue;
      for (const [name, token] of Object.entries(outsiders)) {
        const authorization = `Bearer ${token}`;
        const foreign = await call(route, path, { authorization, connectorId });
        assertOutcome(foreign, 'connector_not_found', `${route.method} ${path} with ${name}`);
        const absent = await call(route, path, { authorization, connectorId: 'no-uuid' });
        assertOutcome(absent, 'connector_not_found', `${route.method} ${path} with no UUID`);
      }
    }
    const token = await running.scopedToken('user-1', { connectorIds: [connectorId] });
    const own = await running.send('GET', `/v1/integrations/connectors/${connectorId}`, { token });
    assert.equal(own.status, 200);
  });

  test('lists show only what is within reach', async () => {
    const mine = await running.connector(ownToken, { external_user_id: 'lister' });
    const second = await running.connector(ownToken, { external_user_id: 'lister' });
    const theirs = await running.connector(ownToken, { external_user_id: 'neighbour' });
    const idsOf = async (token: string, query = '') => {
      const answer = await running.send('GET', `/v1/integrations/connectors${query}`, { token });
      const data = at(answer, 'data');
      assert.ok(Array.isArray(data), answer.text);
      return data.map((_, index) => at(answer, `data.${index}.id`));
    };
    const token = await running.scopedToken('lister');
    assert.deepEqual(await idsOf(token), [mine, second]);
    assert.deepEqual(await idsOf(token, '?external_user_id=neighbour'), []);
    assert.deepEqual(await idsOf(ownToken, '?external_user_id=neighbour'), [theirs]);
    assert.deepEqual(await idsOf(foreignToken), []);
    const limited = await running.scopedToken('lister', { connectorIds: [second, theirs] });
    assert.deepEqual(await idsOf(limited), [second]);
    const workspaces = await running.send('GET', '/api/v1/workspaces', { token });
    assert.deepEqual(at(workspaces, 'data'), [{ id: 'lister', name: 'lister' }]);
    const none = await running.send('GET', '/api/v1/workspaces', { token: foreignToken });
    assert.deepEqual(at(none, 'data'), []);
  });

  test('a read-only token runs reads and no writes', async () => {
    const connectorId = await running.connector(ownToken);
    const token = await running.scopedToken('user-1', { access: 'read' });
    const post = { entity: 'messages', action: 'create', params: { channel: 'C1', text: 'x' } };
    running.sandbox.resetRequests();
    assertProblem(await running.execute(token, connectorId, post), 'forbidden');
    assert.equal(running.sandbox.requests().length, 0);
  });

  test('a read-only token asks for no sync and no check, but for that of earlier clients', async () => {
    const connectorId = await running.connector(ownToken);
    const token = await running.scopedToken('user-1', { access: 'read' });
    for (const collection of ['/v1/integrations/connectors', '/api/v1/integrations/connectors'])
      for (const what of ['sync', 'check']) {
        const path = `${collection}/${connectorId}/${what}`;
        assertProblem(await running.send('POST', path, { token }), 'forbidden');
      }
    const check = await running.execute(token, connectorId, { entity: '*', action: 'check' });
    assert.equal(check.status, 200, check.text);
  });

  test('a scoped token creates connectors for its own external user only', async () => {
    const token = await running.scopedToken('user-1');
    const body = connectorBody({ external_user_id: 'user-2' });
    const answer = await running.send('POST', '/v1/integrations/connectors', { token, body });
    assertProblem(answer, 'forbidden');
    const limited = await running.scopedToken('user-1', { connectorIds: [randomUUID()] });
    const other = await running.send('POST', '/v1/integrations/connectors', {
      token: limited,
      body: connectorBody(),
    });
    assertProblem(other, 'forbidden');
  });

  test('expired tokens are refused as expired, and live until then', async () => {
    const application = await running.applicationToken();
    const scoped = await running.scopedToken('user-1');
    const read = (token: string) => running.send('GET', '/api/v1/connector-kinds', { token });
    running.clock.advance(840_000);
    assert.equal((await read(application)).status, 200);
    running.clock.advance(61_000);
    for (const { route, path } of everyPath()) {
      if (route.reach === 'public') continue;
      const answer = await call(route, path, { authorization: `Bearer ${application}` });
      assertOutcome(answer, 'token_expired', `${route.method} ${path}`);
    }
    assert.equal((await read(scoped)).status, 200);
    running.clock.advance(180_000);
    assert.equal((await read(scoped)).status, 200);
    running.clock.advance(120_000);
    assertProblem(await read(scoped), 'token_expired');
  });
});
