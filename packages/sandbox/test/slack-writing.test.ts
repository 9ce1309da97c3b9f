import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WebClient } from '@slack/web-api';

import type { Sandbox } from '../src/index.ts';
import {
  field,
  jsonCall,
  objects,
  readAll,
  refusal,
  sandboxForTest,
  slackClient,
  text,
  postMessage,
} from './support.ts';

interface Setting extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly client: WebClient;
  readonly general: string;
  readonly channels: readonly Record<string, unknown>[];
}

async function setUp(): Promise<Setting> {
  const sandbox = await sandboxForTest({ clock: () => Date.UTC(2026, 5, 1) });
  const client = slackClient(sandbox);
  const channels = objects(field(await client.conversations.list({ limit: 999 }), 'channels'));
  const general = text(channels[0], 'id');
  return { sandbox, client, general, channels, [Symbol.asyncDispose]: () => sandbox.close() };
}

describe('writing to the simulated Slack', () => {
  it('a posted message is answered in full and is then the newest in the history', async () => {
    await using setting = await setUp();
    const { client, general } = setting;
    const posted = await postMessage(client, { channel: general, text: 'Hello 👋 *world*' });
    assert.equal(posted.channel, general);
    assert.equal(posted.message?.text, 'Hello 👋 *world*');
    for (const name of [
      'type',
      'ts',
      'user',
      'bot_id',
      'app_id',
      'team',
      'bot_profile',
      'blocks',
    ]) {
      assert.ok(name in posted.message, name);
    }
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 2 });
    assert.deepEqual(messages[0], posted.message);
  });

  it('messages posted in the same millisecond get times that rise', async () => {
    await using setting = await setUp();
    const { client, general } = setting;
    const posted = await Promise.all(
      Array.from({ length: 20 }, () => postMessage(client, { channel: general, text: 'same' })),
    );
    assert.equal(new Set(posted.map(({ ts }) => ts)).size, 20);
    const { all } = await readAll(
      client,
      'conversations.history',
      { channel: general, limit: 9 },
      'messages',
    );
    assert.equal(new Set(all.map(({ ts }) => ts)).size, all.length);
    assert.ok(Number(all[0]?.['ts']) >= Date.UTC(2026, 5, 1) / 1_000);
  });

  it('a reply changes its parent, and a broadcast one shows in the channel', async () => {
    await using setting = await setUp();
    const { client, general } = setting;
    const parent = await postMessage(client, { channel: general, text: 'parent' });
    const thread = { channel: general, thread_ts: text(parent, 'ts') };
    const quiet = await postMessage(client, { ...thread, text: 'quiet' });
    const loud = await postMessage(client, { ...thread, text: 'loud', reply_broadcast: true });
    assert.equal(quiet.message?.thread_ts, parent.ts);
    assert.equal(loud.message?.subtype, 'thread_broadcast');
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 3 });
    assert.deepEqual(
      messages.slice(0, 2).map((message) => message.text),
      ['loud', 'parent'],
    );
    assert.equal(messages[1]?.reply_count, 2);
    assert.equal(messages[1].reply_users_count, 1);
    assert.equal(messages[1].latest_reply, loud.ts);
    const replies = await client.conversations.replies({
      channel: general,
      ts: text(parent, 'ts'),
    });
    assert.deepEqual(
      replies.messages?.map((message) => message.text),
      ['parent', 'quiet', 'loud'],
    );
  });

  it('a reply to a seeded thread comes after its seeded replies', async () => {
    await using setting = await setUp();
    const { client, general } = setting;
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 200 });
    const parent = messages.find((message) => (message.reply_count ?? 0) > 3);
    const ts = text(parent, 'ts');
    await postMessage(client, { channel: general, thread_ts: ts, text: 'late' });
    const { all } = await readAll(
      client,
      'conversations.replies',
      { channel: general, ts, limit: 50 },
      'messages',
    );
    assert.equal(all.at(-1)?.['text'], 'late');
    assert.equal(all[0]?.['reply_count'], (parent?.reply_count ?? 0) + 1);
    assert.equal(all[0]['reply_users_count'], (parent?.reply_users_count ?? 0) + 1);
  });

  it('an update answers barely, edits the message and marks it', async () => {
    await using setting = await setUp();
    const { sandbox, client, general } = setting;
    const { ts } = await postMessage(client, { channel: general, text: 'before' });
    const updated = await jsonCall(sandbox, 'chat.update', { channel: general, ts, text: 'after' });
    const { user_id: user } = await client.auth.test();
    assert.deepEqual(updated, {
      ok: true,
      channel: general,
      ts,
      text: 'after',
      message: { text: 'after', user },
    });
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 1 });
    assert.equal(messages[0]?.text, 'after');
    assert.equal(messages[0].edited?.user, user);
  });

  it('the app can update its seeded messages, and nobody else’s', async () => {
    await using setting = await setUp();
    const { client, general } = setting;
    const { bot_id: botId } = await client.auth.test();
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 999 });
    const own = messages.find((message) => message.bot_id === botId);
    const foreign = messages.find((message) => message.client_msg_id !== undefined);
    await client.chat.update({ channel: general, ts: text(own, 'ts'), text: 'mine' });
    const call = client.chat.update({
      channel: general,
      ts: text(foreign, 'ts'),
      text: 'not mine',
    });
    assert.equal(await refusal(call), 'cant_update_message');
  });

  it('a reaction shows on the message, once', async () => {
    await using setting = await setUp();
    const { sandbox, client, general } = setting;
    const { messages = [] } = await client.conversations.history({ channel: general, limit: 100 });
    const seeded = text(
      messages.find((message) => message.reactions !== undefined),
      'ts',
    );
    const args = { channel: general, timestamp: seeded, name: 'lantern' };
    assert.deepEqual(await jsonCall(sandbox, 'reactions.add', args), { ok: true });
    assert.equal(await refusal(client.reactions.add(args)), 'already_reacted');
    const shown = await client.conversations.history({
      channel: general,
      latest: seeded,
      inclusive: true,
      limit: 1,
    });
    const reaction = shown.messages?.[0]?.reactions?.find(({ name }) => name === 'lantern');
    assert.deepEqual(reaction, {
      name: 'lantern',
      users: [(await client.auth.test()).user_id],
      count: 1,
    });
    assert.ok((shown.messages?.[0]?.reactions?.length ?? 0) > 1);
  });

  it('a message to a user opens a direct message, the same one every time', async () => {
    await using setting = await setUp();
    const { client } = setting;
    const { members = [] } = await client.users.list({});
    const person = members
      .toReversed()
      .find((user) => user.is_bot !== true && user.deleted !== true);
    const user = text(person, 'id');
    const first = await postMessage(client, { channel: user, text: 'psst' });
    const second = await postMessage(client, { channel: user, text: 'again' });
    assert.match(first.channel ?? '', /^D/);
    assert.equal(first.channel, second.channel);
    const { channel } = await client.conversations.info({ channel: text(first, 'channel') });
    assert.equal(field(channel, 'user'), user);
    const ims = await client.conversations.list({ types: 'im', limit: 999 });
    assert.ok(ims.channels?.some(({ id }) => id === first.channel));
    const members2 = await client.conversations.members({ channel: text(first, 'channel') });
    assert.equal(members2.members?.length, 2);
  });

  it('a channel can be named instead of its id when posting', async () => {
    await using setting = await setUp();
    const { client, general } = setting;
    const posted = await postMessage(client, { channel: '#general', text: 'by name' });
    assert.equal(posted.channel, general);
  });

  it('created channels are listed, and hold the note of their making', async () => {
    await using setting = await setUp();
    const { client } = setting;
    const open = await client.conversations.create({ name: 'blue-lantern' });
    const hidden = await client.conversations.create({ name: 'grün_ラ-1', is_private: true });
    assert.equal(open.channel?.is_member, true);
    assert.equal(hidden.channel?.is_private, true);
    const types = 'public_channel,private_channel';
    const { all } = await readAll(client, 'conversations.list', { types, limit: 6 }, 'channels');
    const ids = all.map(({ id }) => id);
    assert.ok(ids.includes(open.channel.id) && ids.includes(hidden.channel.id));
    const publicOnly = await readAll(client, 'conversations.list', { limit: 6 }, 'channels');
    assert.ok(!publicOnly.all.some(({ id }) => id === hidden.channel?.id));
    const { messages } = await client.conversations.history({ channel: text(open.channel, 'id') });
    assert.deepEqual(
      messages?.map(({ subtype }) => subtype),
      ['channel_join'],
    );
  });

  it('names of channels follow Slack’s rules', async () => {
    await using setting = await setUp();
    const { client } = setting;
    const names: readonly (readonly [string, string])[] = [
      ['', 'invalid_name_required'],
      ['a'.repeat(81), 'invalid_name_maxlength'],
      ['--__', 'invalid_name_punctuation'],
      ['Loud', 'invalid_name_specials'],
      ['two words', 'invalid_name_specials'],
      ['#hash', 'invalid_name_specials'],
      ['general', 'name_taken'],
    ];
    for (const [name, code] of names) {
      assert.equal(await refusal(client.conversations.create({ name })), code, name);
    }
    await client.conversations.create({ name: 'a'.repeat(80) });
    assert.equal(
      await refusal(client.conversations.create({ name: 'a'.repeat(80) })),
      'name_taken',
    );
  });

  it('renaming frees the old name and remembers it', async () => {
    await using setting = await setUp();
    const { client, general, channels } = setting;
    const random = channels[1];
    const channel = text(random, 'id');
    const renamed = await client.conversations.rename({ channel, name: 'chatter' });
    assert.equal(renamed.channel?.name, 'chatter');
    assert.equal(renamed.channel.previous_names?.[0], 'random');
    const again = await client.conversations.create({ name: 'random' });
    assert.notEqual(again.channel?.id, channel);
    await client.conversations.rename({ channel, name: 'natter' });
    await client.conversations.create({ name: 'chatter' });
    assert.equal(
      await refusal(client.conversations.rename({ channel, name: 'general' })),
      'name_taken',
    );
    assert.equal(
      await refusal(client.conversations.rename({ channel: general, name: 'x' })),
      'not_authorized',
    );
  });

  it('public channels can be joined, and then read', async () => {
    await using setting = await setUp();
    const { client, channels } = setting;
    const foreign = channels.find(
      (one) => one['is_member'] === false && one['is_archived'] === false,
    );
    const channel = text(foreign, 'id');
    assert.equal(await refusal(postMessage(client, { channel, text: 'hi' })), 'not_in_channel');
    const before = await client.conversations.info({ channel, include_num_members: true });
    const joined = await client.conversations.join({ channel });
    assert.equal(joined.channel?.is_member, true);
    const { messages } = await client.conversations.history({ channel, limit: 1 });
    assert.equal(messages?.[0]?.subtype, 'channel_join');
    const again = await client.conversations.join({ channel });
    assert.equal(again.warning, 'already_in_channel');
    const now = await client.conversations.info({ channel, include_num_members: true });
    assert.equal(
      field(now.channel, 'num_members'),
      Number(field(before.channel, 'num_members')) + 1,
    );
  });

  it('a topic and a purpose answer with the channel', async () => {
    await using setting = await setUp();
    const { sandbox, client, general } = setting;
    const topic = await jsonCall(sandbox, 'conversations.setTopic', {
      channel: general,
      topic: 'T & t',
    });
    assert.equal(text(topic, 'channel', 'topic', 'value'), 'T & t');
    const purpose = await jsonCall(sandbox, 'conversations.setPurpose', {
      channel: general,
      purpose: 'P',
    });
    assert.equal(text(purpose, 'channel', 'purpose', 'value'), 'P');
    const { channel } = await client.conversations.info({ channel: general });
    assert.equal(channel?.purpose?.value, 'P');
    const { messages } = await client.conversations.history({ channel: general, limit: 2 });
    assert.deepEqual(
      messages?.map(({ subtype }) => subtype),
      ['channel_purpose', 'channel_topic'],
    );
    const cleared = await client.conversations.setTopic({ channel: general, topic: '' });
    assert.equal(field(cleared, 'channel', 'topic', 'value'), '');
  });

  it('refuses writes that Slack refuses, by the same code', async () => {
    await using setting = await setUp();
    const { client, general, channels } = setting;
    const archived = text(
      channels.find((one) => one['is_archived'] === true && one['is_member'] === true),
      'id',
    );
    const im = text(
      objects(field(await client.conversations.list({ types: 'im' }), 'channels'))[0],
      'id',
    );
    const { bot_id: botId } = await client.auth.test();
    const bots = (await client.users.list({})).members?.filter((user) => user.is_bot === true);
    const { ts } = await postMessage(client, { channel: general, text: 'mine' });
    const join = await client.conversations.history({ channel: general, limit: 999 });
    const note = join.messages?.find(({ subtype }) => subtype === 'channel_join')?.ts;
    assert.ok(botId);
    const refused: readonly (readonly [string, string, Record<string, unknown>])[] = [
      ['no_text', 'chat.postMessage', { channel: general }],
      ['no_text', 'chat.postMessage', { channel: general, text: '  ' }],
      ['channel_not_found', 'chat.postMessage', { channel: 'C0NOWHERE', text: 'x' }],
      ['is_archived', 'chat.postMessage', { channel: archived, text: 'x' }],
      ['cannot_dm_bot', 'chat.postMessage', { channel: bots?.[0]?.id, text: 'x' }],
      [
        'thread_not_found',
        'chat.postMessage',
        { channel: general, text: 'x', thread_ts: '1.000000' },
      ],
      ['invalid_thread_ts', 'chat.postMessage', { channel: general, text: 'x', thread_ts: 'now' }],
      [
        'cannot_reply_to_message',
        'chat.postMessage',
        { channel: general, text: 'x', thread_ts: note },
      ],
      ['invalid_blocks_format', 'chat.postMessage', { channel: general, blocks: 'nope' }],
      ['message_not_found', 'chat.update', { channel: general, ts: '1.000000', text: 'x' }],
      ['no_text', 'chat.update', { channel: general, ts, text: '' }],
      ['msg_too_long', 'chat.update', { channel: general, ts, text: 'x'.repeat(4001) }],
      ['is_inactive', 'chat.update', { channel: archived, ts, text: 'x' }],
      ['invalid_arguments', 'chat.update', { channel: general, text: 'x' }],
      [
        'message_not_found',
        'reactions.add',
        { channel: general, timestamp: '1.000000', name: 'eyes' },
      ],
      ['bad_timestamp', 'reactions.add', { channel: general, timestamp: 'now', name: 'eyes' }],
      ['invalid_name', 'reactions.add', { channel: general, timestamp: ts, name: ':eyes:' }],
      ['no_item_specified', 'reactions.add', { channel: general, name: 'eyes' }],
      ['channel_not_found', 'reactions.add', { channel: 'C0', timestamp: ts, name: 'eyes' }],
      ['too_long', 'conversations.setTopic', { channel: general, topic: '🦊'.repeat(251) }],
      ['too_long', 'conversations.setPurpose', { channel: general, purpose: 'x'.repeat(251) }],
      ['is_archived', 'conversations.setTopic', { channel: archived, topic: 'x' }],
      ['is_archived', 'conversations.rename', { channel: archived, name: 'x' }],
      [
        'method_not_supported_for_channel_type',
        'conversations.setTopic',
        { channel: im, topic: 'x' },
      ],
      ['method_not_supported_for_channel_type', 'conversations.rename', { channel: im, name: 'x' }],
      ['method_not_supported_for_channel_type', 'conversations.join', { channel: im }],
    ];
    for (const [code, method, args] of refused) {
      assert.equal(
        await refusal(client.apiCall(method, args)),
        code,
        `${method} ${JSON.stringify(args)}`,
      );
    }
    await client.conversations.setTopic({ channel: general, topic: '🦊'.repeat(250) });
  });

  it('a text over 40,000 characters is cut, never inside a character', async () => {
    await using setting = await setUp();
    const { sandbox, general } = setting;
    const posted = await jsonCall(sandbox, 'chat.postMessage', {
      channel: general,
      text: '🦊'.repeat(40_010),
    });
    assert.equal(text(posted, 'message', 'text'), '🦊'.repeat(40_000));
  });

  it('blocks and attachments are kept as they were given', async () => {
    await using setting = await setUp();
    const { client, general } = setting;
    const blocks = [{ type: 'section', text: { type: 'plain_text', text: 'in a block' } }];
    const attachments = [{ text: 'attached', fallback: 'attached' }];
    const posted = await postMessage(client, {
      channel: general,
      blocks,
      attachments,
      text: '',
    });
    assert.deepEqual(posted.message?.blocks, blocks);
    assert.deepEqual(posted.message.attachments, [{ ...attachments[0], id: 1 }]);
  });
});
