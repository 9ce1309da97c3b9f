import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { createConnector } from '@patchbay/connectors';
import { allKinds } from '@patchbay/connectors/engine';
import { libraryHost, Toolbox } from '@patchbay/tools';
import { at, callerOf, listAt, type Caller } from './support/answers.ts';
import { collect } from './support/collect.ts';
import { listen } from './support/listen.ts';
import { startLibrary, type Library } from './support/start-library.ts';

describe('the tools, over connectors of the library', () => {
  let library: Library;
  let call: Caller;
  const errors: unknown[] = [];
  before(async () => {
    library = await startLibrary();
    call = callerOf(new Toolbox({ host: library.host, onError: (error) => errors.push(error) }));
  });
  after(async () => {
    await library[Symbol.asyncDispose]();
    assert.deepEqual(errors, []);
  });

  test('connectors are listed, all or of one kind', async () => {
    const connectors = listAt(await call('list_connectors'), 'connectors');
    assert.deepEqual(connectors, [
      { id: 'slack', kind: 'chat-workspace', name: 'Slack' },
      { id: 'intercom', kind: 'customer-messaging', name: 'Intercom' },
      { id: 'zendesk-chat', kind: 'support-chat', name: 'Zendesk Chat' },
      { id: 'zendesk', kind: 'support-ticketing', name: 'Zendesk Support' },
    ]);
    assert.deepEqual(await call('list_connectors', { kind: 'Zendesk Chat' }), {
      connectors: [connectors[2]],
    });
    const { code, corrected_call } = await call.error('list_connectors', { kind: 'intercmo' });
    assert.equal(code, 'unknown_connector_type');
    assert.deepEqual(corrected_call?.arguments, { kind: 'intercom' });
  });

  test('a connector is known by its id, its kind, an alias or its name', async () => {
    for (const connector of ['zendesk', 'support-ticketing', 'ZENDESK SUPPORT', 'zendesk_support'])
      assert.equal(at(await call('describe', { connector }), 'connector'), 'zendesk');
  });

  test('where the connector is not clear, the answer lists those there are', async () => {
    const missing = await call.error('describe');
    assert.equal(missing.code, 'invalid_request');
    assert.equal(missing.faults?.[0]?.field, 'connector');
    assert.equal(missing.faults[0].allowed, 'slack, intercom, zendesk-chat, zendesk');
    const unknown = await call.error('describe', { connector: 'slak', entity: 'users' });
    assert.equal(unknown.code, 'connector_not_found');
    assert.deepEqual(unknown.allowed, ['slack', 'intercom', 'zendesk-chat', 'zendesk']);
    assert.deepEqual(unknown.corrected_call, {
      tool: 'describe',
      arguments: { connector: 'slack', entity: 'users' },
    });
    const single = callerOf(new Toolbox({ host: libraryHost(library.connectors.slack) }));
    assert.equal(at(await single('describe'), 'connector'), 'chat-workspace');
    const only = await call.error('describe', { entity: 'ticket_fields' });
    assert.match(only.faults?.[0]?.message ?? '', /; only "zendesk" has "ticket_fields"$/);
    assert.deepEqual(only.corrected_call, {
      tool: 'describe',
      arguments: { connector: 'zendesk', entity: 'ticket_fields' },
    });
    // Slack, Intercom and both of Zendesk have users or contacts of that name.
    const shared = await call.error('execute', { entity: 'users', action: 'list' });
    assert.equal(shared.corrected_call, undefined);
    const twins = libraryHost({ a: library.connectors.slack, b: library.connectors.slack });
    const several = await callerOf(new Toolbox({ host: twins })).error('describe', {
      connector: 'slack',
    });
    assert.match(several.faults?.[0]?.message ?? '', /fits several connectors: a .*, b /);
    const none = await callerOf(new Toolbox({ host: libraryHost({}) })).error('describe');
    assert.match(none.message, /^There are no connectors; whoever set up these tools/);
  });

  test('a kind, then an entity, then an action are described, each shortly', async () => {
    const kind = await call('describe', { connector: 'slack' });
    assert.deepEqual(
      listAt(kind, 'entities').map(({ entity }) => entity),
      library.connectors.slack.entities(),
    );
    assert.deepEqual(at(kind, 'entities.1'), {
      entity: 'channels',
      doc: 'Public and private channels and direct messages.',
      actions: ['list', 'get'],
      forbidden_here: ['create', 'update'],
    });
    const entity = await call('describe', { connector: 'slack', entity: 'channels' });
    assert.equal(at(entity, 'fields.num_members'), 'integer?: Members.');
    assert.deepEqual(at(entity, 'action_docs.get.params'), ['channel (required)']);
    assert.equal(at(entity, 'searchable_fields'), undefined);
    const args = { connector: 'slack', entity: 'reactions', action: 'create' };
    const action = await call('describe', args);
    assert.deepEqual(at(action, 'params_schema.required'), ['channel', 'timestamp', 'name']);
    assert.equal(at(action, 'allowed_here'), false);
    assert.deepEqual(at(action, 'example'), {
      tool: 'execute',
      arguments: {
        entity: 'reactions',
        action: 'create',
        params: { channel: '<channel>', timestamp: '<timestamp>', name: '<name>' },
      },
    });
  });

  test('every action of every kind is described, and its example passes its schema', async () => {
    const box = new Toolbox({ host: library.host, allowWrites: true });
    const describeIt = callerOf(box);
    for (const { kind, entities } of allKinds())
      for (const { name, actions } of Object.values(entities)) {
        const entity = await describeIt('describe', { connector: kind, entity: name });
        assert.deepEqual(Object.keys(at(entity, 'action_docs') ?? {}), Object.keys(actions));
        for (const action of Object.keys(actions)) {
          const told = await describeIt('describe', { connector: kind, entity: name, action });
          const params = Object.keys(at(told, 'example.arguments.params') ?? {});
          const required = at(told, 'params_schema.required') as readonly string[];
          const known = Object.keys(at(told, 'params_schema.properties') ?? {});
          for (const each of required) assert.ok(params.includes(each), each);
          for (const each of params) assert.ok(known.includes(each), each);
        }
      }
  });

  test('wrong names get the nearest right one, and the call as it would work', async () => {
    const entity = await call.error('describe', { connector: 'slack', entity: 'chanels' });
    assert.equal(entity.code, 'unknown_entity');
    assert.equal(entity.did_you_mean, 'channels');
    const args = { connector: 'slack', entity: 'users', action: 'lits' };
    const action = await call.error('execute', args);
    assert.equal(action.code, 'unsupported_action');
    assert.deepEqual(action.corrected_call?.arguments, { ...args, action: 'list' });
    const params = { connector: 'slack', entity: 'users', action: 'list', params: { limt: 2 } };
    const param = await call.error('execute', params);
    assert.equal(param.code, 'invalid_params');
    assert.deepEqual(param.faults, [
      {
        field: 'params.limt',
        message: 'is not known; did you mean "limit"?',
        allowed: 'cursor, limit',
        did_you_mean: 'limit',
      },
    ]);
    assert.deepEqual(param.corrected_call?.arguments, { ...params, params: { limit: 2 } });
    // The corrected call works.
    const answer = await call('execute', param.corrected_call.arguments);
    assert.equal(listAt(answer, 'data').length, 2);
  });

  test('all faults of a call come at once, those of the selection among them', async () => {
    const { code, faults, corrected_call } = await call.error('execute', {
      connector: 'slack',
      entity: 'users',
      action: 'list',
      params: { limit: 'ten' },
      select_fields: ['nam'],
    });
    assert.equal(code, 'invalid_params');
    assert.deepEqual(
      faults?.map(({ field }) => field),
      ['params.limit', 'select_fields.0'],
    );
    assert.equal(corrected_call, undefined);
  });

  test('faults of params are told at params, also where there are none', async () => {
    const args = { connector: 'slack', entity: 'channels', action: 'get' };
    const { faults } = await call.error('execute', args);
    assert.deepEqual(
      faults?.map(({ field }) => field),
      ['params.channel'],
    );
  });

  test('arguments are checked strictly', async () => {
    const cases = [
      [{ connector: 7, entity: 'users', action: 'list' }, 'connector'],
      [{ connector: 'slack', action: 'list' }, 'entity'],
      [{ connector: 'slack', entity: 'users', action: 'list', params: [] }, 'params'],
      [{ connector: 'slack', entity: 'users', action: 'list', max_bytes: 4_095 }, 'max_bytes'],
      [{ connector: 'slack', entity: 'users', action: 'list', max_bytes: 1e7 }, 'max_bytes'],
      [
        { connector: 'slack', entity: 'users', action: 'list', idempotency_key: 'a' },
        'idempotency_key',
      ],
      ['users', 'arguments'],
      [null, undefined],
    ] as const;
    for (const [args, field] of cases) {
      const { code, faults } = await call.error('execute', args);
      assert.equal(code, 'invalid_request');
      if (field !== undefined) assert.equal(faults?.[0]?.field, field);
    }
    const args = { connector: 'slack', entity: 'channels' };
    const noAction = await call.error('execute', args);
    assert.equal(noAction.faults?.[0]?.allowed, 'list, get');
    const nothing = await call.error('execute', { connector: 'zendesk-chat' });
    assert.match(nothing.faults?.[0]?.allowed ?? '', /^accounts, agents, /);
    const elsewhere = await call.error('execute', { connector: 'slack', entity: 'tickets' });
    assert.equal(elsewhere.faults?.[0]?.allowed, 'the name of an action');
    const noEntity = await call.error('describe', { connector: 'slack', action: 'list' });
    assert.equal(noEntity.faults?.[0]?.field, 'entity');
    const noTool = await call.error('exceute');
    assert.equal(noTool.faults?.[0]?.did_you_mean, 'execute');
  });

  test('lists bring the records of the library, 25 unless said, and lead on to their end', async () => {
    const args = { connector: 'slack', entity: 'users', action: 'list' };
    const ids: unknown[] = [];
    let params: unknown = { limit: 100 };
    while (params !== null) {
      const fields = ['id', 'profile.email'];
      const page = await call('execute', { ...args, params, select_fields: fields });
      for (const user of listAt(page, 'data')) {
        assert.deepEqual(Object.keys(user), ['id', 'profile']);
        ids.push(user['id']);
      }
      params = page['next_params'];
    }
    const all = await collect(library.connectors.slack.users.list.all());
    assert.deepEqual(
      ids,
      all.map(({ id }) => id),
    );
    const page = await call('execute', { ...args, max_bytes: 49_152 });
    const direct = await library.connectors.slack.users.list({ limit: 25 });
    assert.deepEqual(page['data'], direct.data);
    assert.deepEqual(page['meta'], direct.meta);
  });

  test('a page over its budget is shorter, and its cursor leads on from its last record', async () => {
    const args = {
      connector: 'intercom',
      entity: 'conversations',
      action: 'list',
      max_bytes: 8_192,
    };
    const ids: unknown[] = [];
    let params: unknown = {};
    for (let pages = 0; pages < 12 && params !== null; pages += 1) {
      const page = await call('execute', { ...args, params });
      const records = listAt(page, 'data');
      assert.notEqual(records.length, 0);
      if (page['truncated'] !== undefined) {
        assert.equal(at(page, 'truncated.max_bytes'), 8_192);
        assert.match(String(at(page, 'truncated.rest')), /next_params/);
      }
      ids.push(...records.map(({ id }) => id));
      params = page['next_params'];
    }
    const all = await collect(library.connectors.intercom.conversations.list.all());
    assert.ok(ids.length > 12);
    assert.deepEqual(
      ids,
      all.slice(0, ids.length).map(({ id }) => id),
    );
  });

  test('pages with numbers can be shortened too', async () => {
    const args = { connector: 'zendesk', entity: 'tickets', action: 'list', max_bytes: 16_384 };
    const first = await call('execute', { ...args, params: { page: 2, per_page: 24 } });
    const count = listAt(first, 'data').length;
    assert.ok(count > 1 && count < 24);
    assert.equal(at(first, 'data.0.id'), 25);
    assert.equal(at(first, 'truncated.left_out'), 24 - count);
    const next = await call('execute', { ...args, params: first['next_params'] });
    assert.equal(at(next, 'data.0.id'), 25 + count);
  });

  test('a list that cannot be shortened says how many records are left out', async () => {
    const args = { connector: 'slack', entity: 'users', action: 'list', max_bytes: 8_192 };
    // The shorter page fails, so there is only the long one.
    const fault = library.sandbox.faults.add({
      kind: 'upstreamError',
      method: 'users.list',
      error: 'invalid_arguments',
      skip: 1,
    });
    const page = await call('execute', args);
    assert.equal(fault.hits, 1);
    fault.release();
    assert.equal(at(page, 'truncated.left_out'), 25 - listAt(page, 'data').length);
    assert.equal(page['next_params'], undefined);
    assert.match(String(at(page, 'truncated.rest')), /lead past .*\{"limit":\d\}/);
  });

  test('of a record over its budget, the largest fields are left out and named', async () => {
    const { slack } = library.connectors;
    const channel = await someChannel(library);
    const text = 'a very long message '.repeat(400);
    const { ts } = await slack.messages.create({ channel, text });
    const { data: whole } = await slack.channel_messages.list({ channel, limit: 1 });
    assert.equal(whole[0]?.ts, ts);
    const list = { connector: 'slack', entity: 'channel_messages', action: 'list' };
    const params = { channel, limit: 1 };
    assert.deepEqual((await call('execute', { ...list, params }))['data'], whole);
    const cut = await call('execute', { ...list, params, max_bytes: 4_096 });
    assert.deepEqual(at(cut, 'truncated.fields_left_out'), ['blocks', 'text']);
    assert.equal(at(cut, 'truncated.left_out'), undefined);
    const [message] = whole;
    assert.deepEqual(cut['data'], [
      { ...message, text: noticeFor(message.text), blocks: noticeFor(message.blocks) },
    ]);
    assert.match(String(at(cut, 'truncated.rest')), /select_fields/);
    assert.notEqual(cut['next_params'], undefined);
    const write = callerOf(new Toolbox({ host: library.host, allowWrites: true }));
    const update = { connector: 'slack', entity: 'messages', action: 'update', max_bytes: 4_096 };
    const short = 'ü'.repeat(3_900);
    const written = await write('execute', { ...update, params: { channel, ts, text: short } });
    assert.equal(at(written, 'data.ts'), ts);
    assert.match(String(at(written, 'data.text')), /^\[left out: \d+ bytes\]$/);
  });

  test('lists that go on after a key do so without it among the fields', async () => {
    const args = { connector: 'zendesk-chat', entity: 'agents', action: 'list' };
    const asked = { params: { limit: 2 }, select_fields: ['email'] };
    const first = await call('execute', { ...args, ...asked });
    assert.deepEqual(Object.keys(listAt(first, 'data')[0] ?? {}), ['email']);
    const second = await call('execute', { ...args, params: first['next_params'] });
    const all = await library.connectors.chat.agents.list({ limit: 4 });
    assert.deepEqual(second['data'], all.data.slice(2, 4));
  });

  test('a download brings the content of the file, or its beginning', async () => {
    const params = { attachment_id: await findAttachment(library) };
    const args = { connector: 'zendesk', entity: 'attachments', action: 'download', params };
    const answer = await call('execute', { ...args, max_bytes: 1_048_576 });
    const file = await library.connectors.support.attachments.download(params);
    const bytes = Buffer.concat(await collect(file.bytes));
    assert.equal(at(answer, 'data.content_type'), file.contentType);
    const text = at(answer, 'data.content_text');
    const given =
      typeof text === 'string'
        ? Buffer.from(text)
        : Buffer.from(String(at(answer, 'data.content_base64')), 'base64');
    assert.deepEqual(given, bytes.subarray(0, given.length));
    if (answer['truncated'] === undefined) assert.equal(given.length, bytes.length);
    else assert.equal(at(answer, 'truncated.bytes_given'), given.length);
  });

  test('errors of the upstream come with what to do about them', async () => {
    const missing = await call.error('execute', {
      connector: 'slack',
      entity: 'users',
      action: 'get',
      params: { user: 'U0NOBODY' },
    });
    assert.equal(missing.code, 'record_not_found');
    assert.equal(missing.retry, 'never');
    assert.equal(missing.details?.['upstream_code'], 'user_not_found');
  });

  test('nothing can be written, whatever it is called', async () => {
    const sent = library.sandbox.requests().length;
    const params = { channel: 'C1', text: 'hello' };
    const refused = await call.error('execute', {
      connector: 'slack',
      entity: 'messages',
      action: 'create',
      params,
    });
    assert.equal(refused.code, 'forbidden');
    assert.match(refused.message, /--allow-writes/);
    for (const action of ['Create', 'delete', 'constructor', '__proto__'])
      assert.equal(
        (await call.error('execute', { connector: 'slack', entity: 'messages', action, params }))
          .code,
        'unsupported_action',
      );
    assert.equal(library.sandbox.requests().length, sent);
  });

  test('where writes are allowed, they are done', async () => {
    const write = callerOf(new Toolbox({ host: library.host, allowWrites: true }));
    const channel = await someChannel(library);
    const written = await write('execute', {
      connector: 'slack',
      entity: 'messages',
      action: 'create',
      params: { channel, text: 'from a model' },
    });
    assert.equal(at(written, 'data.text'), 'from a model');
    const read = await library.connectors.slack.channel_messages.list({ channel, limit: 1 });
    assert.equal(read.data[0]?.text, 'from a model');
    const described = await write('describe', { connector: 'slack', entity: 'messages' });
    assert.deepEqual(described['actions'], ['create', 'update']);
  });

  test('an answer nested too deeply breaks the contract; of a write it says that it has happened', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    await using upstream = await listen(
      createServer((request, response) => {
        request.resume();
        response.end(
          `{"ok":true,"channel":"C1","ts":"1.1","message":{"ts":"1.1","bot_profile":${deep}},"members":[{"id":"U1","profile":{"fields":${deep}}}]}`,
        );
      }),
    );
    const slack = createConnector('chat-workspace', {
      credentials: { api_token: 'xoxb-test' },
      baseUrl: upstream.url,
    });
    const told = callerOf(new Toolbox({ host: libraryHost(slack), allowWrites: true }));
    const listed = await told.error('execute', { entity: 'users', action: 'list' });
    assert.equal(listed.code, 'upstream_contract_broken');
    const params = { channel: 'C1', text: 'x' };
    const written = await told.error('execute', { entity: 'messages', action: 'create', params });
    assert.equal(written.code, 'upstream_contract_broken');
    assert.equal(at(written, 'details.applied'), true);
  });

  test('search says that it needs the service, and sync_status that there is no copy', async () => {
    for (const [tool, args] of [
      ['search', { connector: 'slack', entity: 'users', query: {} }],
      ['execute', { connector: 'slack', entity: 'users', action: 'search' }],
    ] as const) {
      const { code, advice } = await call.error(tool, args);
      assert.equal(code, 'search_requires_hosted_mode');
      assert.match(advice ?? '', /list/);
    }
    const without = await call.error('search', { connector: 'slack', entity: 'messages' });
    assert.equal(without.code, 'unsupported_action');
    const status = await call('sync_status', { connector: 'slack' });
    assert.equal(status['has_copy'], false);
    assert.match(String(status['note']), /Open source mode/);
  });

  test('whoever set the tools up hears of every call: the tool, and how it ended', async () => {
    const calls: unknown[] = [];
    const heard = callerOf(
      new Toolbox({ host: library.host, onCall: (called) => calls.push(called) }),
    );
    await heard('list_connectors');
    await heard.error('describe', { connector: 'slack', entity: 'chanels' });
    await heard.error('exceute', { secret: 'of nobody' });
    assert.deepEqual(calls, [
      { tool: 'list_connectors', code: 'ok' },
      { tool: 'describe', code: 'unknown_entity' },
      { tool: undefined, code: 'invalid_request' },
    ]);
  });

  test('an aborted call rejects with the reason', async () => {
    const reason = new Error('no longer wanted');
    const box = new Toolbox({ host: library.host });
    const args = { connector: 'slack', entity: 'users', action: 'list' };
    await assert.rejects(
      box.call('execute', args, { signal: AbortSignal.abort(reason) }),
      (error) => error === reason,
    );
  });
});

function noticeFor(value: unknown): string {
  return `[left out: ${JSON.stringify(value).length} bytes]`;
}

/** A channel that messages can be posted to. */
async function someChannel({ connectors }: Library): Promise<string> {
  for await (const each of connectors.slack.channels.list.all({ exclude_archived: true }))
    if (each.is_member === true) return each.id;
  throw new Error('the sandbox has no such channel');
}

async function findAttachment({ connectors }: Library): Promise<number> {
  for (let ticket_id = 1; ticket_id < 60; ticket_id++) {
    const { data } = await connectors.support.ticket_comments.list({ ticket_id });
    for (const { attachments } of data)
      for (const each of (attachments ?? []) as readonly { readonly id: number }[]) return each.id;
  }
  throw new Error('the sandbox has no attachment');
}
