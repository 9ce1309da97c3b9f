import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { at, textAt } from './support/http-client.ts';
import { openMcp, type McpSession } from './support/mcp-session.ts';
import { someChannel, startServiceOn, useTestService } from './support/start-test-service.ts';

const FIVE = ['list_connectors', 'describe', 'execute', 'search', 'sync_status'];
const LIST = { entity: 'users', action: 'list', params: { limit: 3 } } as const;
const BY_ID = { sort: [{ id: 'asc' }] } as const;
const USERS = Array.from({ length: 40 }, (_, index) =>
  copiedUser(`U${index + 100}`, {
    real_name: `Person ${index}`,
    profile: { title: 'x'.repeat(400) },
  }),
);

/** A client of the newest revision is told so; others say which one they know. */
const CLIENTS = [
  { revision: '2026-07-28', options: { versionNegotiation: { mode: 'auto' } } },
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'].map((revision) => ({
    revision,
    options: { supportedProtocolVersions: [revision] },
  })),
] as const;

describe('MCP at the service', async () => {
  let writer: McpSession;
  let reader: McpSession;
  // Before the service is told to end: hooks run in their order.
  after(async () => {
    await writer[Symbol.asyncDispose]();
    await reader[Symbol.asyncDispose]();
  });
  const { running } = await useTestService();
  const own = await running.scopedToken('user-1');
  const id = await running.connector(own);
  // The first call that succeeds proves the credentials.
  await running.execute(own, id, LIST);
  await copyByHand(running.store, id, 'users', USERS);
  writer = await openMcp(running, own);
  reader = await openMcp(running, await running.scopedToken('user-1', { access: 'read' }));

  const execute = async (body: Readonly<Record<string, unknown>>) =>
    running.execute(await running.scopedToken('user-1'), id, body);

  for (const { revision, options } of CLIENTS)
    test(`a client of ${revision} lists the five tools and calls each`, async () => {
      const token = await running.scopedToken('user-1');
      await using session = await openMcp(running, token, options);
      assert.equal(session.client.getNegotiatedProtocolVersion(), revision);
      const { tools } = await session.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        FIVE,
      );
      const connectors = await session.call('list_connectors');
      assert.deepEqual(at(connectors, 'connectors'), [
        { id, kind: 'chat-workspace', name: 'Team chat', status: 'active' },
      ]);
      const entity = await session.call('describe', { connector: id, entity: 'users' });
      assert.deepEqual(at(entity, 'actions'), ['list', 'get', 'search']);
      const page = await session.call('execute', LIST);
      const direct = await execute(LIST);
      assert.deepEqual(at(page, 'data'), at(direct, 'result'));
      const { next_params: next, ...meta } = at(direct, 'connector_metadata') as {
        readonly next_params: object;
      };
      assert.deepEqual(at(page, 'meta'), meta);
      assert.deepEqual(at(page, 'next_params'), { ...LIST.params, ...next });
      const params = { query: BY_ID, limit: 2 };
      const found = await session.call('search', { entity: 'users', ...params });
      const searched = await execute({ entity: 'users', action: 'search', params });
      assert.deepEqual(at(found, 'hits'), at(searched, 'result.hits'));
      assert.equal(at(found, 'next_cursor'), at(searched, 'result.next_cursor'));
      const status = await session.call('sync_status', { connector: 'slack' });
      assert.equal(at(status, 'entities.0.entity'), 'users');
      assert.equal(at(status, 'entities.0.complete'), true);
    });

  test('a read-only token gets tools that only read, and its writes are refused', async () => {
    const { tools } = await reader.client.listTools();
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
    const channel = await someChannel(running, await running.scopedToken('user-1'), id);
    running.sandbox.resetRequests();
    const params = { channel, text: 'x' };
    const write = { entity: 'messages', action: 'create', params };
    assert.equal(at(await reader.fail('execute', write), 'code'), 'forbidden');
    assert.deepEqual(running.sandbox.requests(), []);
  });

  test('a token with access "write" writes, once per idempotency key', async () => {
    const { tools } = await writer.client.listTools();
    assert.deepEqual(tools[2]?.annotations, {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    const channel = await someChannel(running, await running.scopedToken('user-1'), id);
    const write = {
      entity: 'messages',
      action: 'create',
      params: { channel, text: 'from a model' },
      idempotency_key: 'key-1',
    };
    running.sandbox.resetRequests();
    const first = await writer.call('execute', write);
    assert.equal(at(first, 'data.text'), 'from a model');
    assert.deepEqual(await writer.call('execute', write), first);
    assert.equal(running.log.lines().at(-1)?.['replayed'], true);
    assert.equal(running.sandbox.requests().length, 1);
    const other = { ...write, params: { channel, text: 'another' } };
    const reused = await writer.fail('execute', other);
    assert.equal(at(reused, 'code'), 'idempotency_key_reused');
    // A new key, as the message has it, would do the same write twice where this was meant as a repetition.
    assert.match(textAt(reused, 'advice'), /repeat that call exactly as it was/);
  });

  test('a write that the copy could not take is told as such, also to who repeats it', async () => {
    const copies = {
      ...running.store.copies,
      merge: () => Promise.reject(new Error('the disk is full')),
    };
    await using broken = await startServiceOn({
      ...running,
      store: { ...running.store, copies },
    });
    const token = await broken.scopedToken('user-5');
    const connector = await broken.connector(token, { external_user_id: 'user-5' });
    await using session = await openMcp(broken, token);
    const write = {
      connector,
      entity: 'channels',
      action: 'create',
      params: { name: 'not-found-yet' },
      idempotency_key: 'key-of-a-broken-copy',
    };
    const created = await session.call('execute', write);
    assert.equal(at(created, 'data.name'), 'not-found-yet');
    assert.equal(at(created, 'warnings.0.code'), 'copy_not_updated');
    assert.deepEqual(await session.call('execute', write), created);
    const read = { connector, entity: 'channels', action: 'get' };
    const channel = at(created, 'data.id');
    const found = await session.call('execute', { ...read, params: { channel } });
    assert.equal(at(found, 'warnings'), undefined);
  });

  test('what is left out of the answer to a write is no reason to repeat it', async () => {
    const channel = await someChannel(running, await running.scopedToken('user-1'), id);
    const params = { channel, text: 'long '.repeat(1_500) };
    const write = { entity: 'messages', action: 'create', params, max_bytes: 4_096 };
    const posted = await writer.call('execute', write);
    assert.deepEqual(at(posted, 'truncated.fields_left_out'), ['text']);
    assert.match(textAt(posted, 'truncated.rest'), /^The write is done: do not repeat it/);
    const read = { entity: 'users', action: 'get', params: { user: at(posted, 'data.user') } };
    assert.equal(at(await writer.call('execute', read), 'truncated'), undefined);
  });

  test('an idempotency key that no header could carry is a fault of the call', async () => {
    const channel = await someChannel(running, await running.scopedToken('user-1'), id);
    const params = { channel, text: 'never posted' };
    running.sandbox.resetRequests();
    const ends = [' a', 'a ', ' '];
    for (const key of ['a\0b', 'a\nb', 'half \ud800 pair', 'ключ', '', 'x'.repeat(256), ...ends]) {
      const write = { entity: 'messages', action: 'create', params, idempotency_key: key };
      const error = await writer.fail('execute', write);
      assert.equal(at(error, 'code'), 'invalid_request', JSON.stringify(key));
      assert.match(error.text, /idempotency_key/);
    }
    assert.deepEqual(running.sandbox.requests(), []);
  });

  test('a write of unknown outcome stays one, and is told as over HTTP', async () => {
    const channel = await someChannel(running, await running.scopedToken('user-1'), id);
    running.sandbox.faults.add({ kind: 'cutConnection', afterApplying: true, times: 1 });
    running.sandbox.resetRequests();
    const params = { channel, text: 'was it posted?' };
    const write = { entity: 'messages', action: 'create', params, idempotency_key: 'key-2' };
    const first = await writer.fail('execute', write);
    assert.equal(at(first, 'code'), 'write_outcome_unknown');
    assert.equal(at(first, 'retry'), 'never');
    assert.match(textAt(first, 'details.how_to_find_out'), /\w/);
    // With the same key it would stay unknown.
    assert.match(textAt(first, 'advice'), /if it did not, .* with a new idempotency_key/);
    // The same to the letter, the id of the first call included.
    assert.deepEqual(await writer.fail('execute', write), first);
    assert.equal(running.sandbox.requests().length, 1);
  });

  test('connectors of others are as absent as over HTTP', async () => {
    const other = await running.connector(await running.scopedToken('user-2'), {
      external_user_id: 'user-2',
    });
    const second = await running.connector(await running.applicationToken());
    const limited = await running.scopedToken('user-1', { connectorIds: [second] });
    await using session = await openMcp(running, limited);
    const listed = await session.call('list_connectors');
    assert.equal(at(listed, 'connectors.length'), 1);
    assert.equal(at(listed, 'connectors.0.id'), second);
    for (const connector of [other, id, id.replace(/.$/, 'x')])
      for (const [tool, args] of [
        ['describe', { connector }],
        ['execute', { connector, ...LIST }],
        ['search', { connector, entity: 'users' }],
        ['sync_status', { connector }],
      ] as const)
        assert.equal(at(await session.fail(tool, args), 'code'), 'connector_not_found', tool);
    // Leaves one connector to the user, as the other tests expect.
    await running.send('DELETE', `/v1/integrations/connectors/${second}`, {
      token: await running.applicationToken(),
    });
  });

  test('errors are those of HTTP, with a call that would work', async () => {
    const wrong = { entity: 'users', action: 'list', params: { limt: 3 }, select_fields: ['id'] };
    const failed = await reader.fail('execute', wrong);
    const problem = await execute(wrong);
    assert.equal(at(failed, 'code'), at(problem, 'code'));
    const told = `${textAt(failed, 'faults.0.field')} ${textAt(failed, 'faults.0.message')}`;
    assert.equal(told, at(problem, 'errors.0.message'));
    assert.match(textAt(failed, 'details.request_id'), /^[0-9a-f-]{36}$/);
    const corrected = at(failed, 'corrected_call.arguments') as Readonly<Record<string, unknown>>;
    assert.deepEqual(corrected, { ...wrong, params: { limit: 3 } });
    const selected = await reader.call('execute', corrected);
    assert.deepEqual(Object.keys(at(selected, 'data.0') as object), ['id']);
    const query = { filter: { eq: { real_nam: 'x' } } };
    const search = await reader.fail('search', { entity: 'users', query });
    assert.equal(at(search, 'code'), 'invalid_query');
    assert.equal(at(search, 'corrected_call.arguments.query.filter.eq.real_name'), 'x');
    const upstream = await reader.fail('execute', {
      entity: 'users',
      action: 'get',
      params: { user: 'U0NOBODY' },
    });
    assert.equal(at(upstream, 'code'), 'record_not_found');
    assert.equal(at(upstream, 'details.upstream_code'), 'user_not_found');
  });

  test('answers keep to their budget, and lead on to what is left', async () => {
    const unasked = await reader.call('execute', { ...LIST, params: {} });
    assert.ok(Buffer.byteLength(unasked.text) <= 10_000);
    const all = await reader.call('execute', { ...LIST, params: {}, max_bytes: 49_152 });
    assert.equal(at(all, 'data.length'), 25);
    const large = await reader.call('execute', { ...LIST, params: { limit: 200 } });
    assert.ok(Buffer.byteLength(large.text) <= 49_152);
    assert.ok(Number(at(large, 'truncated.left_out')) > 0, large.text.slice(-300));
    const length = Number(at(large, 'data.length'));
    const next = await reader.call('execute', { ...LIST, params: at(large, 'next_params') });
    const direct = await execute({ ...LIST, params: { limit: length + 1 } });
    assert.deepEqual(at(next, 'data.0'), at(direct, `result.${length}`));
    const ids: unknown[] = [];
    const args = { entity: 'users', query: BY_ID, max_bytes: 4_096 };
    let cursor: unknown;
    do {
      const page = await reader.call('search', {
        ...args,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(Buffer.byteLength(page.text) <= 4_096);
      const hits = at(page, 'hits') as readonly { readonly id: string }[];
      ids.push(...hits.map((hit) => hit.id));
      cursor = at(page, 'next_cursor');
    } while (cursor !== null);
    assert.deepEqual(
      ids,
      USERS.map(({ key }) => key),
    );
  });

  test('a file comes as far as it fits, and says where it goes on', async () => {
    const { urls } = running.sandbox;
    const upstream = { baseUrl: urls.zendeskSupport, fileOrigins: [urls.zendeskFiles] };
    await using other = await startServiceOn(running, {
      upstreams: { 'support-ticketing': { ...upstream, limits: 'reactive' } },
    });
    const token = await other.scopedToken('user-4');
    const support = await other.connector(token, {
      external_user_id: 'user-4',
      connector_type: 'zendesk-support',
      credentials: { access_token: 'of-a-test' },
      replication_config: undefined,
    });
    const comments = { entity: 'ticket_comments', action: 'list', params: { ticket_id: 1 } };
    const listed = await other.execute(token, support, comments);
    const files = at(listed, 'result.0.attachments') as readonly { id: number; size: number }[];
    const { id: attachment_id, size } = files[2] ?? { id: 0, size: 0 };
    await using session = await openMcp(other, token);
    const params = { attachment_id };
    const args = { entity: 'attachments', action: 'download', params, max_bytes: 8_192 };
    const begin = await session.call('execute', args);
    const given = Number(at(begin, 'truncated.bytes_given'));
    assert.ok(given > 4_096 && given < size, begin.text.slice(-300));
    assert.equal(at(begin, 'data.size'), size);
    const next = await session.call('execute', { ...args, params: at(begin, 'next_params') });
    assert.equal(at(next, 'data.content_range'), `bytes ${given}-${size - 1}/${size}`);
  });
});
