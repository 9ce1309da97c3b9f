import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS } from '@patchbay/connectors';
import { ConnectorEngine, checkCredentials } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { collect, CREDENTIALS, errorOf } from './support/connectors.ts';
import { HandMadeCopy } from './support/hand-made-copy.ts';
import { reply, startUpstream } from './support/upstreams.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 1, 1);
const ALL_TYPES = 'public_channel,private_channel,mpim,im';

const CONFIG = {
  start_date: '2000-01-01T00:00:00Z',
  lookback_window: 0,
  join_channels: false,
  include_archived_channels: false,
  threads_ignore_no_replies: true,
};

type Row = Readonly<Record<string, unknown>>;

interface Rig extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly engine: ConnectorEngine;
  /** Channels by what is in them. */
  channels(): Promise<readonly Row[]>;
  copyWith(config?: Partial<typeof CONFIG>): HandMadeCopy;
  passDays(days: number): void;
}

async function rigFor(): Promise<Rig> {
  let now = START_MS;
  const sandbox = await startSandbox({ scale: 40, clock: () => now });
  const engine = engineAt(sandbox.urls.slack);
  return {
    sandbox,
    engine,
    channels: () => collect(engine.all('channels', { types: ALL_TYPES })),
    copyWith: (config = {}) => new HandMadeCopy(engine, () => now, { ...CONFIG, ...config }),
    passDays: (days) => {
      now += days * DAY_MS;
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

function engineAt(baseUrl: string): ConnectorEngine {
  const kind = KINDS['chat-workspace'];
  return new ConnectorEngine({
    kind,
    authorize: () => checkCredentials(kind, CREDENTIALS),
    config: {},
    baseUrl,
    upstreamLimits: 'reactive',
    random: () => 0,
  });
}

async function syncMessages(copy: HandMadeCopy) {
  await copy.sync('channels');
  return { messages: await copy.sync('channel_messages'), threads: await copy.sync('threads') };
}

/** What is asked of Slack by a method, as `params` of each request. */
function asked(sandbox: Sandbox, method: string): readonly Row[] {
  return sandbox
    .requests()
    .filter((request) => request.method === method)
    .map(({ params }) => params);
}

/** Keys of the messages of some channels, as the lists give them. */
async function listedKeys(engine: ConnectorEngine, channels: readonly Row[]) {
  const keys = new Set<string>();
  for (const { id } of channels)
    for await (const { ts } of engine.all('channel_messages', { channel: id, limit: 200 }))
      keys.add(`${String(id)}:${String(ts)}`);
  return keys;
}

describe('the copy of messages', () => {
  test('has the messages of every channel that the caller is in, and of direct messages', async () => {
    await using rig = await rigFor();
    const copy = rig.copyWith();
    await syncMessages(copy);
    const marks = ['is_member', 'is_im', 'is_mpim'] as const;
    const open = (await rig.channels()).filter(
      (each) => each['is_archived'] !== true && marks.some((mark) => each[mark] === true),
    );
    for (const mark of marks) assert.ok(open.some((each) => each[mark] === true));
    assert.ok(open.some((each) => each['is_mpim'] === true && each['is_member'] === null));
    const rows = copy.rows('channel_messages');
    assert.deepEqual(new Set(rows.keys()), await listedKeys(rig.engine, open));
    for (const [key, { channel, ts }] of rows)
      assert.equal(key, `${String(channel)}:${String(ts)}`);
  });

  /** @see https://docs.slack.dev/reference/objects/mpim-object */
  test('has the messages of group messages that say nothing of membership', async () => {
    const group = { id: 'G1', name: 'mpdm-a--b--c-1', is_mpim: true, is_group: false };
    await using upstream = await startUpstream((response, _, { line }) => {
      const url = new URL(line.split(' ')[1] ?? '', 'http://upstream');
      if (url.pathname.endsWith('/conversations.history')) {
        assert.equal(url.searchParams.get('channel'), 'G1');
        return reply(response, 200, { ok: true, messages: [{ ts: '1700000000.000100' }] });
      }
      const isOfGroups = url.searchParams.get('types') === 'mpim';
      reply(response, 200, { ok: true, channels: isOfGroups ? [group] : [] });
    });
    const copy = new HandMadeCopy(engineAt(upstream.url), () => START_MS, {
      ...CONFIG,
      join_channels: true,
    });
    await copy.sync('channels');
    await copy.sync('channel_messages');
    assert.deepEqual([...copy.rows('channel_messages').keys()], ['G1:1700000000.000100']);
    assert.ok(upstream.seen.every(({ line }) => !line.includes('conversations.join')));
  });

  test('has the replies to every message that has some, beside that message', async () => {
    await using rig = await rigFor();
    const copy = rig.copyWith();
    await syncMessages(copy);
    const expected = new Set<string>();
    for (const { channel, ts, reply_count: replies } of copy.rows('channel_messages').values()) {
      if (replies === null) continue;
      for await (const { ts: at } of rig.engine.all('threads', { channel, ts }))
        expected.add(`${String(channel)}:${String(at)}`);
    }
    assert.ok(expected.size > 0);
    assert.deepEqual(new Set(copy.rows('threads').keys()), expected);
  });

  test('leaves archived channels out unless told otherwise', async () => {
    await using rig = await rigFor();
    const archived = new Set(
      (await rig.channels())
        .filter((each) => each['is_archived'] === true && each['is_member'] === true)
        .map(({ id }) => id),
    );
    assert.ok(archived.size > 0);
    for (const include_archived_channels of [false, true]) {
      const copy = rig.copyWith({ include_archived_channels });
      await copy.sync('channels');
      await copy.sync('channel_messages');
      const channels = [...copy.rows('channel_messages').values()].map(({ channel }) => channel);
      assert.equal(
        channels.some((channel) => archived.has(channel)),
        include_archived_channels,
      );
    }
  });

  test('reads every message as a thread where those without replies count too', async () => {
    await using rig = await rigFor();
    const copy = rig.copyWith({ threads_ignore_no_replies: false });
    await syncMessages(copy);
    const threads = copy.rows('threads');
    for (const key of copy.rows('channel_messages').keys()) assert.ok(threads.has(key), key);
  });

  test('begins at the start date, and channels and users do not', async () => {
    await using rig = await rigFor();
    const all = rig.copyWith();
    await syncMessages(all);
    const times = [...all.rows('channel_messages').values()].map(({ ts }) => Number(ts));
    const middle = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    const startSeconds = Math.floor(middle);
    const start_date = `${new Date(startSeconds * 1000).toISOString().slice(0, 19)}Z`;
    rig.sandbox.resetRequests();
    const copy = rig.copyWith({ start_date });
    await syncMessages(copy);
    await copy.sync('users');
    assert.deepEqual(
      new Set(copy.rows('channel_messages').keys()),
      new Set(
        [...all.rows('channel_messages')]
          .filter(([, { ts }]) => Number(ts) >= startSeconds)
          .map(([key]) => key),
      ),
    );
    for (const { oldest } of asked(rig.sandbox, 'conversations.history'))
      assert.equal(oldest, `${startSeconds}.000000`);
    assert.deepEqual(copy.rows('channels'), all.rows('channels'));
  });

  test('takes up what was posted since, and the replies, without reading the rest again', async () => {
    await using rig = await rigFor();
    const copy = rig.copyWith();
    await syncMessages(copy);
    const [, root] =
      [...copy.rows('channel_messages')].find(([, row]) => row['reply_count'] === null) ?? [];
    assert.ok(root);
    rig.passDays(1);
    const { channel, ts: thread_ts } = root;
    const posted = await rig.engine.execute('messages', 'create', { channel, text: 'New' });
    const { ts } = posted as unknown as Row;
    rig.sandbox.resetRequests();
    const { messages, threads } = await syncMessages(copy);
    assert.deepEqual([messages.mode, threads.mode], ['increment', 'increment']);
    assert.deepEqual(messages.seen, [`${String(channel)}:${String(ts)}`]);
    assert.equal(asked(rig.sandbox, 'conversations.replies').length, 0);
    for (const { oldest, inclusive } of asked(rig.sandbox, 'conversations.history'))
      // The overlap: what Slack's clock holds for earlier is read again.
      assert.deepEqual([oldest, inclusive], [`${START_MS / 1000 - 300}.000000`, 'true']);

    await rig.engine.execute('messages', 'create', { channel, text: 'A reply', thread_ts: ts });
    await syncMessages(copy);
    const replies = [...copy.rows('threads').values()].filter((row) => row['thread_ts'] === ts);
    assert.deepEqual(new Set(replies.map(({ text }) => text)), new Set(['New', 'A reply']));
    assert.notEqual(thread_ts, ts);
  });

  test('sees changes of older messages and replies as far as it looks back', async () => {
    for (const lookback_window of [0, 5]) {
      await using rig = await rigFor();
      const [general] = (await rig.channels()).filter((each) => each['is_general'] === true);
      const write = async (verb: 'create' | 'update', params: Row) => {
        const message = await rig.engine.execute('messages', verb, {
          channel: general?.['id'],
          ...params,
        });
        return String((message as unknown as Row)['ts']);
      };
      const ts = await write('create', { text: 'As it was' });
      const thread_ts = await write('create', { text: 'A thread that stays as it is' });
      const replyTs = await write('create', { text: 'As it was, too', thread_ts });
      const copy = rig.copyWith({ lookback_window });
      await syncMessages(copy);
      rig.passDays(2);
      await copy.sync('channel_messages');
      await copy.sync('threads');
      await write('update', { ts, text: 'As it is' });
      await write('update', { ts: replyTs, text: 'As it is, too' });
      rig.passDays(2);
      await copy.sync('channel_messages');
      const texts = (entity: string, at: string) =>
        copy.rows(entity).get(`${String(general?.['id'])}:${at}`)?.['text'];
      const sees = lookback_window > 0;
      assert.equal(texts('channel_messages', ts), sees ? 'As it is' : 'As it was');
      await copy.sync('threads');
      assert.equal(texts('threads', replyTs), sees ? 'As it is, too' : 'As it was, too');
    }
  });

  test('looks back no further than the start date', async () => {
    await using rig = await rigFor();
    const copy = rig.copyWith({ start_date: '2026-01-20T00:00:00Z', lookback_window: 365 });
    await syncMessages(copy);
    rig.passDays(1);
    rig.sandbox.resetRequests();
    assert.equal((await syncMessages(copy)).messages.mode, 'increment');
    for (const { oldest } of asked(rig.sandbox, 'conversations.history'))
      assert.equal(oldest, `${Date.UTC(2026, 0, 20) / 1000}.000000`);
  });

  test('joins the public channels that the caller is not in, if it is told to, and no others', async () => {
    await using rig = await rigFor();
    const foreign = (await rig.channels())
      .filter((each) => each['is_member'] === false && each['is_archived'] === false)
      .map(({ id, is_private: isPrivate }) => ({ id: String(id), isPrivate }));
    const open = foreign.filter(({ isPrivate }) => isPrivate === false).map(({ id }) => id);
    assert.ok(open.length > 0);

    await syncMessages(rig.copyWith());
    assert.deepEqual(asked(rig.sandbox, 'conversations.join'), []);

    const copy = rig.copyWith({ join_channels: true });
    const { messages } = await syncMessages(copy);
    assert.equal(messages.refused, 0);
    const joined = () => asked(rig.sandbox, 'conversations.join').map(({ channel }) => channel);
    assert.deepEqual(new Set(joined()), new Set(open));
    const channels = new Set(
      [...copy.rows('channel_messages').values()].map((row) => row['channel']),
    );
    for (const id of open) assert.ok(channels.has(id), id);

    rig.passDays(1);
    rig.sandbox.resetRequests();
    await syncMessages(copy);
    assert.deepEqual(joined(), [], 'the copy of channels knows by now');
  });

  for (const code of ['not_in_channel', 'channel_not_found', 'is_archived', 'missing_scope'])
    test(`counts a channel as empty that answers ${code}`, async () => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { ok: false, error: code }),
      );
      const plan = new HandMadeCopy(engineAt(upstream.url), Date.now, CONFIG).plan(
        'channel_messages',
      );
      const page = await plan.readPage({ parent: { id: 'C1', is_member: true }, position: null });
      assert.deepEqual(page, { records: [], next: null, isRefused: true });
    });

  test('counts a channel as empty that can neither be joined nor read', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { ok: false, error: 'not_in_channel' }),
    );
    const config = { ...CONFIG, join_channels: true };
    const plan = new HandMadeCopy(engineAt(upstream.url), Date.now, config).plan(
      'channel_messages',
    );
    const parent = { id: 'C1', is_member: false, is_private: false };
    const page = await plan.readPage({ parent, position: null });
    assert.equal(page.isRefused, true);
    assert.deepEqual(
      upstream.seen.map(({ line }) => line.split('?')[0]),
      ['POST /conversations.join', 'GET /conversations.history'],
    );
  });

  for (const code of ['is_archived', 'missing_scope', 'user_is_restricted'])
    test(`reads a channel that cannot be joined (${code}) where it is readable all the same`, async () => {
      await using upstream = await startUpstream((response, _, { line }) =>
        reply(
          response,
          200,
          line.includes('/conversations.join')
            ? { ok: false, error: code }
            : { ok: true, messages: [{ type: 'message', text: 'hello', ts: '1700000000.000100' }] },
        ),
      );
      const config = { ...CONFIG, join_channels: true };
      const plan = new HandMadeCopy(engineAt(upstream.url), Date.now, config).plan(
        'channel_messages',
      );
      const parent = { id: 'C1', is_member: false, is_private: false };
      const { records, isRefused } = await plan.readPage({ parent, position: null });
      assert.deepEqual([records.length, isRefused], [1, undefined]);
    });

  test('fails where the credentials are refused', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { ok: false, error: 'token_revoked' }),
    );
    const plan = new HandMadeCopy(engineAt(upstream.url), Date.now, CONFIG).plan(
      'channel_messages',
    );
    const page = plan.readPage({ parent: { id: 'C1', is_member: true }, position: null });
    assert.equal((await errorOf(page)).code, 'credentials_rejected');
  });
});

/** Slack as a token sees it that may read channels of some types only. */
async function syncWith(readable: readonly string[]) {
  await using upstream = await startUpstream((response, _, { line }) => {
    const type = new URLSearchParams(line.split('?')[1]).get('types') ?? '';
    const answer = readable.includes(type)
      ? { ok: true, channels: [{ id: `C-${type}` }], response_metadata: { next_cursor: '' } }
      : { ok: false, error: 'missing_scope', needed: 'x:read', provided: 'y:read' };
    reply(response, 200, answer);
  });
  const copy = new HandMadeCopy(engineAt(upstream.url), Date.now, CONFIG);
  await copy.sync('channels');
  return [...copy.rows('channels').keys()];
}

describe('the copy of channels', () => {
  test('has the types of channels that the token has scopes for', async () => {
    assert.deepEqual(await syncWith(['public_channel']), ['C-public_channel']);
    assert.deepEqual(await syncWith(['public_channel', 'im']), ['C-public_channel', 'C-im']);
  });

  test('fails where not even public channels may be read', async () => {
    assert.equal((await errorOf(syncWith(['im']))).code, 'upstream_forbidden');
  });
});
