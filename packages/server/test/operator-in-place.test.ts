import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { at, textAt } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import {
  connectorBody,
  logIn,
  OPERATOR_KEY,
  useTestService,
} from './support/start-test-service.ts';

const CONNECTORS = '/v1/integrations/connectors';
const SCOPED = '/api/v1/account/applications/scoped-token';
const APPS = '/api/v1/oauth/credentials';
const WORKSPACES = '/api/v1/workspaces';
const LIST_USERS = { entity: 'users', action: 'list', params: { limit: 1 } };

function of(id: string): string {
  return `?application_id=${id}`;
}

function executePath(id: string): string {
  return `/api/v1/connectors/sources/${id}/execute`;
}

describe("the operator's key in the place of an application", async () => {
  const { running, token } = await useTestService();
  const { send, service, store } = running;
  const [own] = await store.applications.list();
  const applicationId = own?.id ?? '';
  const asOperator = (method: string, path: string, body?: unknown) =>
    send(method, path, { token: OPERATOR_KEY, ...(body === undefined ? {} : { body }) });

  test('creates what is that application’s, and is found by its token', async () => {
    const path = CONNECTORS + of(applicationId.toUpperCase());
    const body = connectorBody({ external_user_id: 'made-by-the-operator' });
    const made = await asOperator('POST', path, body);
    assert.equal(made.status, 201, made.text);
    const id = textAt(made, 'id');
    assert.equal((await send('GET', `${CONNECTORS}/${id}`, { token })).status, 200);
    const executed = await asOperator('POST', executePath(id), LIST_USERS);
    assert.equal(executed.status, 200, executed.text);
    const users = await asOperator('GET', `${WORKSPACES}${of(applicationId)}&name_contains=by-the`);
    assert.deepEqual(at(users, 'data'), [
      { id: 'made-by-the-operator', name: 'made-by-the-operator' },
    ]);
  });

  test('makes something once for a key of each application', async () => {
    const other = await service.createApplication('with keys');
    const body = connectorBody({ external_user_id: 'once' });
    const headers = { 'Idempotency-Key': 'deploy-1' };
    const make = (id: string) =>
      send('POST', CONNECTORS + of(id), { token: OPERATOR_KEY, body, headers });
    const first = await make(applicationId);
    const second = await make(other.applicationId);
    assert.equal(second.status, 201, second.text);
    assert.notEqual(textAt(second, 'id'), textAt(first, 'id'));
    assert.equal(second.headers.get('idempotent-replayed'), null);
    assert.equal(textAt(await make(other.applicationId), 'id'), textAt(second, 'id'));
    // It is the application's own key.
    const again = await send('POST', CONNECTORS, { token, body, headers });
    assert.equal(textAt(again, 'id'), textAt(first, 'id'));
  });

  test('makes tokens of that application, which reach no other', async () => {
    const other = await service.createApplication('with tokens');
    const answer = await asOperator('POST', SCOPED + of(other.applicationId), {
      external_user_id: 'user-1',
    });
    const scoped = textAt(answer, 'token');
    const theirs = await logIn(send, other);
    const seen = await running.connector(theirs);
    const unseen = await running.connector(token);
    assert.equal((await send('GET', `${CONNECTORS}/${seen}`, { token: scoped })).status, 200);
    assertProblem(
      await send('GET', `${CONNECTORS}/${unseen}`, { token: scoped }),
      'connector_not_found',
    );
  });

  test('has to say which, and one that is there and not revoked', async () => {
    const gone = await service.createApplication('gone');
    const theirs = await running.connector(await logIn(send, gone));
    await service.revokeApplication(gone.applicationId);
    for (const [method, path, body] of [
      ['POST', CONNECTORS, connectorBody()],
      ['POST', SCOPED, { external_user_id: 'user-1' }],
      ['GET', APPS, undefined],
      ['GET', WORKSPACES, undefined],
    ] as const) {
      const unsaid = await asOperator(method, path, body);
      assertProblem(unsaid, 'invalid_request');
      assert.deepEqual(faultFields(unsaid), ['application_id'], path);
      for (const id of [gone.applicationId, randomUUID(), 'no-uuid', '%00', '']) {
        const answer = await asOperator(method, path + of(id), body);
        assertProblem(answer, 'application_not_found');
      }
      const twice = await asOperator(method, `${path}${of(applicationId)}&application_id=x`, body);
      assertProblem(twice, 'invalid_request');
    }
    assertProblem(
      await asOperator('POST', executePath(theirs), LIST_USERS),
      'application_not_found',
    );
  });

  test('of a token it is its own application, or none', async () => {
    const scoped = await running.scopedToken('user-1');
    for (const each of [token, scoped]) {
      const ownUsers = await send('GET', WORKSPACES + of(applicationId), { token: each });
      assert.equal(ownUsers.status, 200, ownUsers.text);
      const foreign = await send('GET', WORKSPACES + of(randomUUID()), { token: each });
      assertProblem(foreign, 'application_not_found');
    }
  });

  test('reads and confirms sessions by their id', async () => {
    const made = await asOperator('POST', `/v1/connect-sessions${of(applicationId)}`, {
      external_user_id: 'user-1',
    });
    assert.equal(made.status, 201, made.text);
    const path = `/v1/connect-sessions/${textAt(made, 'id')}`;
    assert.equal(at(await asOperator('GET', path), 'status'), 'open');
    const body = { external_user_id: 'user-1' };
    assertProblem(await asOperator('POST', `${path}/confirm`, body), 'connect_session_open');
    assertProblem(
      await asOperator('GET', `/v1/connect-sessions/${randomUUID()}`),
      'connect_session_not_found',
    );
  });

  test('is logged with both names, also where a session tells whose it is', async () => {
    const body = { external_user_id: 'user-1' };
    const made = await asOperator('POST', `/v1/connect-sessions${of(applicationId)}`, body);
    running.log.clear();
    await asOperator('GET', `/v1/connect-sessions/${textAt(made, 'id')}`);
    const [line] = running.log.lines();
    assert.equal(line?.['operator'], true);
    assert.equal(line['application_id'], applicationId);
  });

  test('is logged with both names', async () => {
    const id = await running.connector(token);
    await asOperator('POST', executePath(id), LIST_USERS);
    const line = running.log
      .lines()
      .findLast((each) => each['connector_id'] === id && each['action'] === 'list');
    assert.equal(line?.['operator'], true);
    assert.equal(line['application_id'], applicationId);
  });
});
