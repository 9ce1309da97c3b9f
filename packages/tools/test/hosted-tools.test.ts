import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { HostedConnector, Patchbay } from '@patchbay/client';
import type { Kinds } from '@patchbay/connectors';
import { hostedHost, Toolbox } from '@patchbay/tools';
import { at, callerOf, listAt, type Caller } from './support/answers.ts';
import { collect } from './support/collect.ts';
import { openClient } from './support/open-client.ts';
import { INTERCOM, SLACK, startHosted, type Hosted } from './support/start-hosted.ts';
import { startMcpHttp } from './support/start-mcp-http.ts';

const BY_NAME = { sort: [{ name: 'asc' }] } as const;

describe('the tools, over a service', () => {
  let hosted: Hosted;
  let patchbay: Patchbay;
  let slack: HostedConnector<Kinds['chat-workspace']>;
  let call: Caller;
  let write: Caller;
  before(async () => {
    hosted = await startHosted();
    patchbay = hosted.client();
    await patchbay.connectors.create(SLACK);
    await patchbay.connectors.create(INTERCOM);
    slack = await patchbay.connector('chat-workspace');
    await collect(slack.sync.watch());
    const host = hostedHost(patchbay);
    call = callerOf(new Toolbox({ host }));
    write = callerOf(new Toolbox({ host, allowWrites: true }));
  });
  after(() => hosted[Symbol.asyncDispose]());

  test('connectors are those of the external user, with their state', async () => {
    const connectors = listAt(await call('list_connectors'), 'connectors');
    assert.deepEqual(
      connectors.map(({ kind, name }) => [kind, name]),
      [
        ['chat-workspace', 'Team chat'],
        ['customer-messaging', 'Customers'],
      ],
    );
    assert.equal(connectors[0]?.['id'], slack.id);
    assert.equal(connectors[0]['status'], 'active');
    const nobody = callerOf(
      new Toolbox({ host: hostedHost(hosted.client({ externalUserId: 'nobody' })) }),
    );
    assert.deepEqual(await nobody('list_connectors'), { connectors: [] });
    const { code, message } = await nobody.error('describe');
    assert.equal(code, 'connector_not_found');
    assert.match(message, /no connectors yet/);
    assert.equal((await nobody.error('describe', { connector: slack.id })).code, code);
  });

  test('describe tells what can be searched, and how', async () => {
    const kind = await call('describe', { connector: 'slack' });
    assert.deepEqual(at(kind, 'entities.0.actions'), ['list', 'get', 'search']);
    const entity = await call('describe', { connector: slack.id, entity: 'users' });
    assert.equal(at(entity, 'searchable_fields.is_bot'), 'boolean');
    assert.match(String(at(entity, 'searchable_fields.has_2fa')), /^boolean: /);
    assert.deepEqual(Object.keys(at(entity, 'action_docs') ?? {}), ['list', 'get', 'search']);
    const args = { connector: slack.id, entity: 'users', action: 'search' };
    const search = await call('describe', args);
    assert.equal(at(search, 'fields.updated'), 'integer');
    const nested = search['nested_fields'] as Record<string, string>;
    assert.match(nested['profile.email'] ?? '', /^string, in about \d+ records$/);
    assert.deepEqual(entity['nested_fields'], nested);
    assert.match(String(search['query_language']), /fuzzy/);
    // The example works as it stands, but for the connector.
    const example = at(search, 'example.arguments') as object;
    await call('search', { connector: slack.id, ...example });
  });

  test('a description of an entity takes the time that it is given', async () => {
    const described = hostedHost(patchbay).describeEntity(slack.id, 'users', { timeoutMs: 0 });
    await assert.rejects(described, { code: 'invalid_config', message: /timeoutMs/ });
  });

  test('results are those of the client', async () => {
    const list = { connector: 'slack', entity: 'channels', action: 'list', params: { limit: 3 } };
    const direct = await slack.channels.list({ limit: 3 });
    const page = await call('execute', list);
    assert.deepEqual([page['data'], page['meta']], [direct.data, direct.meta]);
    assert.deepEqual(page['next_params'], { limit: 3, cursor: direct.meta.next_cursor });
    const channel = direct.data[0]?.id ?? '';
    const get = { connector: 'slack', entity: 'channels', action: 'get', params: { channel } };
    assert.deepEqual(await call('execute', get), { data: await slack.channels.get({ channel }) });
    const selected = await call('execute', { ...get, select_fields: ['id', 'topic.value'] });
    assert.deepEqual(Object.keys(at(selected, 'data') ?? {}), ['id', 'topic']);
  });

  test('search counts what matches, and once only where its page has to be shorter', async () => {
    const args = { connector: 'slack', entity: 'users', count: true, facets: ['is_bot', 'name'] };
    const whole = await slack.users.search({ query: {}, count: true, facets: ['is_bot', 'name'] });
    const found = await call('search', { ...args, limit: 2 });
    assert.ok(whole.total !== undefined && whole.facets !== undefined);
    assert.deepEqual(found['total'], whole.total);
    assert.deepEqual(found['facets'], whole.facets);
    const short = await call('search', { ...args, max_bytes: 4_096 });
    assert.ok(JSON.stringify(short).length <= 4_096);
    assert.deepEqual(short['total'], whole.total);
    assert.deepEqual(at(short, 'facets.is_bot'), whole.facets['is_bot']);
    assert.ok(at(short, 'hits.0') !== undefined);
  });

  test('search finds what the client finds, 25 hits at most unless said', async () => {
    const query = { filter: { fuzzy: { real_name: 'undrebough' } }, ...BY_NAME };
    const found = await call('search', { connector: 'slack', entity: 'users', query, limit: 3 });
    const { hits, next_cursor, sync } = await slack.users.search({ query, limit: 3 });
    assert.deepEqual([found['hits'], found['next_cursor']], [hits, next_cursor]);
    assert.equal(at(found, 'sync.state'), sync.state);
    assert.equal(at(found, 'sync.complete'), true);
    assert.equal('warnings' in found, false);
    const misspelt = { filter: { eq: { 'profile.emial': 'x' } } };
    const none = await call('search', { connector: 'slack', entity: 'users', query: misspelt });
    assert.equal(at(none, 'warnings.0.did_you_mean'), 'profile.email');
    const everybody = { connector: 'slack', entity: 'users' };
    const all = await call('search', { ...everybody, max_bytes: 49_152 });
    assert.equal(listAt(all, 'hits').length, 25);
    // What nobody asked for by a size is as short as an unasked list.
    const short = await call('search', everybody);
    const shown = listAt(short, 'hits');
    assert.ok(JSON.stringify(short).length <= 10_000);
    assert.deepEqual(shown, listAt(all, 'hits').slice(0, shown.length));
    assert.equal(at(short, 'truncated.left_out'), 25 - shown.length);
    const rest = await call('search', { ...everybody, cursor: short['next_cursor'], limit: 1 });
    assert.deepEqual(listAt(rest, 'hits')[0], listAt(all, 'hits')[shown.length]);
    const params = { query, limit: 3 };
    const args = { connector: 'slack', entity: 'users', action: 'search', params };
    assert.deepEqual((await call('execute', args))['hits'], hits);
    const tooLong = { ...args, params: { ...params, timeout_ms: 2_000_000_000 } };
    assert.equal((await call.error('execute', tooLong)).code, 'invalid_params');
    const few = await call('execute', { ...args, select_fields: ['name'] });
    assert.deepEqual(
      listAt(few, 'hits').map(({ data }) => Object.keys(data as object)),
      [['name'], ['name'], ['name']],
    );
  });

  test('a search that ended early says so, and how to go on', async () => {
    const asked: unknown[] = [];
    const ending = {
      id: slack.id,
      sync: slack.sync,
      describe: () => slack.describe(),
      execute: async (entity: string, _action: string, params: unknown) => {
        asked.push(params);
        const page = await slack.execute(entity as 'users', 'search', { query: {}, limit: 1 });
        return { ...page, hits: [], next_cursor: 'on', partial: true };
      },
    };
    const search = callerOf(new Toolbox({ host: hostedHost(ending) }));
    const args = { entity: 'users', allow_partial: true, timeout_ms: 500 };
    const found = await search('search', args);
    assert.deepEqual([found['hits'], found['partial'], found['next_cursor']], [[], true, 'on']);
    assert.match(String(found['more']), /more hits may follow.*next_cursor/);
    assert.deepEqual(asked, [{ query: {}, limit: 25, allow_partial: true, timeout_ms: 500 }]);
    const whole = await call('search', { connector: 'slack', ...args, timeout_ms: 5_000 });
    assert.equal('partial' in whole || 'more' in whole, false);
  });

  test('hits over their budget come as a shorter page, whose cursor is right', async () => {
    const args = { connector: 'slack', entity: 'users', query: BY_NAME, max_bytes: 8_192 };
    const ids: unknown[] = [];
    let cursor: unknown;
    let cuts = 0;
    do {
      const page = await call('search', { ...args, ...(cursor === undefined ? {} : { cursor }) });
      const hits = listAt(page, 'hits');
      if (page['truncated'] !== undefined) {
        cuts += 1;
        assert.equal(Number(at(page, 'truncated.left_out')) > 0, true);
      }
      ids.push(...hits.map(({ id }) => id));
      cursor = page['next_cursor'];
      assert.notEqual(cursor, undefined);
    } while (cursor !== null);
    const whole = await slack.users.search({ query: BY_NAME });
    assert.ok(cuts > 3);
    assert.deepEqual(
      ids,
      whole.hits.map(({ id }) => id),
    );
  });

  test('what hits show and what is counted may be paths as arrays, for names with dots in them', async () => {
    const path = ['profile', 'title'];
    const args = { connector: 'slack', entity: 'users', limit: 1, fields: ['id', path] };
    const page = await call('search', { ...args, facets: [path] });
    const [hit] = listAt(page, 'hits');
    assert.deepEqual(Object.keys(at(hit, 'data') as object), ['id', 'profile']);
    assert.deepEqual(Object.keys(at(hit, 'data.profile') as object), ['title']);
    assert.deepEqual(Object.keys(at(page, 'facets') as object), ['profile.title']);
  });

  test('a wrong query is told in the terms of the tool, with the right one', async () => {
    const args = { connector: 'slack', entity: 'users' };
    const query = { filter: { eq: { real_nam: 'Ada' } } };
    const { code, faults, corrected_call } = await call.error('search', { ...args, query });
    assert.equal(code, 'invalid_query');
    assert.equal(faults?.[0]?.field, 'query.filter.eq.real_nam');
    assert.deepEqual(corrected_call?.arguments, {
      ...args,
      query: { filter: { eq: { real_name: 'Ada' } } },
    });
    await call('search', corrected_call.arguments);
    const wrong = await call.error('search', { ...args, cursor: 'of nothing' });
    assert.equal(wrong.code, 'invalid_cursor');
    const unsearchable = await call.error('search', { connector: 'slack', entity: 'messages' });
    assert.equal(unsearchable.code, 'unsupported_action');
    assert.deepEqual(unsearchable.allowed, ['users', 'channels', 'channel_messages', 'threads']);
    const foreign = await call.error('search', { connector: 'slack', entity: 'user' });
    assert.deepEqual([foreign.code, foreign.did_you_mean], ['unknown_entity', 'users']);
    assert.deepEqual(foreign.allowed, unsearchable.allowed);
    // With the id by which an operator finds the request.
    const selected = {
      connector: 'slack',
      entity: 'users',
      action: 'list',
      select_fields: ['nme'],
    };
    const { details } = await call.error('execute', selected);
    assert.match(String(at(details, 'request_id')), /^[0-9a-f-]{36}$/);
  });

  test('sync_status tells how complete each copy is', async () => {
    const status = await call('sync_status', { connector: 'slack' });
    assert.equal(status['has_copy'], true);
    assert.equal(status['current'], null);
    assert.equal(at(status, 'last.state'), 'succeeded');
    const [users] = listAt(status, 'entities');
    assert.equal(users?.['entity'], 'users');
    assert.equal(users['complete'], true);
    assert.ok(!('checkpoint' in users));
  });

  test('a write is done once per idempotency key', async () => {
    const channels = slack.channels.list.all({ exclude_archived: true });
    const channel = (await collect(channels)).find(({ is_member }) => is_member === true)?.id;
    const args = { connector: 'slack', entity: 'messages', action: 'create' };
    const params = { channel, text: 'once' };
    const once = { ...args, params, idempotency_key: 'key-of-this-test' };
    const first = await write('execute', once);
    assert.equal(at(first, 'data.text'), 'once');
    assert.deepEqual(await write('execute', once), first);
    const other = { ...once, params: { channel, text: 'another' } };
    assert.equal((await write.error('execute', other)).code, 'idempotency_key_reused');
    const refused = await call.error('execute', { ...args, params });
    assert.equal(refused.code, 'forbidden');
  });

  test('the service refuses what its token does not allow, whatever the tools allow', async () => {
    const reader = hostedHost(hosted.client({ access: 'read' }));
    const misled = callerOf(new Toolbox({ host: reader, allowWrites: true }));
    const { code } = await misled.error('execute', {
      connector: 'slack',
      entity: 'messages',
      action: 'create',
      params: { channel: 'C1', text: 'x' },
    });
    assert.equal(code, 'forbidden');
  });

  test('a write of unknown outcome says that it must not be repeated, and how to find out', async () => {
    const method = 'chat.postMessage';
    hosted.sandbox.faults.add({ kind: 'cutConnection', method, times: 1, afterApplying: true });
    const channels = slack.channels.list.all({ exclude_archived: true });
    const channel = (await collect(channels)).find(({ is_member }) => is_member === true)?.id;
    const { code, retry, details, advice } = await write.error('execute', {
      connector: 'slack',
      entity: 'messages',
      action: 'create',
      params: { channel, text: 'was it posted?' },
    });
    assert.equal(code, 'write_outcome_unknown');
    assert.equal(retry, 'never');
    assert.match(advice ?? '', /Do not simply repeat/);
    assert.match(String(details?.['how_to_find_out']), /\w/);
  });

  test('one connector is a host too, and needs no name', async () => {
    const box = new Toolbox({ host: hostedHost(slack) });
    const single = callerOf(box);
    assert.deepEqual(await single('list_connectors'), {
      connectors: [{ id: slack.id, kind: 'chat-workspace', name: 'Slack' }],
    });
    const page = await single('search', { entity: 'channels', limit: 1 });
    assert.equal(listAt(page, 'hits').length, 1);
    assert.equal(at(await single('sync_status'), 'last.state'), 'succeeded');
    const definitions = await box.definitions();
    const { entity } = definitions[2]?.inputSchema.properties ?? {};
    assert.deepEqual(entity?.['enum'], slack.entities());
  });

  test('one connector is not taken for another whose id is given, by no tool', async () => {
    const { id: other } = await patchbay.connector('customer-messaging');
    const single = callerOf(new Toolbox({ host: hostedHost(slack), allowWrites: true }));
    hosted.sandbox.resetRequests();
    for (const connector of [other, randomUUID()])
      for (const [tool, args] of [
        ['describe', {}],
        ['describe', { entity: 'users' }],
        ['execute', { entity: 'users', action: 'list' }],
        ['execute', { entity: 'messages', action: 'create', params: { channel: 'C1', text: 'x' } }],
        ['search', { entity: 'users' }],
        ['sync_status', {}],
      ] as const) {
        const { code, allowed, corrected_call } = await single.error(tool, { connector, ...args });
        assert.equal(code, 'connector_not_found', tool);
        assert.deepEqual(allowed, [slack.id]);
        assert.equal(corrected_call, undefined);
      }
    assert.deepEqual(
      hosted.sandbox.requests().filter(({ path }) => path.includes('chat.postMessage')),
      [],
    );
    const own = await single('describe', { connector: slack.id.toUpperCase() });
    assert.equal(own['kind'], 'chat-workspace');
  });

  test('over MCP, the same', async () => {
    await using http = await startMcpHttp(() => ({
      host: hostedHost(patchbay),
      allowWrites: true,
    }));
    await using session = await openClient(new StreamableHTTPClientTransport(http.url), {
      versionNegotiation: { mode: 'auto' },
    });
    const { client } = session;
    const { tools } = await client.listTools();
    const properties = tools[2]?.inputSchema.properties ?? {};
    assert.ok('idempotency_key' in properties);
    const found = await client.callTool({
      name: 'search',
      arguments: { connector: 'slack', entity: 'users', query: BY_NAME, limit: 2 },
    });
    const { hits } = await slack.users.search({ query: BY_NAME, limit: 2 });
    assert.deepEqual(at(found.structuredContent, 'hits'), hits);
  });

  test('a service that cannot be reached is told with advice, and the tools are still listed', async () => {
    const away = hosted.client({ baseUrl: 'http://127.0.0.1:9', timeoutMs: 500 });
    const errors: unknown[] = [];
    const box = new Toolbox({
      host: hostedHost(away),
      onError: (error) => errors.push(error),
    });
    assert.equal((await box.definitions()).length, 5);
    assert.equal(errors.length, 1);
    const { code, advice } = await callerOf(box).error('list_connectors');
    assert.equal(code, 'not_ready');
    assert.match(advice ?? '', /later/);
  });
});
