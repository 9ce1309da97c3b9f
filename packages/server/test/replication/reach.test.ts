import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CopyRecord } from '@patchbay/store';
import { makeHurriedClock } from './support/hurried-clock.ts';
import { busiest, replicating, SINCE_DECEMBER } from './support/behind-proxy.ts';
import { DATABASE } from './support/replicating.ts';

const SLACK = 'chat-workspace';
const INTERCOM = 'customer-messaging';
const SUPPORT = 'support-ticketing';
const DAY_MS = 86_400_000;

type Values = CopyRecord['values'];

describe(`what credentials reach, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  test('a channel that the bot is invited to later comes with its whole history', async () => {
    await using given = await replicating(SLACK);
    const { proxy, running } = given;
    const messagesOf = (id: string) => running.copy(id, SLACK, 'channel_messages');
    const member = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
    await running.settled(member);
    const [channel, count] = busiest(await messagesOf(member));
    let isMember = false;
    proxy.tamper = async ({ url }, answer) => {
      const { status, body } = await answer();
      if (isMember || !url.pathname.endsWith('/conversations.list')) return { status, body };
      const json = JSON.parse(body) as { channels: { id: string; is_member: boolean }[] };
      for (const each of json.channels) if (each.id === channel) each.is_member = false;
      return { status, body: JSON.stringify(json) };
    };
    const id = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
    await running.settled(id);
    const copied = async () =>
      [...(await messagesOf(id)).keys()].filter((key) => key.startsWith(`${channel}:`)).length;
    assert.equal(await copied(), 0);
    // Slack lets apps write to public channels that they cannot read.
    const posted = await running.execute(await running.applicationToken(), id, {
      entity: 'messages',
      action: 'create',
      params: { channel, text: 'Hello' },
    });
    assert.equal(posted.status, 200, posted.text);
    await running.sync(id);
    assert.ok((await copied()) <= 1);
    isMember = true;
    await running.sync(id);
    await running.sync(id);
    assert.equal(await copied(), count + 1);
  });

  test('with credentials of another account nothing of the first one stays', async () => {
    await using given = await replicating(SLACK);
    const { proxy, running } = given;
    proxy.tamper = async ({ url, authorization }, answer) => {
      const { status, body } = await answer();
      if (authorization.includes('two') && url.pathname.endsWith('/auth.test'))
        return { status, body: JSON.stringify({ ...JSON.parse(body), user_id: 'UTWO' }) };
      if (!url.pathname.endsWith('/conversations.history')) return { status, body };
      const json = JSON.parse(body) as { messages: { text: string }[] };
      if (authorization.includes('two')) for (const each of json.messages) each.text = 'of B';
      return { status, body: JSON.stringify(json) };
    };
    const id = await running.create(SLACK, { credentials: { api_token: 'xoxb-one' } });
    await running.settled(id);
    await running.patch(id, { credentials: { api_token: 'xoxb-two' }, replace_account: true });
    await running.settled(id);
    const messages = [...(await running.copy(id, SLACK, 'channel_messages')).values()];
    assert.ok(messages.length > 0);
    for (const { text } of messages) assert.equal(text, 'of B');
  });

  test('nor where they change in the middle of the first copy', async () => {
    await using given = await replicating(INTERCOM, { scale: 160 });
    const { proxy, running } = given;
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    proxy.tamper = async ({ url, authorization }, answer) => {
      const isFirst = authorization.includes('one');
      if (isFirst && url.pathname.endsWith('/contacts') && url.searchParams.has('starting_after')) {
        reached.resolve();
        await go.promise;
      }
      const { status, body } = await answer();
      if (!isFirst && url.pathname.endsWith('/me'))
        return { status, body: JSON.stringify({ ...JSON.parse(body), id: 'two' }) };
      const json = JSON.parse(body) as { data?: { type: string; name: string }[] };
      for (const each of json.data ?? [])
        if (each.type === 'contact') each.name = isFirst ? 'of A' : 'of B';
      return { status, body: JSON.stringify(json) };
    };
    const id = await running.create(INTERCOM, { credentials: { access_token: 'one' } });
    await reached.promise;
    await running.patch(id, { credentials: { access_token: 'two' }, replace_account: true });
    go.resolve();
    await running.settled(id);
    const contacts = [...(await running.copy(id, INTERCOM, 'contacts')).values()];
    assert.ok(contacts.length > 0);
    for (const { name } of contacts) assert.equal(name, 'of B');
  });

  test('an entity whose every list is refused is not searched as if it were empty', async () => {
    await using given = await replicating(SLACK);
    const { ground, running } = given;
    ground.sandbox.faults.add({
      kind: 'upstreamError',
      method: 'conversations.history',
      error: 'not_in_channel',
    });
    const id = await running.create(SLACK);
    await running.settled(id);
    const { status, text } = await running.send(
      'POST',
      `/api/v1/connectors/sources/${id}/execute`,
      {
        token: await running.applicationToken(),
        body: { entity: 'channel_messages', action: 'search', params: { query: {} } },
      },
    );
    assert.equal(status, 409);
    const { code, retry } = JSON.parse(text) as { code: string; retry: string };
    assert.deepEqual([code, retry], ['search_not_ready', 'never']);
  });

  test('threads of messages that came late are read, also with a lookback', async () => {
    await using given = await replicating(SLACK);
    const { proxy, running } = given;
    const id = await running.create(SLACK, {
      replication_config: { ...SINCE_DECEMBER, start_date: '2025-12-31T00:00:00Z' },
    });
    await running.settled(id);
    proxy.tamper = ({ url }, answer) =>
      url.pathname.endsWith('/conversations.history')
        ? Promise.resolve({ status: 503, body: '{}' })
        : answer();
    await running.patch(id, { replication_config: { start_date: '2025-12-01T00:00:00Z' } });
    assert.equal((await running.settled(id)).state, 'failed');
    proxy.tamper = (_, answer) => answer();
    await running.sync(id);
    await running.sync(id);
    await running.assertExact(id, SLACK);
  });

  test('metrics of archived tickets stay, which the list of all metrics leaves out', async () => {
    // A minute passes before all tickets are read.
    const clock = makeHurriedClock(20);
    await using given = await replicating(SUPPORT, { scale: 12, clock });
    const { proxy, running } = given;
    const id = await running.create(SUPPORT);
    await running.settled(id);
    const before = await running.copy(id, SUPPORT, 'ticket_metrics');
    const [archived] = before.values();
    proxy.tamper = async ({ url }, answer) => {
      const { status, body } = await answer();
      if (!url.pathname.endsWith('/ticket_metrics.json')) return { status, body };
      const json = JSON.parse(body) as { ticket_metrics: Values[] };
      const isThere = (each: Values) => each['ticket_id'] !== archived?.['ticket_id'];
      const ticket_metrics = json.ticket_metrics.filter(isThere);
      return { status, body: JSON.stringify({ ...json, ticket_metrics }) };
    };
    clock.advance(31 * DAY_MS);
    await running.sync(id);
    assert.equal((await running.copy(id, SUPPORT, 'ticket_metrics')).size, before.size);
  });

  test('tickets that are deleted while their comments are read forbid nobody the others', async () => {
    await using given = await replicating(SUPPORT, { scale: 12 });
    const { proxy, running } = given;
    const first = await running.create(SUPPORT);
    await running.settled(first);
    const comments = await running.copy(first, SUPPORT, 'ticket_comments');
    const [last, before] = [...(await running.copy(first, SUPPORT, 'tickets')).keys()]
      .toSorted((a, b) => (a < b ? 1 : -1))
      .map((key) => `/tickets/${key}/comments.json`);
    // They are deleted together, when those of the last one have not been read.
    let asked = 0;
    proxy.tamper = ({ url }, answer) => {
      const isBefore = url.pathname.endsWith(String(before));
      if (isBefore) asked += 1;
      const isGone = url.pathname.endsWith(String(last)) || (isBefore && asked > 1);
      return isGone
        ? Promise.resolve({ status: 404, body: '{"error":"RecordNotFound"}' })
        : answer();
    };
    const id = await running.create(SUPPORT);
    assert.equal((await running.settled(id)).state, 'succeeded');
    const { isComplete, isForbidden, problem } = await running.entity(id, 'ticket_comments');
    assert.deepEqual(
      { isComplete, isForbidden, problem },
      { isComplete: true, isForbidden: false, problem: null },
    );
    const copied = await running.copy(id, SUPPORT, 'ticket_comments');
    assert.ok(copied.size > 0 && copied.size < comments.size);
  });

  test('what belonged to a deleted ticket goes with it, also where reading others fails', async () => {
    await using given = await replicating(SUPPORT, { scale: 12 });
    const { proxy, running } = given;
    const id = await running.create(SUPPORT);
    await running.settled(id);
    const [gone, other] = [...(await running.copy(id, SUPPORT, 'tickets')).keys()].map(Number);
    const count = async (entity: string) => {
      const rows = [...(await running.copy(id, SUPPORT, entity)).values()];
      const { recordCount } = await running.entity(id, entity);
      assert.equal(recordCount, rows.length);
      return rows.filter((row) => row['ticket_id'] === gone).length;
    };
    const entities = ['ticket_comments', 'ticket_audits', 'ticket_metrics'];
    for (const entity of entities) assert.ok((await count(entity)) > 0, entity);
    proxy.tamper = async ({ url }, answer) => {
      if (url.pathname.includes(`/tickets/${gone}/`))
        return { status: 404, body: '{"error":"RecordNotFound"}' };
      if (url.pathname.includes(`/tickets/${other}/comments`)) return { status: 503, body: '{}' };
      if (!url.pathname.includes('/incremental/tickets')) return answer();
      if (url.searchParams.has('start_time')) url.searchParams.set('start_time', '0');
      const { status, body } = await answer();
      const json = JSON.parse(body) as {
        tickets: { id: number; status: string; subject: string }[];
      };
      for (const each of json.tickets) {
        if (each.id === gone) each.status = 'deleted';
        if (each.id === other) each.subject = 'Changed';
      }
      return { status, body: JSON.stringify(json) };
    };
    assert.equal((await running.sync(id)).state, 'failed');
    for (const entity of entities) assert.equal(await count(entity), 0, entity);
  });

  test('messages of a channel that is out of reach go with the channel', async () => {
    await using given = await replicating(SLACK);
    const { proxy, running } = given;
    const id = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
    await running.settled(id);
    const messages = () => running.copy(id, SLACK, 'channel_messages');
    const threads = async () => [...(await running.copy(id, SLACK, 'threads')).values()];
    const [channel, count] = busiest(await messages());
    const before = (await messages()).size;
    assert.ok((await threads()).some((each) => each['channel'] === channel));
    proxy.tamper = async ({ url }, answer) => {
      const { status, body } = await answer();
      if (!url.pathname.endsWith('/conversations.list')) return { status, body };
      const json = JSON.parse(body) as { channels: { id: string }[] };
      const channels = json.channels.filter((each) => each.id !== channel);
      return { status, body: JSON.stringify({ ...json, channels }) };
    };
    running.clock.advance(2 * DAY_MS);
    await running.sync(id);
    assert.equal((await messages()).size, before - count);
    assert.ok(!(await threads()).some((each) => each['channel'] === channel));
  });

  test('what was written while the bot was out of a channel comes with the rest once it is back', async () => {
    await using given = await replicating(SLACK);
    const { proxy, running } = given;
    const id = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
    let channel = '';
    let isMember = true;
    let until = 0;
    proxy.tamper = async ({ url }, answer) => {
      const { status, body } = await answer();
      const json = JSON.parse(body) as {
        channels: { id: string; is_member: boolean }[];
        messages: { ts: string }[];
      };
      if (url.pathname.endsWith('/conversations.list'))
        for (const each of json.channels) if (each.id === channel) each.is_member = isMember;
      // Messages of the second half come later.
      if (until > 0 && url.searchParams.get('channel') === channel)
        json.messages = json.messages.filter(({ ts }) => Number(ts) < until);
      return { status, body: JSON.stringify(json) };
    };
    await running.settled(id);
    const messages = async () =>
      [...(await running.copy(id, SLACK, 'channel_messages')).values()].filter(
        (each) => each['channel'] === channel,
      );
    const threads = async () =>
      [...(await running.copy(id, SLACK, 'threads')).values()].filter(
        (each) => each['channel'] === channel,
      );
    [channel] = busiest(await running.copy(id, SLACK, 'channel_messages'));
    const all = (await messages()).length;
    const threadsOfAll = (await threads()).length;
    const times = (await messages()).map(({ ts }) => Number(ts)).toSorted((a, b) => a - b);
    until = times[Math.floor(times.length / 2)] ?? 0;
    const half = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
    await running.settled(half);
    const copied = async (entity: string) =>
      [...(await running.copy(half, SLACK, entity)).values()].filter(
        (each) => each['channel'] === channel,
      ).length;
    assert.ok((await copied('channel_messages')) < all);
    isMember = false;
    await running.sync(half);
    assert.deepEqual([await copied('channel_messages'), await copied('threads')], [0, 0]);
    until = 0;
    // Their time is long before the lookback of an increment.
    isMember = true;
    await running.sync(half);
    assert.deepEqual(
      [await copied('channel_messages'), await copied('threads')],
      [all, threadsOfAll],
    );
  });

  test('a list that was refused comes whole once it can be read', async () => {
    await using given = await replicating(SLACK);
    const { proxy, running } = given;
    const member = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
    await running.settled(member);
    const [channel, count] = busiest(await running.copy(member, SLACK, 'channel_messages'));
    let isRefused = true;
    proxy.tamper = ({ url }, answer) =>
      isRefused &&
      url.pathname.endsWith('/conversations.history') &&
      url.searchParams.get('channel') === channel
        ? Promise.resolve({ status: 200, body: '{"ok":false,"error":"missing_scope"}' })
        : answer();
    const id = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
    await running.settled(id);
    const copied = async () =>
      [...(await running.copy(id, SLACK, 'channel_messages')).keys()].filter((key) =>
        key.startsWith(`${channel}:`),
      ).length;
    assert.equal(await copied(), 0);
    isRefused = false;
    await running.sync(id);
    assert.equal(await copied(), count);
    isRefused = true;
    await running.sync(id);
    assert.equal(await copied(), 0);
    isRefused = false;
    await running.sync(id);
    assert.equal(await copied(), count);
    await running.assertExact(id, SLACK);
  });
});
