import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connectorFor, errorOf } from './support/connectors.ts';
import { reply, startUpstream } from './support/upstreams.ts';

/** What a call of `users.list` fails with where that is the text of the answer. */
async function failureWith(text: string, status = 200) {
  await using upstream = await startUpstream((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  return await errorOf(connectorFor(upstream.url).users.list());
}

describe('answers that cost more than they are', () => {
  test('a refusal of many texts is told without its words, which nobody looks for in it', async () => {
    const texts = Array.from({ length: 500_000 }, () => '');
    const body = JSON.stringify({ ok: false, error: 'invalid_arguments', texts });
    const error = await failureWith(body);
    assert.equal(error.code, 'upstream_rejected');
    assert.deepEqual(error.details, { entity: 'users', action: 'list' });
  });

  test('what an upstream calls its error is cut', async () => {
    const error = await failureWith(JSON.stringify({ ok: false, error: 'e'.repeat(100_000) }));
    assert.equal(error.code, 'upstream_rejected');
    assert.ok(error.message.length < 1_000, `${error.message.length} characters`);
    assert.ok(JSON.stringify(error.details).length < 1_000);
  });

  test('an answer of more values than any page has is not read', async () => {
    const body = `{"ok":true,"members":[],"more":[${'{},'.repeat(1_500_000)}{}]}`;
    const error = await failureWith(body);
    assert.equal(error.code, 'upstream_contract_broken');
    assert.match(error.message, /more than 2,000,000 values/);
  });

  test('an answer of long texts is read, whatever stands in them', async () => {
    await using upstream = await startUpstream((response) => {
      const messages = Array.from({ length: 200 }, (_, nth) => ({
        type: 'message',
        ts: `${nth}.0`,
        text: '7,'.repeat(20_000),
      }));
      reply(response, 200, { ok: true, messages });
    });
    const page = await connectorFor(upstream.url).channel_messages.list({ channel: 'C1' });
    assert.equal(page.data.length, 200);
  });

  test('the members of small objects within records are bounded', async () => {
    await using upstream = await startUpstream((response) => {
      const attachments = Array.from({ length: 900_000 }, () => ({}));
      const message = { ts: '1.0', text: 'x', attachments };
      reply(response, 200, { ok: true, messages: [message] });
    });
    const messages = connectorFor(upstream.url).channel_messages.list({ channel: 'C1' });
    const error = await errorOf(messages);
    assert.equal(error.code, 'upstream_contract_broken');
    assert.match(error.message, /objects within its records/);
  });
});

describe('answers of odd values', () => {
  const odd = { toString: 1, valueOf: 1 };

  for (const messages of [[odd], [[[]]], ['it is wrong', odd]])
    test(`${JSON.stringify(messages)} in place of sentences is no error of ours`, async () => {
      const body = { ok: false, error: 'invalid_arguments', response_metadata: { messages } };
      const error = await failureWith(JSON.stringify(body));
      assert.equal(error.code, 'upstream_rejected');
    });

  for (const ok of [1, 'true', null, [], 'false'])
    test(`ok: ${JSON.stringify(ok)} says nothing of a write, which may have happened`, async () => {
      await using upstream = await startUpstream((response) => reply(response, 200, { ok }));
      const write = connectorFor(upstream.url).messages.create({ channel: 'C1', text: 'hello' });
      const error = await errorOf(write);
      assert.equal(error.code, 'write_outcome_unknown');
      assert.equal(upstream.seen.length, 1);
    });
});
