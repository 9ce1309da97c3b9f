import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WebClient } from '@slack/web-api';

import type { Sandbox } from '../src/index.ts';
import {
  field,
  objects,
  rawCall,
  readAll,
  refusal,
  sandboxForTest,
  slackClient,
  text,
} from './support.ts';

/** These tests only read, so they share one sandbox. */
describe('reading the simulated Slack', () => {
  let sandbox: Sandbox;
  let client: WebClient;
  let general: string;

  before(async () => {
    sandbox = await sandboxForTest();
    client = slackClient(sandbox);
    const first = await client.conversations.list({ limit: 1 });
    general = text(first.channels?.[0], 'id');
  });
  after(async () => {
    await sandbox.close();
  });

  it('auth.test names the app, its user and its team', async () => {
    const who = await client.auth.test();
    const { user } = await client.users.info({ user: text(who, 'user_id') });
    assert.equal(user?.is_bot, true);
    assert.equal(user.team_id, who.team_id);
    assert.equal(user.profile?.bot_id, who.bot_id);
    assert.ok(field(who.response_metadata, 'scopes'));
  });

  it('users.list yields every user exactly once, whatever the page size', async () => {
    for (const limit of [1, 7, 60, 1000]) {
      const { all, pages } = await readAll(client, 'users.list', { limit }, 'members');
      assert.equal(all.length, 60);
      assert.equal(new Set(all.map(({ id }) => id)).size, 60);
      assert.equal(pages.length, Math.max(1, Math.ceil(60 / limit)));
    }
  });

  it('users.list without a limit gives everyone, and an empty cursor at the end', async () => {
    const list = await client.users.list({});
    assert.equal(list.members?.length, 60);
    assert.equal(list.response_metadata?.next_cursor, '');
  });

  it('users are of many kinds, and deactivated ones lack what Slack leaves out', async () => {
    const { members = [] } = await client.users.list({});
    assert.ok(members.some((user) => user.id === 'USLACKBOT'));
    assert.ok(members.some((user) => user.is_primary_owner === true));
    assert.ok(members.some((user) => user.is_bot === true && user.id !== 'USLACKBOT'));
    const gone = members.find((user) => user.deleted === true);
    assert.ok(gone);
    assert.equal('tz' in gone, false);
    assert.equal('color' in gone, false);
    const living = members.filter((user) => user.deleted !== true && user.is_bot !== true);
    assert.ok(living.every((user) => user.id === 'USLACKBOT' || typeof user.has_2fa === 'boolean'));
    assert.ok(members.every((user) => user.profile?.email?.endsWith('@example.com') !== false));
  });

  it('users.info gives what users.list gave, with a locale on request', async () => {
    const { members = [] } = await client.users.list({});
    for (const member of members.slice(0, 10)) {
      const { user } = await client.users.info({ user: text(member, 'id') });
      assert.deepEqual(user, member);
    }
    const withLocale = await client.users.info({ user: 'USLACKBOT', include_locale: true });
    assert.equal(withLocale.user?.locale, 'en-US');
  });

  it('conversations.list gives public channels unless asked for other types', async () => {
    const plain = await readAll(client, 'conversations.list', { limit: 5 }, 'channels');
    assert.ok(plain.all.every((channel) => channel['is_private'] === false));
    const types = ['public_channel', 'private_channel', 'mpim', 'im'];
    const counts = new Map<string, number>();
    for (const type of types) {
      const { all } = await readAll(
        client,
        'conversations.list',
        { types: type, limit: 3 },
        'channels',
      );
      counts.set(type, all.length);
      assert.ok(all.length > 0);
    }
    const mixed = await readAll(
      client,
      'conversations.list',
      { types: types.join(', '), limit: 4 },
      'channels',
    );
    assert.equal(new Set(mixed.all.map(({ id }) => id)).size, mixed.all.length);
    assert.equal(
      mixed.all.length,
      [...counts.values()].reduce((sum, count) => sum + count, 0),
    );
  });

  it('exclude_archived leaves pages short, not the list', async () => {
    const all = await readAll(client, 'conversations.list', { limit: 4 }, 'channels');
    const live = await readAll(
      client,
      'conversations.list',
      { limit: 4, exclude_archived: true },
      'channels',
    );
    const archived = all.all.filter((channel) => channel['is_archived'] === true);
    assert.ok(archived.length > 0);
    assert.equal(live.all.length, all.all.length - archived.length);
    assert.equal(live.pages.length, all.pages.length);
    assert.ok(live.pages.some((size) => size < 4));
  });

  it('conversations.info counts members only on request', async () => {
    const { channel } = await client.conversations.info({ channel: general });
    assert.equal(channel && 'num_members' in channel, false);
    const counted = await client.conversations.info({
      channel: general,
      include_num_members: true,
    });
    assert.equal(field(counted.channel, 'num_members'), 59);
    assert.equal(String(counted.channel?.updated).length, 13);
  });

  it('conversations.members yields as many members as the channel counts, each once', async () => {
    const { channels = [] } = await client.conversations.list({
      limit: 100,
      types: 'public_channel,mpim',
    });
    for (const channel of channels) {
      const members: string[] = [];
      const options = { channel: text(channel, 'id'), limit: 7 };
      for await (const page of client.paginate('conversations.members', options)) {
        const found = field(page, 'members');
        assert.ok(Array.isArray(found));
        members.push(...found.map(String));
      }
      assert.equal(members.length, channel.num_members);
      assert.equal(new Set(members).size, members.length);
      assert.ok(members.includes(text(channel, 'creator')));
    }
  });

  it('conversations.history yields every message once, newest first', async () => {
    const { all } = await readAll(
      client,
      'conversations.history',
      { channel: general, limit: 33 },
      'messages',
    );
    const whole = await client.conversations.history({ channel: general, limit: 999 });
    assert.deepEqual(
      all.map(({ ts }) => ts),
      whole.messages?.map(({ ts }) => ts),
    );
    const times = all.map((message) => Number(message['ts']));
    assert.deepEqual(
      times,
      times.toSorted((left, right) => right - left),
    );
    assert.equal(new Set(times).size, times.length);
    assert.ok(all.length >= 320);
    assert.equal(whole.has_more, false);
  });

  it('history holds 100 messages without a limit and says that there are more', async () => {
    const page = await client.conversations.history({ channel: general });
    assert.equal(page.messages?.length, 100);
    assert.equal(page.has_more, true);
    assert.notEqual(page.response_metadata?.next_cursor, '');
  });

  it('history is bounded by oldest and latest, and inclusive decides on the ends', async () => {
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 10 });
    const [latest, oldest] = [text(messages[2], 'ts'), text(messages[6], 'ts')];
    const inside = await client.conversations.history({ channel: general, latest, oldest });
    assert.deepEqual(
      inside.messages?.map(({ ts }) => ts),
      messages.slice(3, 6).map(({ ts }) => ts),
    );
    const range = { channel: general, latest, oldest, inclusive: true };
    const within = await client.conversations.history(range);
    assert.deepEqual(
      within.messages?.map(({ ts }) => ts),
      messages.slice(2, 7).map(({ ts }) => ts),
    );
    const one = await client.conversations.history({
      channel: general,
      latest,
      limit: 1,
      inclusive: true,
    });
    assert.equal(one.messages?.[0]?.ts, latest);
  });

  it('seeded messages have threads, reactions, files, attachments, edits, bots and notes', async () => {
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 999 });
    const marks = [
      'reply_count',
      'reactions',
      'files',
      'attachments',
      'edited',
      'bot_profile',
      'blocks',
      'username',
    ];
    for (const mark of marks)
      assert.ok(
        messages.some((message) => mark in message),
        mark,
      );
    const subtypes = new Set(messages.map(({ subtype }) => subtype));
    for (const subtype of ['channel_join', 'bot_message', 'thread_broadcast', undefined]) {
      assert.ok(subtypes.has(subtype), String(subtype));
    }
    assert.ok(messages.some((message) => message.text === ''));
    assert.ok(messages.some((message) => /\p{Extended_Pictographic}/u.test(message.text ?? '')));
  });

  it('conversations.replies yields every reply once, oldest first, and the parent on every page', async () => {
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 999 });
    const parents = messages.filter((message) => message.reply_count !== undefined);
    assert.ok(parents.some((parent) => parent.reply_count === 250));
    for (const parent of parents) {
      const { all: whole, pages } = await readAll(
        client,
        'conversations.replies',
        { channel: general, ts: text(parent, 'ts'), limit: 60 },
        'messages',
      );
      const heads = whole.filter((message) => message['ts'] === parent.ts);
      assert.deepEqual(
        heads,
        pages.map(() => parent),
      );
      const all = [parent, ...whole.filter((message) => message['ts'] !== parent.ts)];
      assert.equal(all.length, (parent.reply_count ?? 0) + 1);
      assert.equal(text(all.at(-1), 'ts'), parent.latest_reply);
      const times = all.map((message) => Number(message['ts']));
      assert.deepEqual(
        times,
        times.toSorted((left, right) => left - right),
      );
      assert.equal(new Set(times).size, times.length);
      assert.ok(all.slice(1).every((reply) => reply['thread_ts'] === parent.ts));
      assert.ok(all.slice(1).every((reply) => reply['parent_user_id'] === parent.user));
    }
  });

  it('replies bounded by oldest still begin with the parent', async () => {
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 999 });
    const parent = messages.find((message) => (message.reply_count ?? 0) > 10);
    const channel = general;
    const ts = text(parent, 'ts');
    const thread = await client.conversations.replies({ channel, ts });
    const oldest = text(thread.messages?.[4], 'ts');
    const later = await client.conversations.replies({ channel, ts, oldest });
    assert.equal(later.messages?.[0]?.ts, ts);
    assert.equal(later.messages[1]?.ts, thread.messages?.[5]?.ts);
  });

  it('the time of a reply gives that reply alone, as Slack does', async () => {
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 999 });
    const ts = text(
      messages.find((message) => message.latest_reply !== undefined),
      'latest_reply',
    );
    const alone = await client.conversations.replies({ channel: general, ts });
    assert.deepEqual(
      alone.messages?.map((message) => message.ts),
      [ts],
    );
  });

  it('direct messages and group messages can be read like channels', async () => {
    const { channels = [] } = await client.conversations.list({
      types: 'im,mpim,private_channel',
      limit: 100,
    });
    assert.ok(channels.some((channel) => channel.is_im === true && channel.user !== undefined));
    assert.ok(
      channels.some(
        (channel) => channel.is_mpim === true && channel.name?.startsWith('mpdm-') === true,
      ),
    );
    for (const channel of channels) {
      const page = await client.conversations.history({ channel: text(channel, 'id') });
      assert.ok(page.ok);
    }
  });

  it('refuses what Slack refuses, by the same code', async () => {
    const channels = objects(field(await client.conversations.list({ limit: 100 }), 'channels'));
    const foreign = text(
      channels.find((channel) => channel['is_member'] === false),
      'id',
    );
    const refused: readonly (readonly [string, string, Record<string, unknown>])[] = [
      ['user_not_found', 'users.info', { user: 'U0NOBODY' }],
      ['invalid_arguments', 'users.info', {}],
      ['invalid_cursor', 'users.list', { cursor: 'nonsense' }],
      ['invalid_cursor', 'users.list', { cursor: cursorOf('team:C1') }],
      ['invalid_cursor', 'users.list', { cursor: cursorOf('user:U0NOBODY') }],
      ['invalid_cursor', 'conversations.list', { cursor: `${cursorOf(`team:${general}`)}!` }],
      ['invalid_limit', 'users.list', { limit: 1001 }],
      ['invalid_limit', 'users.list', { limit: -1 }],
      ['invalid_limit', 'conversations.list', { limit: 'ten' }],
      ['invalid_types', 'conversations.list', { types: 'public_channel,secret' }],
      ['channel_not_found', 'conversations.info', { channel: 'C0NOWHERE' }],
      ['channel_not_found', 'conversations.info', { channel: `D${general.slice(1)}` }],
      ['channel_not_found', 'conversations.history', { channel: 'C0NOWHERE' }],
      ['not_in_channel', 'conversations.history', { channel: foreign }],
      ['not_in_channel', 'conversations.replies', { channel: foreign, ts: '1.000000' }],
      ['invalid_ts_oldest', 'conversations.history', { channel: general, oldest: 'yesterday' }],
      ['invalid_ts_latest', 'conversations.history', { channel: general, latest: 'today' }],
      [
        'invalid_cursor',
        'conversations.history',
        { channel: general, cursor: cursorOf('next_ts:x') },
      ],
      ['thread_not_found', 'conversations.replies', { channel: general, ts: '1.000000' }],
      ['thread_not_found', 'conversations.replies', { channel: general, ts: 'never' }],
      ['invalid_arguments', 'conversations.replies', { channel: general }],
      ['unknown_method', 'conversations.teleport', {}],
    ];
    for (const [code, method, args] of refused) {
      assert.equal(
        await refusal(client.apiCall(method, args)),
        code,
        `${method} ${JSON.stringify(args)}`,
      );
    }
  });

  it('names every missing argument in the way Slack does', async () => {
    const { body } = await rawCall(sandbox, 'conversations.replies');
    assert.deepEqual(body, {
      ok: false,
      error: 'invalid_arguments',
      response_metadata: {
        messages: ['[ERROR] missing required field: channel', '[ERROR] missing required field: ts'],
      },
    });
  });

  it('gives the same data for the same seed, and other data for another', async () => {
    await using twin = await sandboxForTest();
    await using other = await sandboxForTest({ seed: 8 });
    for (const path of [
      'users.list?limit=60',
      'conversations.list?limit=100&types=public_channel,im',
    ]) {
      const [mine, same, different] = await Promise.all(
        [sandbox, twin, other].map(async (one) => (await rawCall(one, path)).body),
      );
      assert.deepEqual(records(mine), records(same));
      assert.notDeepEqual(records(mine), records(different));
    }
    const path = `conversations.history?channel=${general}&limit=200`;
    const [mine, same] = [await rawCall(sandbox, path), await rawCall(twin, path)];
    assert.equal(mine.text, same.text);
  });
});

function cursorOf(target: string): string {
  return Buffer.from(target).toString('base64');
}

function records(body: unknown): unknown {
  return field(body, 'members') ?? field(body, 'channels');
}
