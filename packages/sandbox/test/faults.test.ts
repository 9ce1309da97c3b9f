import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WebAPIHTTPError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import type { WebClient } from '@slack/web-api';

import type { Fault, Sandbox } from '../src/index.ts';
import {
  field,
  jsonCall,
  objects,
  rawCall,
  readAll,
  refusal,
  sandboxForTest,
  slackClient,
  text,
  postMessage,
} from './support.ts';

async function generalOf(client: WebClient): Promise<string> {
  return text(objects(field(await client.conversations.list({ limit: 1 }), 'channels'))[0], 'id');
}

async function newestText(client: WebClient, channel: string): Promise<string | undefined> {
  return (await client.conversations.history({ channel, limit: 1 })).messages?.[0]?.text;
}

describe('faults in the transport', () => {
  it('a rate limit storm answers 429 so many times, with Retry-After, and then passes', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    const handle = sandbox.faults.add({ kind: 'rateLimit', times: 2, retryAfterSeconds: 7 });
    await assert.rejects(client.users.list({}), (error: unknown) => {
      assert.ok(error instanceof WebAPIRateLimitedError);
      assert.equal(error.retryAfter, 7);
      return true;
    });
    const raw = await rawCall(sandbox, 'users.list');
    assert.equal(raw.status, 429);
    assert.equal(raw.headers.get('retry-after'), '7');
    assert.deepEqual(raw.body, { ok: false, error: 'ratelimited' });
    assert.ok((await client.users.list({})).ok);
    assert.equal(handle.hits, 2);
    assert.deepEqual(sandbox.faults.list(), []);
  });

  it('meets only the method named, after the calls it is to skip', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    sandbox.faults.add({
      kind: 'slackError',
      error: 'fatal_error',
      method: 'users.list',
      skip: 1,
      times: 1,
    });
    assert.ok((await client.auth.test()).ok);
    assert.ok((await client.users.list({})).ok);
    assert.equal(await refusal(client.users.list({})), 'fatal_error');
    assert.ok((await client.users.list({})).ok);
  });

  it('server errors come with the status and body asked for', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    for (const [status, body] of [
      [500, 'json'],
      [502, 'html'],
      [503, 'html'],
    ] as const) {
      sandbox.faults.add({ kind: 'serverError', status, body, times: 1 });
      await assert.rejects(client.users.list({}), (error: unknown) => {
        assert.ok(error instanceof WebAPIHTTPError);
        assert.equal(error.statusCode, status);
        assert.match(JSON.stringify(error.body), body === 'html' ? /<html/ : /internal_error/);
        return true;
      });
    }
  });

  it('an HTML page with status 200 takes the place of JSON', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'htmlBody', times: 1 });
    const raw = await rawCall(sandbox, 'users.list');
    assert.equal(raw.status, 200);
    assert.match(raw.headers.get('content-type') ?? '', /text\/html/);
    assert.match(raw.text, /^<!DOCTYPE html>/);
  });

  it('a truncated answer is cut in the connection, or ends cleanly in the middle', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'truncate', how: 'connection', times: 1 });
    await assert.rejects(rawCall(sandbox, 'users.list'), TypeError);
    sandbox.faults.add({ kind: 'truncate', how: 'json', times: 1 });
    const raw = await rawCall(sandbox, 'users.list');
    assert.equal(Number(raw.headers.get('content-length')), Buffer.byteLength(raw.text));
    assert.throws(() => JSON.parse(raw.text) as unknown, SyntaxError);
  });

  it('a connection cut before the call leaves nothing written', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    const channel = await generalOf(client);
    sandbox.faults.add({ kind: 'cutConnection', times: 1 });
    const call = postMessage(client, { channel, text: 'lost' });
    await assert.rejects(call, WebAPIRequestError);
    assert.notEqual(await newestText(client, channel), 'lost');
  });

  it('a connection, an answer or an error after the call hides a write that was made', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    const channel = await generalOf(client);
    const faults: readonly Fault[] = [
      { kind: 'cutConnection', afterApplying: true, times: 1 },
      { kind: 'serverError', afterApplying: true, times: 1 },
      { kind: 'htmlBody', afterApplying: true, times: 1 },
      { kind: 'slackError', error: 'internal_error', afterApplying: true, times: 1 },
    ];
    for (const fault of faults) {
      sandbox.faults.add(fault);
      const said = `hidden by ${fault.kind}`;
      await assert.rejects(postMessage(client, { channel, text: said }));
      assert.equal(await newestText(client, channel), said);
    }
  });

  it('a call hangs until it is released, without a timer', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    const channel = await generalOf(client);
    const before = sandbox.faults.add({ kind: 'hang', method: 'chat.postMessage' });
    const posting = postMessage(client, { channel, text: 'held back' });
    await before.whenHit();
    assert.notEqual(await newestText(client, channel), 'held back');
    assert.equal(
      sandbox.requests().find(({ status }) => status === null)?.method,
      'chat.postMessage',
    );
    before.release();
    assert.equal((await posting).message?.text, 'held back');

    const after = sandbox.faults.add({
      kind: 'hang',
      method: 'chat.postMessage',
      afterApplying: true,
    });
    const applied = postMessage(client, { channel, text: 'applied' });
    await after.whenHit();
    assert.equal(await newestText(client, channel), 'applied');
    after.release();
    assert.ok((await applied).ok);
  });

  it('a delay holds the answer for as long as was asked', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'delay', delayMs: 60, times: 1 });
    const startedAt = performance.now();
    await rawCall(sandbox, 'auth.test');
    assert.ok(performance.now() - startedAt >= 55);
  });

  it('closing ends calls that hang or are delayed at once', async () => {
    const sandbox = await sandboxForTest();
    const hang = sandbox.faults.add({ kind: 'hang', method: 'auth.test' });
    const slow = sandbox.faults.add({ kind: 'delay', delayMs: 3_600_000, method: 'users.list' });
    const calls = Promise.allSettled([
      rawCall(sandbox, 'auth.test'),
      rawCall(sandbox, 'users.list'),
    ]);
    await Promise.all([hang.whenHit(), slow.whenHit()]);
    await sandbox.close();
    assert.deepEqual(
      (await calls).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await sandbox.close();
  });

  it('an oversize answer streams as many bytes of JSON as were asked for', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'oversize', bytes: 5_000_000, times: 1 });
    const raw = await rawCall(sandbox, 'users.list');
    assert.equal(raw.text.length, 5_000_000);
    assert.equal(raw.body['ok'], true);
  });

  it('a client that leaves an oversize answer does not keep the sandbox busy', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'oversize', bytes: 10_000_000_000, times: 1 });
    const stop = new AbortController();
    const response = await fetch(`${sandbox.urls.slack}/users.list`, { signal: stop.signal });
    stop.abort();
    await assert.rejects(response.text());
    assert.equal((await rawCall(sandbox, 'auth.test')).body['ok'], true);
  });
});

describe('faults in the content', () => {
  it('a repeated cursor never ends a list', async () => {
    await using sandbox = await sandboxForTest();
    const handle = sandbox.faults.add({ kind: 'repeatCursor' });
    const cursors = new Set<string>();
    let cursor = '';
    for (let page = 0; page < 6; page += 1) {
      const raw = await rawCall(
        sandbox,
        `users.list?limit=25&cursor=${encodeURIComponent(cursor)}`,
      );
      cursor = text(raw.body, 'response_metadata', 'next_cursor');
      cursors.add(cursor);
    }
    assert.equal(cursors.size, 1);
    handle.release();
  });

  it('users change, come and go while they are paged', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    const read = () => readAll(client, 'users.list', { limit: 20 }, 'members');
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
    const updated = (await read()).all[20];
    assert.match(text(updated, 'real_name'), /\(changed\)$/);
    const { user } = await client.users.info({ user: text(updated, 'id') });
    assert.deepEqual(user, updated);
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
    assert.equal((await read()).all[20]?.['deleted'], true);
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'insert', times: 1 });
    const { all } = await read();
    assert.equal(new Set(all.map(({ id }) => id)).size, 61);
  });

  it('conversations change, come and go while they are paged', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    const read = async () =>
      (await readAll(client, 'conversations.list', { limit: 5 }, 'channels')).all;
    const before = await read();
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
    assert.equal(text((await read())[5], 'topic', 'value'), 'Changed while paging');
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
    const after = await read();
    assert.deepEqual(
      after.map(({ id }) => id),
      before.map(({ id }) => id).filter((id) => id !== before[5]?.['id']),
    );
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'insert', times: 1 });
    assert.equal((await read()).length, before.length);
  });

  it('messages and replies change, come and go while they are paged', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    const channel = await generalOf(client);
    const whole = await client.conversations.history({ channel, limit: 999 });
    const ts = text(
      whole.messages?.find((message) => message.reply_count === 250),
      'ts',
    );
    const lists = [
      ['conversations.history', { channel, limit: 100 }, 100],
      ['conversations.replies', { channel, ts, limit: 100 }, 100],
    ] as const;
    for (const [method, options, position] of lists) {
      // Every page of replies begins with their parent, so it comes again.
      const read = async () => {
        const { all } = await readAll(client, method, options, 'messages');
        return all.filter((message, nth) => nth === 0 || message['ts'] !== all[0]?.['ts']);
      };
      const before = await read();
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
      assert.match(text((await read())[position], 'text'), /\(changed\)$/);
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
      const after = await read();
      assert.ok(after.length === before.length - 1 || after[position]?.['subtype'] === 'tombstone');
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'insert', times: 1 });
      await read();
      assert.equal((await read()).length, after.length + 1);
    }
  });

  it('unknown fields appear on the answer and on every record', async () => {
    await using sandbox = await sandboxForTest();
    const client = slackClient(sandbox);
    const plain = await rawCall(sandbox, 'users.list');
    sandbox.faults.add({ kind: 'unknownFields', times: 2 });
    const raw = await rawCall(sandbox, 'users.list');
    const members = objects(raw.body['members']);
    assert.ok('sandbox_unknown_text' in raw.body);
    assert.ok(members.every((member) => 'sandbox_unknown_object' in member));
    assert.deepEqual(
      members.map(({ id }) => id),
      objects(plain.body['members']).map(({ id }) => id),
    );
    const { channel } = await client.conversations.info({ channel: await generalOf(client) });
    assert.ok(channel);
  });

  it('arrays take the place of the body, the records or the objects in them', async () => {
    await using sandbox = await sandboxForTest();
    const at = async (where: 'body' | 'records' | 'fields') => {
      sandbox.faults.add({ kind: 'arrayBody', where, times: 1 });
      return JSON.parse((await rawCall(sandbox, 'users.info?user=USLACKBOT')).text) as unknown;
    };
    assert.ok(Array.isArray(await at('body')));
    assert.ok(Array.isArray(field(await at('records'), 'user')));
    const fields = await at('fields');
    assert.deepEqual(field(fields, 'user', 'profile'), []);
    assert.equal(field(fields, 'user', 'id'), 'USLACKBOT');
  });

  it('bare writes answer with the text alone', async () => {
    await using sandbox = await sandboxForTest();
    const channel = await generalOf(slackClient(sandbox));
    sandbox.faults.add({ kind: 'bareWrites' });
    const topic = await jsonCall(sandbox, 'conversations.setTopic', { channel, topic: 'T' });
    assert.deepEqual(topic, { ok: true, topic: 'T' });
    const purpose = await jsonCall(sandbox, 'conversations.setPurpose', { channel, purpose: 'P' });
    assert.deepEqual(purpose, { ok: true, purpose: 'P' });
  });

  it('a revoked token is refused, another one is not, and the token is never shown', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'revokeToken', token: 'my-secret' });
    assert.equal(await refusal(slackClient(sandbox, 'my-secret').users.list({})), 'token_revoked');
    assert.ok((await slackClient(sandbox).users.list({})).ok);
    assert.equal(JSON.stringify(sandbox.faults.list()).includes('my-secret'), false);
    sandbox.faults.clear();
    assert.ok((await slackClient(sandbox, 'my-secret').users.list({})).ok);
  });

  it('faults of several kinds meet one call together', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'delay', delayMs: 1 });
    sandbox.faults.add({ kind: 'unknownFields' });
    sandbox.faults.add({ kind: 'repeatCursor' });
    sandbox.faults.add({ kind: 'truncate', how: 'json' });
    const whole = await rawCall(sandbox, 'users.list?limit=5');
    assert.match(whole.text, /^\{"ok":true,/);
    assert.throws(() => JSON.parse(whole.text) as unknown, SyntaxError);
    assert.deepEqual(
      sandbox.faults.list().map(({ hits }) => hits),
      [1, 1, 1, 1],
    );
  });

  it('of two faults that replace the answer, the second waits for its turn', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'rateLimit', times: 1 });
    sandbox.faults.add({ kind: 'serverError', times: 1 });
    const statuses = [];
    for (let call = 0; call < 3; call += 1)
      statuses.push((await rawCall(sandbox, 'auth.test')).status);
    assert.deepEqual(statuses, [429, 500, 200]);
  });
});

describe('the vendor’s own limits', () => {
  it('calls over a tier wait as long as Retry-After says, by the clock', async () => {
    let now = Date.UTC(2026, 5, 1);
    await using sandbox = await sandboxForTest({ limits: 'vendor', clock: () => now });
    const statuses = new Map<number, number>();
    const call = async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const raw = await rawCall(sandbox, 'users.list?limit=1', { headers });
      statuses.set(raw.status, (statuses.get(raw.status) ?? 0) + 1);
      return raw;
    };
    for (let count = 0; count < 20; count += 1) await call();
    assert.deepEqual([...statuses], [[200, 20]]);
    const refused = await call();
    assert.equal(refused.status, 429);
    assert.equal((await call('another-token')).status, 200);
    now += Number(refused.headers.get('retry-after')) * 1_000;
    assert.equal((await call()).status, 200);
  });

  it('posting is limited to one message a second in each channel, with a short burst', async () => {
    let now = Date.UTC(2026, 5, 1);
    await using sandbox = await sandboxForTest({ limits: 'vendor', clock: () => now });
    const client = slackClient(sandbox);
    const channels = objects(field(await client.conversations.list({}), 'channels'));
    const [first, second] = [text(channels[0], 'id'), text(channels[1], 'id')];
    const post = (channel: string, sink: Sandbox = sandbox) =>
      jsonCall(sink, 'chat.postMessage', { channel, text: 'x' });
    for (let count = 0; count < 3; count += 1) assert.equal((await post(first))['ok'], true);
    assert.equal((await post(first))['error'], 'ratelimited');
    assert.equal((await post(second))['ok'], true);
    now += 1_000;
    assert.equal((await post(first))['ok'], true);
  });
});
