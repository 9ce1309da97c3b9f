import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { describeKind, faultsOf } from '@patchbay/connectors';
import type { ConnectorEngine, Page } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { copiedRecord } from '../../src/replication/copied-record.ts';
import { kindsUnderTest, type KindUnderTest } from '../conformance/support/kinds-under-test.ts';
import { engineFor } from '../conformance/support/operations.ts';
import { collect, connectorFor, errorOf } from '../support/connectors.ts';
import { reply, startUpstream } from '../support/upstreams.ts';

function kindNamed(name: string): KindUnderTest {
  return kindsUnderTest.find(({ kind }) => kind.kind === name) ?? assert.fail(name);
}

const chat = kindNamed('support-chat');
const ticketing = kindNamed('support-ticketing');
const messaging = kindNamed('customer-messaging');

/** The first page of a list. */
async function listed(engine: ConnectorEngine, entity: string, params: object = {}): Promise<Page> {
  // The action is a list, so the outcome is a page.
  return (await engine.execute(entity, 'list', params)) as Page;
}

describe('what vendors send and take', () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await startSandbox({ scale: 60 });
  });
  after(() => sandbox.close());
  beforeEach(() => sandbox.resetRequests());

  test('a shortcut is read by its id, which is its name', async () => {
    const engine = engineFor(chat, sandbox.urls.zendeskChat);
    const { data } = await listed(engine, 'shortcuts');
    assert.ok(data.some(({ id }) => id === 'sign up'));
    for (const shortcut of data) {
      assert.equal(shortcut['id'], shortcut['name']);
      const read = await engine.execute('shortcuts', 'get', { shortcut_id: shortcut['id'] });
      assert.deepEqual(read, shortcut);
    }
    const numbered = await engine.execute('shortcuts', 'get', { shortcut_id: 2024 });
    assert.partialDeepStrictEqual(numbered, { id: '2024' });
    for (const shortcut_id of ['', '.', '..', '../me', 'a/../b', '.\\x', 1.5, true]) {
      const error = await errorOf(engine.execute('shortcuts', 'get', { shortcut_id }));
      assert.equal(error.code, 'invalid_params');
    }
  });

  test('in the copy a shortcut has an id where its name is a number', () => {
    const { shortcuts } = chat.kind.entities;
    assert.ok(shortcuts);
    const copied = (id: string) => copiedRecord(shortcuts, { id, name: id }, { params: {} });
    assert.partialDeepStrictEqual(copied('2024'), { key: '2024', values: { id: 2024 } });
    assert.partialDeepStrictEqual(copied('goodbye'), {
      key: 'goodbye',
      values: { id: null, name: 'goodbye' },
    });
  });

  test('a word of the vendor in place of an id leads nowhere', async () => {
    const scroll = engineFor(messaging, sandbox.urls.intercom).execute('companies', 'get', {
      id: 'scroll',
    });
    const search = engineFor(chat, sandbox.urls.zendeskChat).execute('chats', 'get', {
      chat_id: 'search',
    });
    for (const call of [scroll, search]) {
      const error = await errorOf(call);
      assert.equal(error.code, 'invalid_params');
      assert.match(error.message, /a string, other than s(croll|earch)/);
    }
    assert.deepEqual(sandbox.requests(), []);
  });

  test('0 and 1 are booleans, in records and in copies', async () => {
    const engine = engineFor(chat, sandbox.urls.zendeskChat);
    const { triggers } = chat.kind.entities;
    assert.ok(triggers);
    const { data } = await listed(engine, 'triggers');
    assert.deepEqual(new Set(data.map(({ enabled }) => enabled)), new Set([true, false]));
    const copied = (enabled: unknown) => copiedRecord(triggers, { id: 1, enabled }, { params: {} });
    for (const [sent, kept] of [
      [0, false],
      [1, true],
      [true, true],
      [2, null],
    ] as const)
      assert.partialDeepStrictEqual(copied(sent), { values: { enabled: kept } });
  });

  test('the avatar of a contact is the address in the object, in records and in copies', async () => {
    const engine = engineFor(messaging, sandbox.urls.intercom);
    const { contacts } = messaging.kind.entities;
    assert.ok(contacts);
    const { data } = await listed(engine, 'contacts');
    const avatars = data.map(({ avatar }) => avatar);
    assert.ok(avatars.some((avatar) => typeof avatar === 'string' && avatar.startsWith('https:')));
    assert.ok(avatars.every((avatar) => avatar === null || typeof avatar === 'string'));
    const copied = (avatar: unknown) => copiedRecord(contacts, { id: 'c', avatar }, { params: {} });
    for (const [sent, kept] of [
      [{ type: 'avatar', image_url: 'u' }, 'u'],
      [{ type: 'avatar', image_url: null }, null],
      ['u', 'u'],
    ] as const)
      assert.partialDeepStrictEqual(copied(sent), { values: { avatar: kept } });
  });

  test('a purpose is set with one request, as Slack answers with the channel', async () => {
    const connector = connectorFor(sandbox.urls.slack);
    const { data } = await connector.channels.list();
    const { id: channel } = data.find(({ is_member: isMember }) => isMember) ?? assert.fail();
    sandbox.resetRequests();
    const record = await connector.channel_purposes.create({ channel, purpose: 'Tea' });
    assert.partialDeepStrictEqual(record, { id: channel, purpose: { value: 'Tea' } });
    assert.equal(sandbox.requests().length, 1);
  });

  const words: readonly (readonly [entity: string, params: Readonly<Record<string, unknown>>])[] = [
    ['satisfaction_ratings', { score: 'good_with_comment' }],
    ['macros', { sort_by: 'usage_7d' }],
    ['macros', { access: 'agents' }],
    ['views', { access: 'agents' }],
    ['triggers', { sort_by: 'usage_30d' }],
  ];
  for (const [entity, params] of words)
    test(`${entity}.list takes ${JSON.stringify(params)}`, async () => {
      const engine = engineFor(ticketing, sandbox.urls.zendeskSupport);
      await listed(engine, entity, params);
      assert.partialDeepStrictEqual({ ...sandbox.requests()[0]?.params }, params);
    });

  test('a word that the vendor may have added goes out, and the known ones are hints', async () => {
    const engine = engineFor(ticketing, sandbox.urls.zendeskSupport);
    const error = await errorOf(listed(engine, 'users', { role: 'night shift' }));
    assert.equal(error.code, 'upstream_rejected');
    assert.equal(sandbox.requests()[0]?.params['role'], 'night shift');
    const role = describeKind(ticketing.kind)
      .entities.find(({ name }) => name === 'users')
      ?.actions.find(({ name }) => name === 'list')
      ?.params.find(({ name }) => name === 'role');
    assert.partialDeepStrictEqual(role?.schema, {
      type: 'string',
      examples: ['end-user', 'agent', 'admin'],
    });
  });

  const sorted: readonly (readonly [entity: string, by: string])[] = [
    ['tickets', 'updated_at'],
    ['triggers', 'created_at'],
    ['automations', 'created_at'],
    ['views', 'created_at'],
  ];
  for (const [entity, by] of sorted)
    test(`${entity}.list is sorted by sort, in a page and in a walk`, async () => {
      const engine = engineFor(ticketing, sandbox.urls.zendeskSupport);
      const page = await listed(engine, entity, { sort: `-${by}`, limit: 5 });
      const times = page.data.map((record) => String(record[by]));
      assert.deepEqual(times, times.toSorted().toReversed());
      assert.ok(times.length === 5 && times[0] !== times[4]);
      const walked = await collect(engine.all(entity, { sort: `-${by}`, limit: 3 }));
      assert.deepEqual(walked.slice(0, 5), page.data);
      assert.equal(walked.length, (await collect(engine.all(entity))).length);
    });
});

describe('a single record in an array, as specified by Zendesk', () => {
  const cases: readonly (readonly [name: string, sent: unknown, isTaken: boolean])[] = [
    ['alone', { id: 5 }, true],
    ['in an array of one', [{ id: 5 }], true],
    ['in an array of two', [{ id: 5 }, { id: 6 }], false],
    ['in an empty array', [], false],
    ['in an array in an array', [[{ id: 5 }]], false],
  ];
  for (const [name, sent, isTaken] of cases) {
    const what = isTaken ? 'is taken' : 'breaks the contract';
    test(`satisfaction_ratings.get: a record ${name} ${what}`, async () => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { satisfaction_rating: sent }),
      );
      const params = { satisfaction_rating_id: 5 };
      const call = engineFor(ticketing, upstream.url).execute(
        'satisfaction_ratings',
        'get',
        params,
      );
      if (isTaken) assert.partialDeepStrictEqual(await call, { id: 5 });
      else assert.equal((await errorOf(call)).code, 'upstream_contract_broken');
    });

    test(`the copy of ticket_metrics: a record ${name} ${what}`, async () => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { ticket_metric: sent }),
      );
      const entity = ticketing.kind.entities['ticket_metrics'];
      const list = entity?.replicate?.list;
      assert.ok(entity !== undefined && list !== undefined);
      const call = engineFor(ticketing, upstream.url).readPage({
        entity,
        action: list,
        params: { ticket_id: 1 },
      });
      if (isTaken) assert.deepEqual((await call).records, [{ id: 5 }]);
      else assert.equal((await errorOf(call)).code, 'upstream_contract_broken');
    });
  }
});

describe('a time in another unit than the param’s', () => {
  const now = 1_750_000_000;
  const rows: readonly (readonly [entity: string, given: number, meant: number])[] = [
    ['agent_timeline', now, now * 1e6],
    ['agent_timeline', now * 1e3, now * 1e6],
    ['chats', now * 1e3, now],
    ['chats', now * 1e6, now],
  ];
  for (const [entity, given, meant] of rows)
    test(`${entity}.list refuses ${given} and says ${meant}`, async () => {
      await using upstream = await startUpstream((response) => reply(response, 500, {}));
      const engine = engineFor(chat, upstream.url);
      const error = await errorOf(listed(engine, entity, { start_time: String(given) }));
      assert.equal(error.code, 'invalid_params');
      const [fault] = faultsOf(error);
      assert.equal(fault?.field, 'params.start_time');
      assert.match(fault.message, entity === 'chats' ? /in seconds/ : /in microseconds/);
      assert.ok(fault.message.endsWith(`give ${meant}`), fault.message);
      assert.equal(upstream.seen.length, 0);
    });

  for (const [entity, start_time] of [
    ['agent_timeline', 0],
    ['agent_timeline', 1],
    ['agent_timeline', now * 1e6],
    ['chats', 0],
    ['chats', now],
  ] as const)
    test(`${entity}.list takes ${start_time}`, async () => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { [entity]: [], next_page: null, count: 0 }),
      );
      await listed(engineFor(chat, upstream.url), entity, { start_time });
      assert.match(upstream.seen[0]?.line ?? '', new RegExp(`start_time=${start_time}\\b`));
    });
});

test('the entities that the service reference does not show are extensions', () => {
  const { entities } = describeKind(ticketing.kind);
  assert.equal(entities.length, 22);
  assert.ok(entities.every(({ extension }) => extension === true));
  for (const { kind } of kindsUnderTest)
    if (kind !== ticketing.kind)
      for (const { extension } of describeKind(kind).entities) assert.equal(extension, undefined);
});

test('what search takes beyond the service reference are extensions', () => {
  const shown = ['query', 'fields', 'limit', 'cursor'];
  const searches = kindsUnderTest.flatMap(({ kind }) =>
    describeKind(kind).entities.flatMap(({ actions }) =>
      actions.filter(({ name }) => name === 'search'),
    ),
  );
  assert.ok(searches.length >= 11);
  for (const { params } of searches)
    for (const { name, extension } of params)
      assert.equal(extension, shown.includes(name) ? undefined : true, name);
});
