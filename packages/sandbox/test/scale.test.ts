import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startSandbox } from '../src/index.ts';
import {
  field,
  objects,
  rawCall,
  refusal,
  sandboxForTest,
  slackClient,
  startHuge,
  text,
} from './support.ts';

describe('size', () => {
  it('a million users start at once and can be paged from any place', async () => {
    await using sandbox = await startHuge();
    const client = slackClient(sandbox);
    const ids = new Set<string>();
    let cursor = '';
    for (let page = 0; page < 3; page += 1) {
      const list = await client.users.list({ limit: 1000, cursor });
      for (const member of list.members ?? []) ids.add(text(member, 'id'));
      cursor = list.response_metadata?.next_cursor ?? '';
    }
    assert.equal(ids.size, 3_000);
    const { channels = [] } = await client.conversations.list({ limit: 999 });
    assert.equal(channels.length, 999);
    const channel = text(channels[0], 'id');
    const history = await client.conversations.history({ channel, limit: 999 });
    assert.equal(history.messages?.length, 999);
    const members = await client.conversations.members({ channel, limit: 1000 });
    assert.ok(members.response_metadata?.next_cursor);
    assert.equal(await refusal(client.users.list({})), 'limit_required');
  });

  it('a page that was read before is answered from bytes, until a user changes', async () => {
    await using sandbox = await sandboxForTest();
    const path = 'users.list?limit=20';
    const first = await rawCall(sandbox, path);
    assert.equal((await rawCall(sandbox, path)).text, first.text);
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
    await rawCall(sandbox, path);
    const cursor = encodeURIComponent(text(first.body, 'response_metadata', 'next_cursor'));
    const second = await rawCall(sandbox, `${path}&cursor=${cursor}`);
    assert.match(text(objects(second.body['members'])[0], 'real_name'), /changed/);
  });

  it('the smallest workspace still has everything that tests look for', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const client = slackClient(sandbox);
    const { channels = [] } = await client.conversations.list({
      types: 'public_channel,private_channel,mpim,im',
      limit: 999,
    });
    for (const mark of ['is_archived', 'is_private', 'is_mpim', 'is_im', 'is_general'] as const) {
      assert.ok(
        channels.some((channel) => channel[mark] === true),
        mark,
      );
    }
    assert.ok(channels.some((channel) => channel.is_member === false));
    for (const channel of channels.filter((one) => one.is_member !== false)) {
      const { messages = [] } = await client.conversations.history({
        channel: text(channel, 'id'),
      });
      assert.ok(messages.every((message) => message.ts !== undefined));
    }
  });

  it('refuses options that are out of range before it opens anything', async () => {
    for (const options of [
      { scale: 9 },
      { scale: 1_000_001 },
      { scale: 1.5 },
      { seed: -1 },
      { dataEndsAt: 0 },
    ]) {
      await assert.rejects(startSandbox(options), RangeError);
    }
  });

  it('seeded data ends when it is told to', async () => {
    const dataEndsAt = Date.UTC(2030, 0, 1);
    await using sandbox = await sandboxForTest({ dataEndsAt });
    const list = await rawCall(sandbox, 'conversations.list?limit=1');
    const channel = text(objects(field(list.body, 'channels'))[0], 'id');
    const { body } = await rawCall(sandbox, `conversations.history?channel=${channel}&limit=1`);
    const newest = Number(text(objects(body['messages'])[0], 'ts'));
    assert.ok(newest < dataEndsAt / 1_000 && newest > dataEndsAt / 1_000 - 30 * 86_400);
  });
});
