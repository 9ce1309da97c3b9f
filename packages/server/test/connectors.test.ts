import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { accountOf, renewCredentials, rowOf } from './support/renew.ts';
import {
  connectorBody,
  countOf,
  startServiceOn,
  useTestService,
} from './support/start-test-service.ts';

const COLLECTION = '/v1/integrations/connectors';
const ALSO = '/api/v1/integrations/connectors';
const DEFINITION_ID = 'c2281cee-86f9-4a86-bb48-d23286b4c7bd';
const USERS = { entity: 'users', action: 'list', params: { limit: 1 } };

describe('connectors', async () => {
  const { running, token } = await useTestService();

  const create = (body: unknown, path = COLLECTION, as = token) =>
    running.send('POST', path, { token: as, body });
  const read = (id: string, more = '') =>
    running.send('GET', `${COLLECTION}/${id}${more}`, { token });
  const patch = (id: string, body: unknown, method = 'PATCH') =>
    running.send(method, `${COLLECTION}/${id}`, { token, body });
  const statusOf = async (id: string) => at(await read(id), 'status');

  test('a created connector comes back as the contract says', async () => {
    const answer = await create(connectorBody());
    assert.equal(answer.status, 201, answer.text);
    const id = textAt(answer, 'id');
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const createdAt = textAt(answer, 'created_at');
    assert.deepEqual(answer.body, {
      id,
      name: 'Team chat',
      connector_type: 'chat-workspace',
      definition_id: DEFINITION_ID,
      external_user_id: 'user-1',
      status: 'pending',
      paused: false,
      disabled: false,
      auth_method: 'token',
      account: null,
      warnings: [],
      config: {},
      replication_config: {
        include_archived_channels: false,
        threads_ignore_no_replies: true,
        start_date: '2026-01-01T00:00:00Z',
        lookback_window: 7,
        join_channels: false,
      },
      created_at: createdAt,
      updated_at: createdAt,
      last_synced_at: null,
      freshness: {
        as_of: null,
        lag_seconds: null,
        complete: false,
        interval_seconds: 900,
        record_count: 0,
      },
      last_error: null,
      summarized_source_template: { name: 'Slack', connector_name: 'chat-workspace' },
    });
    assert.equal(answer.headers.get('location'), `${COLLECTION}/${id}`);
    assert.deepEqual((await read(id)).body, answer.body);
    assert.deepEqual((await read(id.toUpperCase())).body, answer.body);
  });

  test('kinds, external users and tokens go by other names, too', async () => {
    const same = [
      connectorBody({ connector_type: 'Slack' }),
      connectorBody({ connector_type: 'CHAT_WORKSPACE' }),
      connectorBody({ connector_type: undefined, definition_id: DEFINITION_ID.toUpperCase() }),
      connectorBody({ external_user_id: undefined, customer_name: 'user-1' }),
      connectorBody({ external_user_id: 'user-1', workspace_name: 'user-1' }),
      connectorBody({ credentials: { bot_key: 'xoxb-test' } }),
      connectorBody({ config: undefined, environment: {} }),
      connectorBody({ credentials: { client_id: 'a', client_secret: 'b', access_token: 'c' } }),
    ];
    for (const body of same) {
      const answer = await create(body);
      assert.equal(answer.status, 201, answer.text);
      assert.equal(at(answer, 'connector_type'), 'chat-workspace');
      assert.equal(at(answer, 'external_user_id'), 'user-1');
    }
  });

  test('only the path of other clients fills in name and external user', async () => {
    const scoped = await running.scopedToken('user-9');
    const body = connectorBody({ name: undefined, external_user_id: undefined });
    assertProblem(await create(body, COLLECTION, scoped), 'invalid_request');
    const answer = await create(body, ALSO, scoped);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(at(answer, 'name'), 'Slack');
    assert.equal(at(answer, 'external_user_id'), 'user-9');
    assertProblem(await create(body, ALSO, token), 'invalid_request');
    // Nobody is asked for what is filled in, whatever else is missing.
    const bare = await create({ external_user_id: 'user-1' }, ALSO, token);
    assert.deepEqual(faultFields(bare), ['connector_type', 'credentials']);
  });

  test('verify tries the credentials before anything is stored', async () => {
    const earlier = listed(await running.send('GET', COLLECTION, { token }));
    const refused = await create(
      connectorBody({ verify: true, credentials: { api_token: 'xoxb-revoked' } }),
    );
    assertProblem(refused, 'credentials_rejected');
    const later = listed(await running.send('GET', COLLECTION, { token }));
    assert.equal(later.length, earlier.length);
    const accepted = await create(connectorBody({ verify: true }));
    assert.equal(accepted.status, 201);
    assert.equal(at(accepted, 'status'), 'active');
  });

  test('a list is walked page by page, without gaps or repetition', async () => {
    const made: string[] = [];
    for (let count = 0; count < 7; count++)
      made.push(await running.connector(token, { external_user_id: 'walker' }));
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const query = `external_user_id=walker&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = await running.send('GET', `${COLLECTION}?${query}`, { token });
      seen.push(...listed(page));
      cursor = at(page, 'next') === null ? '' : textAt(page, 'next');
    } while (cursor !== '');
    assert.deepEqual(seen, made);
    const all = await running.send(
      'GET',
      `/api/v1/connectors/connectors_for_user?customer_name=walker&definition_id=${DEFINITION_ID}`,
      { token },
    );
    assert.deepEqual(listed(all, 'connectors'), made);
    const kind = await running.send(
      'GET',
      `${ALSO}?external_user_id=walker&connector_type=slack&limit=7`,
      { token },
    );
    assert.deepEqual(listed(kind), made);
    assert.equal(at(kind, 'next'), null);
  });

  test('a list is narrowed by status and by a text', async () => {
    const user = `user-${randomUUID()}`;
    const createNamed = (name: string) =>
      running.connector(token, connectorBody({ external_user_id: user, name }));
    const [wanted, other] = [await createNamed('Straße 7'), await createNamed('Other')];
    await running.send('PATCH', `${COLLECTION}/${other}`, { token, body: { paused: true } });
    const idsOf = async (query: string) => {
      const answer = await running.send('GET', `${COLLECTION}?${query}`, { token });
      assert.equal(answer.status, 200, answer.text);
      const rows = at(answer, 'data');
      assert.ok(Array.isArray(rows));
      return rows.map((_, index) => at(answer, `data.${index}.id`));
    };
    assert.deepEqual(await idsOf(`q=${user.toUpperCase()}`), [wanted, other]);
    assert.deepEqual(await idsOf(`q=${user}&status=paused`), [other]);
    assert.deepEqual(await idsOf(`external_user_id=${user}&q=str`), [wanted]);
    const page = await running.send('GET', `${COLLECTION}?q=${user}&limit=1`, { token });
    const rest = `q=${user}&limit=1&cursor=${textAt(page, 'next')}`;
    assert.deepEqual(await idsOf(rest), [other]);
    const wrong = `?status=asleep&q=${'x'.repeat(256)}`;
    const refused = await running.send('GET', `${COLLECTION}${wrong}`, { token });
    assertProblem(refused, 'invalid_request');
    assert.deepEqual(faultFields(refused), ['q', 'status']);
    const empty = await running.send('GET', `${COLLECTION}?q=`, { token });
    assertProblem(empty, 'invalid_request');
  });

  test('PATCH and PUT merge what they name and leave the rest', async () => {
    const id = await running.connector(token);
    const renamed = await patch(id, { name: 'New name', paused: true });
    assert.equal(at(renamed, 'name'), 'New name');
    assert.equal(at(renamed, 'status'), 'paused');
    const config = await patch(id, { replication_config: { lookback_window: 30 } }, 'PUT');
    assert.equal(at(config, 'replication_config.lookback_window'), 30);
    assert.equal(at(config, 'replication_config.start_date'), '2026-01-01T00:00:00Z');
    assert.equal(at(config, 'name'), 'New name');
    const resumed = await patch(id, { paused: false });
    assert.equal(at(resumed, 'status'), 'pending');
    assert.deepEqual((await patch(id, {})).body, resumed.body);
    assert.deepEqual((await patch(id, { name: null })).body, resumed.body);
    assert.deepEqual((await read(id)).body, resumed.body);
  });

  test('PATCH refuses what is wrong or cannot change, and changes nothing then', async () => {
    const id = await running.connector(token);
    const earlier = await read(id);
    assertProblem(await patch(id, { name: '' }), 'invalid_request');
    assertProblem(await patch(id, { external_user_id: 'user-2' }), 'invalid_request');
    assertProblem(await patch(id, { connector_type: 'slack' }), 'invalid_request');
    assertProblem(await patch(id, { paused: 'yes' }), 'invalid_request');
    assertProblem(await patch(id, { config: { subdomain: 'x' } }), 'invalid_config');
    assertProblem(
      await patch(id, { replication_config: { lookback_window: -1 } }),
      'invalid_replication_config',
    );
    const credentials = await patch(id, { name: 'x', credentials: { token: 'planted' } });
    assertProblem(credentials, 'invalid_credentials');
    assert.ok(!credentials.text.includes('planted'));
    assert.deepEqual((await read(id)).body, earlier.body);
  });

  test('a name is a line that people can read, and an older one that is not stays as it is', async () => {
    const id = textAt(await create(connectorBody()), 'id');
    const unfit = [
      'a\u202eb',
      'a\u0007b',
      'a\nb',
      'a\u2066b',
      '\u200b\u200b',
      ' ',
      '\u2060\ufeff\u3164',
    ];
    for (const name of unfit)
      for (const answer of [
        await create({ ...connectorBody(), name }),
        await patch(id, { name }),
      ]) {
        assertProblem(answer, 'invalid_request');
        assert.deepEqual(faultFields(answer), ['name'], JSON.stringify(name));
      }
    for (const name of ['Équipe de Zoë', 'فريق \u200fالدعم', '👩\u200d💻', 'x']) {
      const renamed = await patch(id, { name });
      assert.equal(at(renamed, 'name'), name, renamed.text);
    }
    const older = 'older\u202ename';
    assert.ok(await running.store.connectors.update(id, { name: older }));
    assert.equal(at(await read(id), 'name'), older);
    assert.equal(at(await patch(id, { paused: true }), 'name'), older);
  });

  test('changes at the same time all count', async () => {
    const id = await running.connector(token);
    const changes = [
      { name: 'together' },
      { paused: true },
      { replication_config: { lookback_window: 1 } },
      { replication_config: { join_channels: true } },
      { credentials: { api_token: 'other' } },
    ];
    const answers = await Promise.all(changes.map((change) => patch(id, change)));
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    const { body } = await read(id);
    assert.equal(at({ body }, 'name'), 'together');
    assert.equal(at({ body }, 'status'), 'paused');
    assert.equal(at({ body }, 'replication_config.lookback_window'), 1);
    assert.equal(at({ body }, 'replication_config.join_channels'), true);
  });

  test('a part of the credentials merges with the rest of the same method', async () => {
    const credentials = { client_id: 'a', client_secret: 'b', access_token: 'xoxb-revoked' };
    const id = await running.connector(token, { credentials });
    assertProblem(await running.execute(token, id, USERS), 'credentials_rejected');
    assert.equal((await patch(id, { credentials: { access_token: 'fresh' } })).status, 200);
    assert.equal((await running.execute(token, id, USERS)).status, 200);
    await accountOf(running.store, id);
    const refused = await patch(id, { credentials: { api_token: 'xoxb-revoked' } });
    assertProblem(refused, 'credentials_rejected');
    assert.equal((await running.execute(token, id, USERS)).status, 200);
  });

  test('as long as nothing is copied, credentials change without a question whose they are', async () => {
    const id = await running.connector(token, { credentials: { api_token: 'mistyped' } });
    const asked = running.sandbox.requests().length;
    assert.equal((await patch(id, { credentials: { api_token: 'xoxb-invalid' } })).status, 200);
    assert.equal(running.sandbox.requests().length, asked);
    assert.equal((await rowOf(running.store, id)).credentialsEpoch, 2);
  });

  test('credentials that are the same change nothing, renewed since or not', async () => {
    const triple = { client_id: 'a', client_secret: 'b', access_token: 'xoxb-test' };
    const cases: readonly (readonly [object, readonly object[]])[] = [
      [{ api_token: 'xoxb-test' }, [{ api_token: 'xoxb-test' }, { bot_key: 'xoxb-test' }]],
      [triple, [Object.fromEntries(Object.entries(triple).toReversed()), { client_id: 'a' }]],
    ];
    for (const [given, same] of cases) {
      const id = await running.connector(token, { credentials: given });
      const created = await rowOf(running.store, id);
      assert.equal(created.credentialsEpoch, 1);
      for (const credentials of same) assert.equal((await patch(id, { credentials })).status, 200);
      assert.deepEqual(await rowOf(running.store, id), created);
      const values = { ...given, [Object.keys(given).at(-1) ?? '']: 'renewed' };
      const renewed = await renewCredentials(running.store, id, values);
      for (const credentials of [given, values])
        assert.equal((await patch(id, { credentials })).status, 200);
      assert.deepEqual(await rowOf(running.store, id), renewed);
      await patch(id, { credentials: given, name: 'Renamed' });
      const { sealedCredentials, credentialsEpoch, name } = await rowOf(running.store, id);
      assert.deepEqual(
        [sealedCredentials, credentialsEpoch, name],
        [renewed.sealedCredentials, 1, 'Renamed'],
      );
    }
  });

  test('a connector whose stored credentials were damaged is read, mended by the same ones, and deleted', async () => {
    const credentials = { api_token: 'xoxb-test' };
    const id = await running.connector(token, { credentials });
    assert.equal((await running.execute(token, id, USERS)).status, 200);
    await accountOf(running.store, id);
    const damage = async () => {
      const { sealedCredentials } = await rowOf(running.store, id);
      await running.store.connectors.update(id, {
        sealedCredentials: `${sealedCredentials.slice(0, -4)}AAAA`,
      });
    };
    await damage();
    await using other = await startServiceOn(running);
    const send = (method: string, path: string, body?: unknown) =>
      other.send(method, path, { token, body });
    const self = `${COLLECTION}/${id}`;
    assert.equal((await send('GET', self)).status, 200);
    const refused = await other.execute(token, id, USERS);
    assertProblem(refused, 'credentials_rejected');
    assert.match(textAt(refused, 'message'), /does not open.*Give them again/);
    assert.equal(at(await send('GET', self), 'status'), 'reauth_required');
    assert.equal((await send('PATCH', self, { name: 'Renamed' })).status, 200);
    const mended = await send('PATCH', self, { credentials });
    assert.equal(mended.status, 200, mended.text);
    assert.equal((await other.execute(token, id, USERS)).status, 200);
    assert.equal((await rowOf(running.store, id)).credentialsEpoch, 1, "they are nobody else's");
    await damage();
    await using third = await startServiceOn(running);
    assert.equal((await third.send('DELETE', self, { token })).status, 202);
  });

  test('credentials that are others raise the epoch, by whichever method they are used', async () => {
    const id = await running.connector(token);
    const other = await running.connector(token);
    const digests = [(await rowOf(running.store, other)).credentialsDigest];
    const given = [
      { api_token: 'xoxb-test' },
      { api_token: 'another' },
      { client_id: 'a', client_secret: 'b', access_token: 'another' },
      { api_token: 'xoxb-test' },
    ];
    for (const [index, credentials] of given.entries()) {
      assert.equal((await patch(id, { credentials })).status, 200);
      const row = await rowOf(running.store, id);
      assert.equal(row.credentialsEpoch, index + 1);
      digests.push(row.credentialsDigest);
    }
    // The first credentials come back at the end; those of another connector are never the same.
    assert.equal(digests.at(-1), digests[1]);
    assert.equal(new Set(digests).size, 4);
  });

  test('renewed credentials go out with the next attempt of a call', async () => {
    const id = await running.connector(token);
    const { faults } = running.sandbox;
    const hang = faults.add({ kind: 'hang', method: 'users.list', times: 1 });
    faults.add({ kind: 'serverError', method: 'users.list', times: 1 });
    const slow = running.execute(token, id, USERS);
    await hang.whenHit();
    await renewCredentials(running.store, id, { api_token: 'renewed' });
    const revoked = faults.add({ kind: 'revokeToken', token: 'xoxb-test' });
    running.clock.advance(5_000);
    hang.release();
    assert.equal((await slow).status, 200);
    assert.equal((await running.execute(token, id, USERS)).status, 200);
    assert.equal(await statusOf(id), 'active');
    revoked.release();
  });

  test('a deleted connector is gone at once, with its credentials', async () => {
    const id = await running.connector(token);
    assert.equal((await running.execute(token, id, USERS)).status, 200);
    const answer = await running.send('DELETE', `${COLLECTION}/${id}`, { token });
    assert.equal(answer.status, 202);
    assert.match(textAt(answer, 'job_id'), /^[0-9a-f-]{36}$/);
    assertProblem(await read(id), 'connector_not_found');
    assertProblem(await running.execute(token, id, USERS), 'connector_not_found');
    const again = await running.send('DELETE', `${COLLECTION}/${id}`, { token });
    assertProblem(again, 'connector_not_found');
  });

  test('what another process deletes or changes is noticed', async () => {
    const id = await running.connector(token);
    assert.equal((await running.execute(token, id, USERS)).status, 200);
    await running.store.connectors.update(id, { name: 'changed elsewhere' });
    running.clock.advance(5_000);
    assert.equal(at(await read(id), 'name'), 'changed elsewhere');
    await running.store.connectors.delete(id, id);
    running.clock.advance(5_000);
    assertProblem(await running.execute(token, id, USERS), 'connector_not_found');
  });

  test('a first successful call makes a connector active, refused credentials reauth_required', async () => {
    const id = await running.connector(token);
    assert.equal(await statusOf(id), 'pending');
    assertProblem(
      await running.execute(token, id, { entity: 'users', action: 'get', params: { user: 'U' } }),
      'record_not_found',
    );
    assert.equal(await statusOf(id), 'pending');
    assert.equal((await running.execute(token, id, USERS)).status, 200);
    assert.equal(await statusOf(id), 'active');
    const fault = running.sandbox.faults.add({ kind: 'revokeToken' });
    assertProblem(await running.execute(token, id, USERS), 'credentials_rejected');
    fault.release();
    assert.equal(await statusOf(id), 'reauth_required');
    running.sandbox.resetRequests();
    assertProblem(await running.execute(token, id, USERS), 'reauth_required');
    assert.equal(countOf(running.sandbox, 'users.list'), 0);
    for (const credentials of [{}, { api_token: null }]) {
      assertProblem(await patch(id, { credentials }), 'invalid_credentials');
      assert.equal(await statusOf(id), 'reauth_required');
    }
    assert.equal((await patch(id, { credentials: { api_token: 'new' } })).status, 200);
    assert.equal(await statusOf(id), 'pending');
    assert.equal((await running.execute(token, id, USERS)).status, 200);
    assert.equal(await statusOf(id), 'active');
  });

  test('a check says what works, and a passing one revives a connector', async () => {
    const id = await running.connector(token);
    const fault = running.sandbox.faults.add({ kind: 'revokeToken' });
    const failed = await running.send('POST', `${COLLECTION}/${id}/check`, { token });
    assert.equal(failed.status, 200);
    assert.equal(at(failed, 'id'), id);
    assert.equal(at(failed, 'status'), 'failed');
    assert.equal(typeof at(failed, 'error_message'), 'string');
    assert.equal(at(failed, 'entity_check_results.0.entity'), 'users');
    assert.equal(at(failed, 'entity_check_results.0.status'), 'failed');
    assert.equal(await statusOf(id), 'reauth_required');
    const row = await running.store.connectors.find(id);
    assert.equal(row?.stateReason, at(failed, 'error_message'));
    fault.release();
    // Until then the last answer holds.
    running.clock.advance(5_000);
    const passed = await running.send('POST', `${ALSO}/${id}/check`, { token, body: {} });
    assert.equal(at(passed, 'status'), 'succeeded');
    assert.equal(await statusOf(id), 'active');
  });

  test('a scoped token uses no stored secret in the name of somebody else', async () => {
    const changes = {
      connector_type: 'support-ticketing',
      credentials: { email: 'bot@acme.example', api_token: 'stored' },
      config: { subdomain: 'acme' },
      replication_config: null,
    };
    const id = await running.connector(token, changes);
    const as = await running.scopedToken('user-1');
    const change = (credentials: object, by = as) =>
      running.send('PATCH', `${COLLECTION}/${id}`, {
        token: by,
        body: { credentials, replace_account: true },
      });
    const owner = { email: 'owner@acme.example' };
    const before = await rowOf(running.store, id);
    assertProblem(await change(owner), 'forbidden');
    assertProblem(await change({ ...owner, api_token: null }), 'forbidden');
    assertProblem(await change({ client_id: 'another' }), 'invalid_credentials');
    assert.deepEqual(await rowOf(running.store, id), before);
    assert.equal((await change({ api_token: 'known' })).status, 200);
    assert.equal((await change({ ...owner, api_token: 'known, too' })).status, 200);
    assert.equal((await change(owner, token)).status, 200);
  });

  test('what was learnt about old credentials does not fall on new ones', async () => {
    const id = await running.connector(token);
    const hang = running.sandbox.faults.add({ kind: 'hang', method: 'users.list' });
    running.sandbox.faults.add({ kind: 'revokeToken', times: 1 });
    const slow = running.execute(token, id, USERS);
    await hang.whenHit();
    assert.equal((await patch(id, { credentials: { api_token: 'new' } })).status, 200);
    hang.release();
    assertProblem(await slow, 'credentials_rejected');
    assert.equal(await statusOf(id), 'pending');
    assert.equal((await running.execute(token, id, USERS)).status, 200);
  });

  test('upstream budgets outlive changes that leave account and config alone', async () => {
    await using strict = await startServiceOn(running, {
      upstreams: {
        'chat-workspace': { baseUrl: running.sandbox.urls.slack, limits: 0.000_001 },
      },
    });
    const id = await strict.connector(await strict.applicationToken());
    const as = await strict.applicationToken();
    const list = () => strict.execute(as, id, USERS, { 'patchbay-timeout-ms': '1000' });
    assert.equal((await list()).status, 200);
    assertProblem(await list(), 'upstream_rate_limited');
    const item = `${COLLECTION}/${id}`;
    assert.equal(
      (await strict.send('PATCH', item, { token: as, body: { name: 'x' } })).status,
      200,
    );
    await renewCredentials(strict.store, id, { api_token: 'renewed' });
    strict.clock.advance(5_000);
    assertProblem(await list(), 'upstream_rate_limited');
    await accountOf(strict.store, id);
    const another = running.sandbox.oauth.servers.slack.people.at(-1)?.id ?? '';
    const [granted] = running.sandbox.oauth.grant({ vendor: 'slack', personId: another });
    const same = { credentials: { api_token: 'of-the-same-bot' } };
    assert.equal((await strict.send('PATCH', item, { token: as, body: same })).status, 200);
    assertProblem(await list(), 'upstream_rate_limited');
    const credentials = { api_token: granted?.accessToken };
    const kept = await strict.send('PATCH', item, { token: as, body: { credentials } });
    assertProblem(kept, 'account_mismatch');
    const body = { credentials, replace_account: true };
    assert.equal((await strict.send('PATCH', item, { token: as, body })).status, 200);
    assert.equal((await list()).status, 200);
  });

  test('describe and kinds tell what there is', async () => {
    const id = await running.connector(token);
    const description = await read(id, '/describe');
    assert.equal(at(description, 'kind'), 'chat-workspace');
    assert.equal(at(description, 'entities.0.actions.2.name'), 'search');
    assert.equal(at(description, 'entities.0.actions.2.hosted_only'), true);
    assert.deepEqual(at(description, 'entities.0.actions.2.params_schema.required'), ['query']);
    const kinds = await running.send('GET', '/api/v1/connector-kinds', { token });
    assert.deepEqual(at(kinds, 'data.0'), description.body);
    const kind = await running.send('GET', '/api/v1/connector-kinds/Slack', { token });
    assert.deepEqual(kind.body, description.body);
    const unknown = await running.send('GET', '/api/v1/connector-kinds/nothing', { token });
    assertProblem(unknown, 'unknown_connector_type');
  });

  test('workspaces are the external users that have connectors', async () => {
    for (const external_user_id of ['ws-b', 'ws-a', 'ws-a', 'ws%'])
      await running.connector(token, { external_user_id });
    const find = (text: string) =>
      running.send('GET', `/api/v1/workspaces?name_contains=${encodeURIComponent(text)}`, {
        token,
      });
    assert.deepEqual(at(await find('ws-'), 'data'), [
      { id: 'ws-a', name: 'ws-a' },
      { id: 'ws-b', name: 'ws-b' },
    ]);
    assert.deepEqual(at(await find('%'), 'data'), [{ id: 'ws%', name: 'ws%' }]);
    assertProblem(
      await running.send('GET', '/api/v1/workspaces?name=x', { token }),
      'invalid_request',
    );
  });
});

function listed(answer: TestAnswer, member = 'data'): readonly unknown[] {
  const data = at(answer, member);
  assert.ok(Array.isArray(data), answer.text);
  return data.map((_, index) => at(answer, `${member}.${index}.id`));
}
