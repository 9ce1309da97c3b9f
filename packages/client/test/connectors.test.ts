import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isConnectorError, type NewConnector } from '../src/index.ts';
import { collect } from './support/collect.ts';
import { startHosted, TEAM_CHAT, watchFetch, type Hosted } from './support/start-hosted.ts';

const ABSENT = '01a1fd50-54ba-79a1-a087-6b4fef496709';

describe('connectors', () => {
  let hosted: Hosted;
  before(async () => {
    hosted = await startHosted();
  });
  after(() => hosted[Symbol.asyncDispose]());

  test('create, get, update, check, delete', async () => {
    const { connectors } = hosted.client();
    const created = await connectors.create({ ...TEAM_CHAT, verify: true });
    assert.equal(created.connector_type, 'chat-workspace');
    assert.equal(created.status, 'active');
    assert.deepEqual(await connectors.get(created.id), created);
    const change = { name: 'Renamed', replication_config: { lookback_window: 3 }, paused: true };
    const updated = await connectors.update(created.id, change);
    assert.equal(updated.name, 'Renamed');
    assert.equal(updated.status, 'paused');
    assert.equal(updated.replication_config?.['lookback_window'], 3);
    const report = await connectors.check(created.id);
    assert.equal(report.id, created.id);
    assert.deepEqual(report.entity_check_results, [
      { entity: 'users', status: 'succeeded' },
      { entity: 'channels', status: 'succeeded' },
    ]);
    assert.match((await connectors.delete(created.id)).job_id, /^[0-9a-f-]{36}$/);
    await assert.rejects(connectors.get(created.id), { code: 'connector_not_found' });
  });

  test('a list comes by pages, and whole', async () => {
    const { connectors } = hosted.client();
    const made: string[] = [];
    for (let count = 0; count < 5; count++)
      made.push((await connectors.create({ ...TEAM_CHAT, name: `Chat ${count}` })).id);
    const first = await connectors.list({ limit: 2 });
    assert.equal(first.data.length, 2);
    assert.ok(first.next !== null);
    const second = await connectors.list({ limit: 2, cursor: first.next });
    const rest = await collect(connectors.list.all({ limit: 2, cursor: first.next }));
    assert.deepEqual(rest.slice(0, 2), second.data);
    const pages = await collect(connectors.list.pages({ limit: 2 }));
    assert.deepEqual(
      pages.map(({ data }) => data.length),
      [2, 2, 1],
    );
    const all = await collect(connectors.list.all({ connector_type: 'slack', limit: 2 }));
    assert.deepEqual(
      all.map(({ id }) => id),
      made,
    );
    const [one = ''] = made;
    await connectors.update(one, { paused: true });
    const narrowed = await connectors.list({ q: 'CHAT', status: 'paused' });
    assert.deepEqual(
      narrowed.data.map(({ id }) => id),
      [one],
    );
    assert.deepEqual((await connectors.list({ q: 'nothing' })).data, []);
    await assert.rejects(connectors.list({ connector_type: 'slak' }), {
      code: 'unknown_connector_type',
    });
  });

  test('faults come back as the library words them', async () => {
    const { connectors } = hosted.client();
    const { credentials: _, ...noCredentials } = TEAM_CHAT;
    const wrong: NewConnector = {
      ...noCredentials,
      credentials: { token: 'a-token-of-someone' },
    };
    await assert.rejects(connectors.create(wrong), (error) => {
      assert.ok(isConnectorError(error, 'invalid_credentials'));
      assert.ok(!JSON.stringify(error).includes('a-token-of-someone'));
      assert.ok(error.details.faults.length > 0);
      return typeof error.details.requestId === 'string';
    });
  });

  test('an id that is none reaches no other route', async () => {
    const watched = watchFetch();
    const { connectors } = hosted.client({ fetch: watched.fetch });
    for (const id of ['', '..', 'a/b', '?x', 'no-uuid'])
      for (const name of ['get', 'delete', 'check', 'describe'] as const)
        await assert.rejects(connectors[name](id), { code: 'connector_not_found' });
    assert.equal(watched.sent.length, 0);
    await assert.rejects(connectors.get(ABSENT), { code: 'connector_not_found' });
  });

  test('stats come with the credentials of the application, and no others', async () => {
    const patchbay = hosted.client();
    const { id } = await patchbay.connectors.create({ ...TEAM_CHAT, name: 'Counted' });
    const query = { connector_id: id, step: 3_600 };
    const stats = await patchbay.stats(query);
    assert.equal(stats.step, 3_600);
    assert.equal(stats.series[0]?.at, stats.from);
    assert.deepEqual([stats.total.calls, stats.total.latency_ms], [0, null]);
    await assert.rejects(patchbay.stats({ connector_id: ABSENT }), { code: 'connector_not_found' });
    const { token } = await patchbay.scopedToken();
    const stranger = hosted.clientWithToken({ token: async () => token });
    await assert.rejects(stranger.stats(query), { code: 'forbidden' });
    await patchbay.connectors.delete(id);
  });

  test('an external user goes as a whole, with the credentials of the application', async () => {
    const patchbay = hosted.client();
    const { id } = await patchbay.connectors.create({ ...TEAM_CHAT, name: 'To go' });
    const { external_user_id: user } = await patchbay.connectors.get(id);
    const { token } = await patchbay.scopedToken();
    const stranger = hosted.clientWithToken({ token: async () => token });
    await assert.rejects(stranger.deleteExternalUser(user), { code: 'forbidden' });
    await assert.rejects(patchbay.deleteExternalUser('a/b'), { code: 'external_user_not_found' });
    const { job_id: jobId } = await patchbay.deleteExternalUser(user, { revoke: false });
    await assert.rejects(patchbay.connectors.get(id), { code: 'connector_not_found' });
    assert.ok((await patchbay.job(jobId)).connectors >= 1);
    await assert.rejects(patchbay.job(ABSENT), { code: 'job_not_found' });
    await assert.rejects(stranger.job(jobId), { code: 'forbidden' });
  });

  test('connector(kind) takes the only one there is', async () => {
    const patchbay = hosted.client();
    await assert.rejects(patchbay.connector('chat-workspace'), (error) => {
      assert.ok(isConnectorError(error, 'connector_not_found'));
      return /has no connector of the kind "chat-workspace"/.test(error.message);
    });
    const first = await patchbay.connectors.create(TEAM_CHAT);
    const slack = await patchbay.connector('chat-workspace');
    assert.equal(slack.id, first.id);
    assert.equal((await slack.check()).status, 'succeeded');
    const second = await patchbay.connectors.create({ ...TEAM_CHAT, name: 'Another' });
    await assert.rejects(patchbay.connector('slack'), (error) => {
      assert.ok(isConnectorError(error, 'invalid_request'));
      return [first.id, second.id, 'Team chat', 'Another'].every((part) =>
        error.message.includes(part),
      );
    });
    assert.equal((await patchbay.connector(second.id)).id, second.id);
    await assert.rejects(patchbay.connector('slak'), { code: 'unknown_connector_type' });
  });

  test('are disabled and enabled with the credentials of the application, and no others', async () => {
    const patchbay = hosted.client();
    const { id, disabled } = await patchbay.connectors.create(TEAM_CHAT);
    assert.equal(disabled, false);
    const off = await patchbay.connectors.update(id, { disabled: true });
    assert.deepEqual([off.disabled, off.status], [true, 'disabled']);
    const slack = await patchbay.connector(id, { kind: 'slack' });
    await assert.rejects(slack.users.list({ limit: 1 }), { code: 'connector_disabled' });
    await assert.rejects(slack.users.search({ query: {} }), { code: 'connector_disabled' });
    const token = await hosted.mintToken(off.external_user_id);
    const withToken = hosted.clientWithToken({ token: async () => token });
    for (const change of [{ disabled: false }, { disabled: true }])
      await assert.rejects(withToken.connectors.update(id, change), { code: 'forbidden' });
    // Another user's is out of reach, though the application's own tokens open it.
    const stranger = hosted.client();
    await assert.rejects(stranger.connectors.update(id, { disabled: false }), {
      code: 'connector_not_found',
    });
    await patchbay.connectors.update(id, { disabled: false });
    assert.equal((await slack.users.list({ limit: 1 })).data.length, 1);
  });

  test('connector(id) is of the kind that was asked for, and within reach', async () => {
    const patchbay = hosted.client();
    const { id } = await patchbay.connectors.create(TEAM_CHAT);
    const slack = await patchbay.connector(id, { kind: 'chat-workspace' });
    assert.equal((await slack.users.list({ limit: 1 })).data.length, 1);
    assert.equal((await patchbay.connector(id, { kind: 'slack' })).id, id);
    const other = 'support-chat' as 'chat-workspace';
    await assert.rejects(patchbay.connector(id, { kind: other }), { code: 'connector_not_found' });
    await assert.rejects(hosted.client().connector(id), { code: 'connector_not_found' });
  });
});
