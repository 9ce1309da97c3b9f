import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { RequestLogEntry, Sandbox } from '../src/index.ts';
import {
  field,
  objects,
  rawCall,
  refusal,
  sandboxForTest,
  slackClient,
  text,
  TOKEN,
} from './support.ts';

const FORM = 'application/x-www-form-urlencoded';

describe('requests as Slack takes them', () => {
  let sandbox: Sandbox;
  let general: string;
  before(async () => {
    sandbox = await sandboxForTest();
    const { body } = await rawCall(sandbox, 'conversations.list?limit=1');
    general = text(objects(body['channels'])[0], 'id');
  });
  after(async () => {
    await sandbox.close();
  });

  const post = (
    method: string,
    contentType: string | undefined,
    body: string | Uint8Array<ArrayBuffer>,
  ) =>
    rawCall(sandbox, method, {
      method: 'POST',
      headers: contentType === undefined ? {} : { 'content-type': contentType },
      body,
    });

  it('arguments come in the query, in a form or in JSON', async () => {
    const query = await rawCall(sandbox, `conversations.info?channel=${general}`);
    const form = await post('conversations.info', FORM, `channel=${general}`);
    assert.deepEqual(query.body, form.body);
    const json = await post(
      'chat.postMessage',
      'application/json; charset=utf-8',
      JSON.stringify({ channel: general, text: 'é' }),
    );
    assert.equal(text(json.body, 'message', 'text'), 'é');
    const get = await rawCall(sandbox, `chat.postMessage?channel=${general}&text=by+GET`);
    assert.equal(text(get.body, 'message', 'text'), 'by GET');
  });

  it('methods that only read ignore a JSON body, as Slack does', async () => {
    const { body } = await post(
      'conversations.info',
      'application/json; charset=utf-8',
      JSON.stringify({ channel: general }),
    );
    assert.equal(body['error'], 'invalid_arguments');
  });

  it('remarks on a charset that is missing or too much', async () => {
    const json = await post('auth.test', 'application/json', '{}');
    assert.equal(json.body['warning'], 'missing_charset');
    assert.deepEqual(field(json.body, 'response_metadata', 'warnings'), ['missing_charset']);
    const form = await post('auth.test', `${FORM};charset=utf-8`, 'a=b');
    assert.equal(form.body['warning'], 'superfluous_charset');
  });

  it('refuses bodies that cannot be read, by Slack’s codes', async () => {
    const json = 'application/json; charset=utf-8';
    const bodies: readonly (readonly [string, string | undefined, string])[] = [
      ['invalid_json', json, '{"channel":'],
      ['json_not_object', json, '["channel"]'],
      ['json_not_object', json, '"channel"'],
      ['invalid_post_type', 'application/xml', '<channel/>'],
      ['invalid_post_type', 'text/plain;charset=utf-8', 'channel'],
      ['invalid_charset', 'application/json; charset=utf-16', '{}'],
      ['invalid_form_data', 'multipart/form-data; boundary=x', '--x--'],
    ];
    for (const [code, contentType, body] of bodies) {
      assert.equal((await post('chat.postMessage', contentType, body)).body['error'], code);
    }
    const untyped = await post('chat.postMessage', undefined, new Uint8Array([123, 125]));
    assert.equal(untyped.body['error'], 'missing_post_type');
    const invalidArgument = await post(
      'chat.postMessage',
      json,
      '{"channel":{"id":"C"},"text":"x"}',
    );
    assert.equal(invalidArgument.body['error'], 'invalid_arguments');
  });

  it('refuses a huge body without reading it into memory', async () => {
    const { status } = await post('chat.postMessage', FORM, `text=${'x'.repeat(2_000_000)}`);
    assert.equal(status, 413);
    assert.equal((await rawCall(sandbox, 'auth.test')).status, 200);
  });

  it('answers unknown methods by name, and paths outside the API with 404', async () => {
    const { body } = await rawCall(sandbox, 'users.nothing');
    assert.deepEqual(body, { ok: false, error: 'unknown_method', req_method: 'users.nothing' });
    assert.equal((await fetch(`${sandbox.url}/api/users.list`)).status, 404);
    assert.equal((await rawCall(sandbox, 'users.list', { method: 'DELETE' })).body['ok'], false);
  });

  it('tells the scopes granted and the scopes accepted', async () => {
    const { headers } = await rawCall(sandbox, 'users.list');
    assert.equal(headers.get('x-accepted-oauth-scopes'), 'users:read');
    assert.ok(headers.get('x-oauth-scopes')?.includes('chat:write'));
  });

  it('wants a token, in the header or in a form, never in the query', async () => {
    assert.equal(await codeWithoutHeader(sandbox, 'auth.test'), 'not_authed');
    assert.equal(await codeWithoutHeader(sandbox, `auth.test?token=${TOKEN}`), 'not_authed');
    const basic = { headers: { authorization: 'Basic c2FuZGJveA==' } };
    assert.equal(await codeWithoutHeader(sandbox, 'auth.test', basic), 'not_authed');
    const form = { method: 'POST', body: new URLSearchParams({ token: TOKEN }) };
    assert.equal(await codeWithoutHeader(sandbox, 'auth.test', form), undefined);
  });

  it('refuses tokens that say they are invalid or revoked', async () => {
    assert.equal(await refusal(slackClient(sandbox, 'an-invalid-one').auth.test()), 'invalid_auth');
    assert.equal(await refusal(slackClient(sandbox, 'a-revoked-one').auth.test()), 'token_revoked');
  });

  it('refuses real credentials and says why', async () => {
    const digits = '1234567890123';
    // Put together here, so that no file holds anything that a secret scanner would find.
    const real = [
      ['xox', 'b-', digits, '-', digits, '-', 'Ab1'.repeat(8)],
      ['xox', 'p-', digits, '-', digits, '-', digits, '-', 'a1'.repeat(16)],
      ['xap', 'p-1-A', '0123456789', '-', digits, '-', 'a1'.repeat(32)],
      ['xox', 'e.xox', 'b-1-', 'Ab1'.repeat(55)],
      ['xox', 'e-1-', 'Ab1'.repeat(49)],
    ].map((parts) => parts.join(''));
    for (const token of real) {
      const { body } = await rawCall(sandbox, 'auth.test', {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(body['error'], 'invalid_auth');
      const messages = ['this is the sandbox, do not give it real credentials'];
      assert.deepEqual(body['response_metadata'], { messages });
    }
    for (const token of ['xoxb-sandbox', 'xoxb-1234-5678-test', 'anything']) {
      assert.ok((await slackClient(sandbox, token).auth.test()).ok);
    }
  });
});

describe('the request log', () => {
  it('holds the method, the parameters and the header names, and never a token', async () => {
    const seen: RequestLogEntry[] = [];
    await using sandbox = await sandboxForTest({
      clock: () => 5_000,
      onRequest: (entry) => seen.push(entry),
    });
    const secret = 'keep-me-out';
    await slackClient(sandbox, secret).users.list({ limit: 3 });
    await rawCall(sandbox, `users.info?user=USLACKBOT&token=${secret}`);
    const body = new URLSearchParams({ token: secret, user: 'U1' });
    await fetch(`${sandbox.urls.slack}/users.info`, { method: 'POST', body });
    const entries = sandbox.requests();
    assert.deepEqual(entries, seen);
    assert.equal(JSON.stringify(entries).includes(secret), false);
    const [first, second] = entries;
    assert.equal(first?.method, 'users.list');
    assert.equal(first.verb, 'POST');
    assert.equal(first.path, '/slack/api/users.list');
    assert.deepEqual(first.params, { limit: '3' });
    assert.equal(first.authorization, 'Bearer');
    assert.equal(first.status, 200);
    assert.equal(first.at, 5_000);
    assert.ok(first.headers.includes('authorization'));
    assert.deepEqual(second?.params, { user: 'USLACKBOT' });
    sandbox.resetRequests();
    assert.deepEqual(sandbox.requests(), []);
  });

  it('keeps the last 1,000 requests', async () => {
    await using sandbox = await sandboxForTest();
    const batch = (from: number) =>
      Promise.all(
        Array.from({ length: 101 }, (_, nth) =>
          rawCall(sandbox, `auth.test?n=${String(from + nth)}`),
        ),
      );
    for (let round = 0; round < 10; round += 1) await batch(round * 101);
    const entries = sandbox.requests();
    assert.equal(entries.length, 1_000);
    assert.ok(entries.every(({ params }) => Number(params['n']) >= 0));
    const numbers = entries.map(({ params }) => Number(params['n']));
    assert.equal(Math.max(...numbers), 1_009);
    assert.ok(numbers.indexOf(1_009) > 800);
  });
});

async function codeWithoutHeader(
  sandbox: Sandbox,
  path: string,
  init: RequestInit = {},
): Promise<unknown> {
  const response = await fetch(`${sandbox.urls.slack}/${path}`, init);
  return field(await response.json(), 'error');
}
