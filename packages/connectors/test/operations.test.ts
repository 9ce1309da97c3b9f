import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { LogLevel, WebClient } from '@slack/web-api';
import { CREDENTIALS, connectorFor, untyped } from './support/connectors.ts';
import { parseRecords, readReference, type ReferenceField } from './support/reference-notation.ts';

/**
 * Two sandboxes that are the same in everything: our connector works in one, Slack's own client in
 * the other, so that writes can be compared like reads.
 */
describe('every operation gives what the official client gets, as the reference says', () => {
  let ours: Sandbox;
  let theirs: Sandbox;
  const place: Record<string, string> = {};

  before(async () => {
    const options = { clock: () => Date.UTC(2026, 0, 2), scale: 60 };
    [ours, theirs] = await Promise.all([startSandbox(options), startSandbox(options)]);
    for (const sandbox of [ours, theirs]) Object.assign(place, await findPlaces(sandbox));
  });
  after(async () => {
    await Promise.all([ours.close(), theirs.close()]);
  });

  for (const operation of operations())
    test(`${operation.entity}.${operation.action}`, async () => {
      const { entity, action, method } = operation;
      const params = operation.params(place);
      ours.resetRequests();
      theirs.resetRequests();
      const outcome = await untyped(connectorFor(ours.urls.slack))(entity, action, params);
      const client = officialClient(theirs);
      const answer: Json = {
        ...(await client.apiCall(method, { ...operation.constants, ...params })),
      };
      const raw = await operation.result(answer, client, place);
      const fields = recordFields(entity);
      if (Array.isArray(raw)) {
        assert.ok(raw.length > 0, 'the comparison needs records');
        const expected = {
          data: raw.map((record) => restrict(record, fields)),
          meta: metaOf(operation, answer),
          nextParams: nextParamsOf(answer),
          warnings: [],
        };
        assert.deepEqual(outcome, expected);
        assert.equal(JSON.stringify(outcome), JSON.stringify(expected), 'the order of keys');
      } else {
        const expected = restrict(raw, fields);
        assert.deepEqual(outcome, expected);
        assert.equal(JSON.stringify(outcome), JSON.stringify(expected), 'the order of keys');
      }
      const [mine, official] = [ours, theirs].map(
        (sandbox) =>
          sandbox.requests().find((request) => request.method === method) ?? assert.fail(),
      );
      assert.ok(mine !== undefined && official !== undefined);
      assert.deepEqual(comparable(mine.params), comparable(official.params));
      assert.equal(mine.authorization, 'Bearer');
      assert.equal(mine.verb, operation.writes ? 'POST' : 'GET');
    });

  test('what was written is then read by both alike', async () => {
    const { channel = '' } = place;
    const connector = connectorFor(ours.urls.slack);
    const { messages } = await officialClient(theirs).conversations.history({ channel });
    assert.ok(messages);
    const { data } = await connector.channel_messages.list({ channel });
    const fields = recordFields('channel_messages');
    assert.deepEqual(
      data,
      messages.map((message) => restrict(message, fields)),
    );
    assert.ok(data.some(({ reactions }) => reactions?.some(({ name }) => name === 'tea')));
    assert.ok(data.some(({ text }) => text === 'A changed text'));
  });

  test('inline items are restricted to their fields, in every channel', async () => {
    const connector = connectorFor(ours.urls.slack);
    const client = officialClient(theirs);
    const fields = recordFields('channel_messages');
    const seen = new Set<string>();
    for await (const { id, is_member: isMember } of connector.channels.list.all({ limit: 50 })) {
      if (isMember !== true || id === place['channel']) continue;
      const { data } = await connector.channel_messages.list({ channel: id, limit: 200 });
      const { messages } = await client.conversations.history({ channel: id, limit: 200 });
      assert.deepEqual(
        data,
        messages?.map((message) => restrict(message, fields)),
      );
      for (const message of data)
        for (const name of ['reactions', 'attachments', 'files'] as const)
          if ((message[name]?.length ?? 0) > 0) seen.add(name);
    }
    assert.deepEqual([...seen].toSorted(), ['attachments', 'files', 'reactions']);
  });
});

type Json = Readonly<Record<string, unknown>>;

type Place = Readonly<Record<string, string>>;

interface Operation {
  readonly entity: string;
  readonly action: string;
  readonly method: string;
  readonly writes: boolean;
  readonly meta?: readonly string[];
  readonly params: (place: Place) => Json;
  /** What our connector sends by itself. */
  readonly constants?: Json;
  /** The raw record or records in the official client's answer. */
  readonly result: (answer: Json, client: WebClient, place: Place) => unknown;
}

function at(name: string): (answer: Json) => unknown {
  return (answer) => answer[name];
}

/** The operations of docs/reference/chat-workspace.md but for search and what is an extension. */
function operations(): readonly Operation[] {
  const read = (
    call: string,
    method: string,
    rest: Pick<Operation, 'params' | 'constants' | 'result' | 'meta'>,
  ): Operation => {
    const [entity = '', action = ''] = call.split('.');
    return { entity, action, method, writes: false, ...rest };
  };
  const write = (...args: Parameters<typeof read>): Operation => ({
    ...read(...args),
    writes: true,
  });
  const cursor = ['next_cursor'];
  const cursorAndMore = ['next_cursor', 'has_more'];
  return [
    read('users.list', 'users.list', {
      params: () => ({ limit: 25 }),
      result: at('members'),
      meta: cursor,
    }),
    read('users.get', 'users.info', { params: ({ user }) => ({ user }), result: at('user') }),
    read('channels.list', 'conversations.list', {
      params: () => ({ limit: 30, types: 'private_channel,im,mpim', exclude_archived: true }),
      result: at('channels'),
      meta: cursor,
    }),
    read('channels.get', 'conversations.info', {
      params: ({ channel }) => ({ channel }),
      // Which Slack counts only where it is asked to.
      constants: { include_num_members: true },
      result: at('channel'),
    }),
    read('channel_messages.list', 'conversations.history', {
      params: ({ channel }) => ({
        channel,
        limit: 10,
        oldest: '1000000000.000000',
        latest: '1900000000.000000',
        inclusive: true,
      }),
      result: at('messages'),
      meta: cursorAndMore,
    }),
    read('threads.list', 'conversations.replies', {
      params: ({ channel, thread: ts }) => ({ channel, ts, limit: 2 }),
      result: at('messages'),
      meta: cursorAndMore,
    }),
    write('channels.create', 'conversations.create', {
      params: () => ({ name: 'made-by-both', is_private: true }),
      result: at('channel'),
    }),
    write('channels.update', 'conversations.rename', {
      params: ({ other }) => ({ channel: other, name: 'named-by-both' }),
      result: at('channel'),
    }),
    write('messages.create', 'chat.postMessage', {
      params: ({ channel, thread }) => ({
        channel,
        text: 'Tea? 🍵',
        thread_ts: thread,
        reply_broadcast: true,
        unfurl_links: false,
        unfurl_media: false,
      }),
      result: at('message'),
    }),
    write('messages.update', 'chat.update', {
      params: ({ channel, own }) => ({ channel, ts: own, text: 'A changed text' }),
      // The bare answer: what the message lacks stands beside it.
      result: ({ message, ts }) => ({ ...(message as Json), ts }),
    }),
    write('channel_topics.create', 'conversations.setTopic', {
      params: ({ channel }) => ({ channel, topic: 'Tea & cake' }),
      result: at('channel'),
    }),
    write('channel_purposes.create', 'conversations.setPurpose', {
      params: ({ channel }) => ({ channel, purpose: '' }),
      // A bare answer has no channel, which has to be read then.
      result: async (answer, client, { channel = '' }) =>
        answer['channel'] ??
        (await client.conversations.info({ channel, include_num_members: true })).channel,
    }),
    write('reactions.create', 'reactions.add', {
      params: ({ channel, own }) => ({ channel, timestamp: own, name: 'tea' }),
      result: (answer) => answer,
    }),
  ];
}

/** What operations need: a channel with a thread, a message of the app's own, another channel. */
async function findPlaces(sandbox: Sandbox): Promise<Place> {
  const client = officialClient(sandbox);
  const { channels = [] } = await client.conversations.list({ exclude_archived: true });
  const joined = channels.filter(({ is_member: isMember }) => isMember === true);
  const channel = joined.find(({ is_general: isGeneral }) => isGeneral === true)?.id ?? '';
  const other = joined.find(({ is_general: isGeneral }) => isGeneral !== true)?.id ?? '';
  const { messages = [] } = await client.conversations.history({ channel, limit: 200 });
  const thread = messages.find((message) => (message.reply_count ?? 0) > 2)?.ts ?? '';
  const { ts: own = '', message } = (await client.apiCall('chat.postMessage', {
    channel,
    text: 'Own',
  })) as { ts?: string; message?: { user?: string } };
  return { channel, other, thread, own, user: message?.user ?? '' };
}

function officialClient(sandbox: Sandbox): WebClient {
  return new WebClient(CREDENTIALS.api_token, {
    slackApiUrl: `${sandbox.urls.slack}/`,
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
  });
}

const records = parseRecords(
  readReference(new URL('fixtures/chat-workspace-reference.txt', import.meta.url)).get('2.2') ?? [],
);

function recordFields(entity: string): readonly ReferenceField[] {
  const name = /^channel_(topics|purposes)$/.test(entity) ? 'channels' : entity;
  return records.get(name) ?? assert.fail(entity);
}

/** A raw object cut to the fields of the reference, in its order; absent ones are null. */
function restrict(raw: unknown, fields: readonly ReferenceField[]): Json {
  const source = raw as Json;
  return Object.fromEntries(
    fields.map(({ name, items }) => {
      const value = source[name] ?? null;
      if (items === undefined || !Array.isArray(value)) return [name, value];
      return [name, value.map((item) => restrict(item, items))];
    }),
  );
}

function metaOf({ meta = [] }: Operation, answer: Json): Json {
  const { response_metadata: metadata } = answer as { response_metadata?: Json };
  const values: Json = {
    next_cursor: metadata?.['next_cursor'] === '' ? null : metadata?.['next_cursor'],
    has_more: answer['has_more'],
  };
  return Object.fromEntries(meta.map((name) => [name, values[name] ?? null]));
}

/** Slack pages by cursor alone. */
function nextParamsOf(answer: Json): Json | null {
  const { response_metadata: metadata } = answer as { response_metadata?: Json };
  const cursor = metadata?.['next_cursor'] ?? '';
  return cursor === '' ? null : { cursor };
}

/** Params as text: forms and queries have no other type. */
function comparable(params: Json | undefined): Json {
  return Object.fromEntries(
    Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]),
  );
}
