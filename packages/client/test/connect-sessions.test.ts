import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { isConnectorError, Patchbay, type NewConnectSession } from '../src/index.ts';
import { errorOf } from './support/error-of.ts';
import { startFakeService, type FakeService } from './support/fake-service.ts';
import { problemAnswer } from './support/sample-answers.ts';
import { makeFastClock } from './support/start-hosted.ts';

const ID = '01a1fd50-54ba-79a1-a087-6b4fef496709';
const EXPIRES_AT = '2026-11-22T21:00:00.000Z';
const CREATED = {
  id: ID,
  connect_url: 'https://patchbay.example.com/connect#secret',
  expires_at: EXPIRES_AT,
};
const SESSION = {
  id: ID,
  status: 'unconfirmed',
  external_user_id: 'alice',
  connector_type: 'chat-workspace',
  connector_id: ID,
  account: { id: 'T1', name: 'Acme', principal: 'B1' },
  error: null,
  expires_at: EXPIRES_AT,
};
const VIEW = {
  id: ID,
  status: 'unconfirmed',
  externalUserId: 'alice',
  connectorType: 'chat-workspace',
  connectorId: ID,
  account: { id: 'T1', name: 'Acme', principal: 'B1' },
  error: null,
  expiresAt: EXPIRES_AT,
};

let service: FakeService;
let patchbay: Patchbay;
before(async () => {
  service = await startFakeService();
});
beforeEach(() => {
  service.received.length = 0;
  service.answers.length = 0;
  service.logins = 0;
  patchbay = new Patchbay({
    baseUrl: service.url,
    clientId: 'a-client',
    clientSecret: 'a-client-secret',
    externalUserId: 'somebody',
    clock: makeFastClock(50),
    timeoutMs: 600_000,
  });
});
after(() => service[Symbol.asyncDispose]());

describe('connect sessions', () => {
  test('are made with the token of the application, for any of its users', async () => {
    service.answers.push({ status: 201, body: CREATED });
    const session: NewConnectSession = {
      externalUserId: 'alice',
      userLabel: 'Alice',
      connectorTypes: ['slack', 'intercom'],
      connectorId: ID,
      replicationConfig: { lookback_window: 7 },
      config: { subdomain: 'acme' },
      returnUrl: 'https://app.example.com/settings',
      origin: 'https://app.example.com',
      confirm: true,
      branding: { name: 'Acme', logoUrl: 'https://app.example.com/logo.svg', accent: '336699' },
    };
    assert.deepEqual(await patchbay.connectSessions.create(session), {
      id: ID,
      connectUrl: 'https://patchbay.example.com/connect#secret',
      expiresAt: EXPIRES_AT,
    });
    const [{ key, ...sent } = assert.fail()] = service.received;
    assert.deepEqual(sent, {
      call: 'POST /v1/connect-sessions',
      token: 'application-token-1',
      body: {
        external_user_id: 'alice',
        user_label: 'Alice',
        connector_types: ['slack', 'intercom'],
        connector_id: ID,
        replication_config: { lookback_window: 7 },
        config: { subdomain: 'acme' },
        return_url: 'https://app.example.com/settings',
        origin: 'https://app.example.com',
        confirm: true,
        branding: {
          name: 'Acme',
          logo_url: 'https://app.example.com/logo.svg',
          accent: '336699',
        },
      },
    });
    assert.match(key ?? '', /^[0-9a-f]{32}$/);
  });

  test("are the client's own user's unless said, and nothing that was not said is sent", async () => {
    service.answers.push({ status: 201, body: CREATED }, { status: 201, body: CREATED });
    await patchbay.connectSessions.create();
    await patchbay.connectSessions.create({ externalUserId: 'alice' });
    assert.deepEqual(
      service.received.map(({ body }) => body),
      [{ external_user_id: 'somebody' }, { external_user_id: 'alice' }],
    );
    // Nobody is signed in: that is for the service to refuse.
    const nobody = { externalUserId: undefined } as unknown as NewConnectSession;
    service.answers.push({ status: 201, body: CREATED });
    await patchbay.connectSessions.create(nobody);
    assert.deepEqual(service.received[2]?.body, {});
  });

  test('each is made once, however often it has to be asked for', async () => {
    const { connectSessions } = patchbay;
    const busy = problemAnswer({ code: 'not_ready', status: 503, retry: 'backoff' });
    service.answers.push({ status: 503, body: busy }, { status: 201, body: CREATED });
    await connectSessions.create({ externalUserId: 'alice' });
    const [first, second] = service.received;
    assert.equal(first?.key, second?.key);
    service.answers.push({ status: 201, body: CREATED }, { status: 201, body: CREATED });
    await connectSessions.create({ externalUserId: 'alice' });
    assert.notEqual(service.received[2]?.key, first?.key);
    await connectSessions.create({ externalUserId: 'alice' }, { idempotencyKey: 'mine' });
    assert.equal(service.received[3]?.key, 'mine');
    const wrong = errorOf(
      connectSessions.create({ externalUserId: 'alice' }, { idempotencyKey: 'no\nkey' }),
    );
    assert.equal((await wrong).code, 'invalid_request');
    assert.equal(service.received.length, 4);
  });

  test('one that stays unanswered is unknown; the error has the key to call it again with', async () => {
    const error = await errorOf(patchbay.connectSessions.create({ externalUserId: 'alice' }));
    assert.ok(isConnectorError(error, 'write_outcome_unknown'));
    assert.equal(error.details.idempotencyKey, service.received[0]?.key);
    assert.equal(error.details.action, 'connectSessions.create');
  });

  test('get says how far one is', async () => {
    const failed = {
      ...SESSION,
      status: 'open',
      connector_type: null,
      account: null,
      error: { code: 'access_denied', message: 'Declined.' },
    };
    service.answers.push({ status: 200, body: SESSION }, { status: 200, body: failed });
    assert.deepEqual(await patchbay.connectSessions.get(ID), VIEW);
    assert.deepEqual(await patchbay.connectSessions.get(ID), {
      ...VIEW,
      status: 'open',
      connectorType: null,
      account: null,
      error: { code: 'access_denied', message: 'Declined.' },
    });
    assert.equal(service.received[0]?.call, `GET /v1/connect-sessions/${ID}`);
    assert.equal(service.received[0].key, undefined);
  });

  test('confirm says whose it was, and is repeated until there is an answer', async () => {
    const busy = problemAnswer({ code: 'not_ready', status: 503, retry: 'backoff' });
    service.answers.push(
      { status: 503, body: busy },
      { status: 200, body: { ...SESSION, status: 'succeeded' } },
    );
    const by = { externalUserId: 'alice', connectorId: ID };
    const confirmed = await patchbay.connectSessions.confirm(ID, by);
    assert.deepEqual(confirmed, { ...VIEW, status: 'succeeded' });
    for (const { call, body } of service.received)
      assert.deepEqual(
        [call, body],
        [
          `POST /v1/connect-sessions/${ID}/confirm`,
          { external_user_id: 'alice', connector_id: ID },
        ],
      );
    assert.equal(service.received.length, 2);
  });

  test('confirm never leaves out what the browser was told, whatever that is', async () => {
    service.answers.push(...Array.from({ length: 3 }, () => ({ status: 200, body: SESSION })));
    const told: readonly unknown[] = ['other', undefined, null];
    for (const connectorId of told) {
      const by = { externalUserId: 'alice', connectorId } as {
        externalUserId: string;
        connectorId: string;
      };
      await patchbay.connectSessions.confirm(ID, by);
    }
    assert.deepEqual(
      service.received.map(({ body }) => body),
      ['other', '', ''].map((id) => ({ external_user_id: 'alice', connector_id: id })),
    );
  });

  test('an application token that is refused is replaced, once', async () => {
    const refused = problemAnswer({ code: 'unauthenticated', status: 401, retry: 'reauth' });
    service.answers.push({ status: 401, body: refused }, { status: 200, body: SESSION });
    await patchbay.connectSessions.get(ID);
    assert.deepEqual(
      service.received.map(({ token }) => token),
      ['application-token-1', 'application-token-2'],
    );
    service.answers.push({ status: 401, body: refused }, { status: 401, body: refused });
    assert.equal((await errorOf(patchbay.connectSessions.get(ID))).code, 'unauthenticated');
    assert.equal(service.logins, 3);
  });

  test('share one login with the calls of the external user', async () => {
    service.answers.push(
      { status: 200, body: SESSION },
      { status: 200, body: { data: [], next: null } },
    );
    await patchbay.connectSessions.get(ID);
    await patchbay.connectors.list();
    assert.equal(service.logins, 1);
    assert.equal(service.received[1]?.token, 'a-scoped');
  });

  test('an id that is none reaches no other route', async () => {
    for (const id of ['', '..', `${ID}/confirm`, '?x'])
      for (const call of [
        patchbay.connectSessions.get(id),
        patchbay.connectSessions.confirm(id, { externalUserId: 'alice', connectorId: ID }),
      ])
        assert.equal((await errorOf(call)).code, 'invalid_request');
    assert.equal(service.received.length, 0);
  });

  test('are not for those who hold a scoped token', async () => {
    const page = new Patchbay({ baseUrl: service.url, token: async () => 'a-scoped-token' });
    for (const call of [
      page.connectSessions.create({ externalUserId: 'alice' }),
      page.connectSessions.get(ID),
      page.connectSessions.confirm(ID, { externalUserId: 'alice', connectorId: ID }),
    ])
      assert.equal((await errorOf(call)).code, 'forbidden');
    assert.equal(service.received.length, 0);
  });

  test('are listed by how far they are, page by page', async () => {
    const listed = { ...SESSION, user_label: null, created_at: '2026-11-22T20:30:00.000Z' };
    service.answers.push({ status: 200, body: { data: [listed], next: 'more' } });
    assert.deepEqual(await patchbay.connectSessions.list({ status: 'unconfirmed', limit: 1 }), {
      data: [{ ...VIEW, userLabel: null, createdAt: '2026-11-22T20:30:00.000Z' }],
      next: 'more',
    });
    service.answers.push({ status: 200, body: { data: [], next: null } });
    const rest = await patchbay.connectSessions.list({ cursor: 'more' });
    assert.deepEqual(rest, { data: [], next: null });
    assert.deepEqual(
      service.received.map(({ call, token }) => [call, token]),
      [
        ['GET /v1/connect-sessions?status=unconfirmed&limit=1', 'application-token-1'],
        ['GET /v1/connect-sessions?cursor=more', 'application-token-1'],
      ],
    );
  });

  test('an answer of another shape is an error', async () => {
    service.answers.push({ status: 201, body: { id: ID } });
    const error = await errorOf(patchbay.connectSessions.create({ externalUserId: 'alice' }));
    assert.equal(error.code, 'internal');
  });
});

describe('connectors.initiateOAuth', () => {
  const request = {
    connector_type: 'slack',
    redirect_url: 'https://app.example.com/connected',
    name: 'Team chat',
    replication_config: { lookback_window: 7 },
    config: {},
    user_label: 'Alice',
  } as const;
  const consent = { consent_url: 'https://patchbay.example.com/connect/oauth/start#x' };

  test('asks for the external user of the client, with a token of that user', async () => {
    service.answers.push({ status: 200, body: consent });
    assert.deepEqual(await patchbay.connectors.initiateOAuth(request), consent);
    assert.deepEqual(service.received, [
      {
        call: 'POST /v1/integrations/connectors/oauth/initiate',
        token: 'a-scoped',
        key: undefined,
        body: { ...request, external_user_id: 'somebody' },
      },
    ]);
  });

  test('or of the token that the client was given', async () => {
    service.answers.push({ status: 200, body: consent });
    const page = new Patchbay({ baseUrl: service.url, token: async () => 'of-a-page' });
    await page.connectors.initiateOAuth({
      connector_type: 'slack',
      redirect_url: 'https://x.example',
    });
    assert.deepEqual(service.received, [
      {
        call: 'POST /api/v1/integrations/connectors/oauth/initiate',
        token: 'of-a-page',
        key: undefined,
        body: { connector_type: 'slack', redirect_url: 'https://x.example' },
      },
    ]);
  });

  test('is repeated like a read: an address that nobody visits does nothing', async () => {
    const busy = problemAnswer({ code: 'not_ready', status: 503, retry: 'backoff' });
    service.answers.push({ status: 503, body: busy }, { status: 200, body: consent });
    assert.deepEqual(await patchbay.connectors.initiateOAuth(request), consent);
    const error = await errorOf(patchbay.connectors.initiateOAuth(request));
    assert.equal(error.code, 'not_ready');
  });
});
