import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { at, textAt } from './support/http-client.ts';
import { openMcp } from './support/mcp-session.ts';
import { assertProblem } from './support/problem.ts';
import { OPERATOR_KEY, useTestService } from './support/start-test-service.ts';

const COLLECTION = '/v1/integrations/connectors';

describe('a disabled connector', async () => {
  const { running, token } = await useTestService();
  const scoped = await running.scopedToken('user-1');
  const { send } = running;
  const patch = (id: string, body: object, as = token) =>
    send('PATCH', `${COLLECTION}/${id}`, { token: as, body });
  const made = async () => {
    const id = await running.connector(token);
    await copyByHand(running.store, id, 'users', [copiedUser('U1', {})]);
    return id;
  };
  const disabled = async () => {
    const id = await made();
    const answer = await patch(id, { disabled: true });
    assert.equal(answer.status, 200, answer.text);
    return id;
  };

  const CALLS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    list: { entity: 'users', action: 'list' },
    'a write': {
      entity: 'messages',
      action: 'create',
      params: { channel: 'C1', text: 'never to be sent' },
    },
    search: { entity: 'users', action: 'search', params: { query: {} } },
    'the search of later clients': {
      entity: 'users',
      action: 'context_store_search',
      params: { query: {} },
    },
    'the check of earlier clients': { entity: '*', action: 'check', params: {} },
  };
  for (const [name, body] of Object.entries(CALLS))
    test(`refuses ${name}, and asks nothing of its upstream`, async () => {
      const id = await disabled();
      running.sandbox.resetRequests();
      for (const as of [token, scoped]) {
        const answer = await running.execute(as, id, body, { 'idempotency-key': randomUUID() });
        assertProblem(answer, 'connector_disabled');
        assert.equal(answer.status, 424);
        assert.match(textAt(answer, 'detail'), new RegExp(`PATCH .*/${id} {"disabled":false}`));
      }
      assert.equal(running.sandbox.requests().length, 0);
    });

  test('refuses a check and a sync', async () => {
    const id = await disabled();
    running.sandbox.resetRequests();
    for (const path of ['check', 'sync'])
      assertProblem(
        await send('POST', `${COLLECTION}/${id}/${path}`, { token }),
        'connector_disabled',
      );
    assert.equal(running.sandbox.requests().length, 0);
  });

  test('refuses models, who see that it is disabled', async () => {
    const id = await disabled();
    await using session = await openMcp(running, scoped);
    const { connectors } = (await session.call('list_connectors')).body as {
      readonly connectors: readonly { readonly id: string; readonly status?: string }[];
    };
    assert.equal(connectors.find((each) => each.id === id)?.status, 'disabled');
    const call = { connector: id, entity: 'users', action: 'list' };
    assert.equal(at(await session.fail('execute', call), 'code'), 'connector_disabled');
    const search = { connector: id, entity: 'users', query: {} };
    assert.equal(at(await session.fail('search', search), 'code'), 'connector_disabled');
  });

  test('can be read, listed, described, inspected, changed and deleted', async () => {
    const id = await disabled();
    const item = `${COLLECTION}/${id}`;
    const seen = await send('GET', item, { token: scoped });
    assert.partialDeepStrictEqual(seen.body, { status: 'disabled', disabled: true, paused: false });
    const listed = await send('GET', COLLECTION, { token: scoped });
    assert.ok(listed.text.includes(id));
    for (const path of ['/describe', '/inspect', '/sync'])
      assert.equal((await send('GET', item + path, { token: scoped })).status, 200, path);
    const renamed = await patch(
      id,
      { name: 'Other', credentials: { api_token: 'xoxb-new' } },
      scoped,
    );
    assert.partialDeepStrictEqual(renamed.body, { name: 'Other', status: 'disabled' });
    assert.equal((await send('DELETE', item, { token: scoped })).status, 202);
  });

  test('is disabled and enabled by its application and the operator, and by no scoped token', async () => {
    const id = await made();
    for (const value of [true, false])
      for (const body of [{ disabled: value }, { disabled: value, name: 'x' }])
        assertProblem(await patch(id, body, scoped), 'forbidden');
    for (const as of [token, OPERATOR_KEY])
      for (const value of [true, false])
        assert.equal(at(await patch(id, { disabled: value }, as), 'disabled'), value);
    assertProblem(await patch(id, { disabled: 'yes' }), 'invalid_request');
  });

  test('answers again once it is enabled, and is synced', async () => {
    const id = await disabled();
    const runs = async () => (await running.store.syncs.runs(id)).current?.cause;
    const enabled = await patch(id, { disabled: false });
    assert.partialDeepStrictEqual(enabled.body, { disabled: false, paused: false });
    assert.notEqual(at(enabled, 'status'), 'disabled');
    const list = { entity: 'users', action: 'list', params: { limit: 1 } };
    assert.equal((await running.execute(scoped, id, list)).status, 200);
    assert.ok((await runs()) !== undefined);
  });

  test('stays paused where it was paused besides, and says so', async () => {
    const id = await made();
    await patch(id, { paused: true });
    const both = await patch(id, { disabled: true });
    assert.partialDeepStrictEqual(both.body, { status: 'disabled', disabled: true, paused: true });
    const paused = await patch(id, { disabled: false });
    assert.partialDeepStrictEqual(paused.body, { status: 'paused', disabled: false, paused: true });
  });

  test('differs from a paused one, which answers calls and searches and says that copying is paused', async () => {
    const id = await running.connector(token);
    await copyByHand(running.store, id, 'users', [copiedUser('U1', {})]);
    const item = `${COLLECTION}/${id}`;
    await running.send('PATCH', item, { token, body: { paused: true } });
    const list = { entity: 'users', action: 'list', params: { limit: 1 } };
    assert.equal((await running.execute(token, id, list)).status, 200);
    const search = { entity: 'users', action: 'search', params: { query: {} } };
    const found = await running.execute(token, id, search);
    assert.equal(at(found, 'result.hits.length'), 1);
    assert.equal(at(found, 'result.sync.state'), 'paused');
    const sync = await running.send('POST', `${item}/sync`, { token });
    assertProblem(sync, 'connector_paused');
    assert.match(textAt(sync, 'title'), /copying/);
    assert.match(textAt(sync, 'detail'), /copying .* is paused; calls and searches go on/);
    const never = { entity: 'channels', action: 'search', params: { query: {} } };
    const unready = await running.execute(token, id, never);
    assertProblem(unready, 'search_not_ready');
    assert.match(textAt(unready, 'detail'), /copying is paused/);
  });
});
