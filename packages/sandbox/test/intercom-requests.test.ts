import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Intercom } from 'intercom-client';

import type { Sandbox } from '../src/index.ts';
import {
  intercomClient,
  intercomGet,
  intercomPost,
  refusalOf,
  thrownRefusal,
} from './intercom-support.ts';
import { field, objects, sandboxForTest, text } from './support.ts';

describe('requests as Intercom takes them', () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await sandboxForTest();
  });
  after(async () => {
    await sandbox.close();
  });

  const withToken = (token: string) =>
    intercomGet(sandbox, '/me', { authorization: `Bearer ${token}` });

  it('wants a bearer token, and says so in an error list', async () => {
    const none = await fetch(`${sandbox.urls.intercom}/contacts`);
    const body: unknown = await none.json();
    assert.equal(none.status, 401);
    assert.equal(field(body, 'type'), 'error.list');
    assert.match(text(body, 'request_id'), /^[0-9a-f-]{36}$/);
    assert.equal(objects(field(body, 'errors'))[0]?.['code'], 'unauthorized');
    const basic = await intercomGet(sandbox, '/me', { authorization: 'Basic c2FuZGJveA==' });
    assert.equal(refusalOf(basic), '401 unauthorized');
    assert.equal(refusalOf(await withToken('an-invalid-one')), '401 unauthorized');
    assert.equal(refusalOf(await withToken('a-revoked-one')), '401 token_revoked');
    const listing = intercomClient(sandbox, 'an-invalid-one').contacts.list();
    await assert.rejects(listing, Intercom.UnauthorizedError);
  });

  it('refuses real credentials and says why', async () => {
    // Put together here, so that no file holds anything that a secret scanner would find.
    const content = ['to', 'k:', 'a1b2c3d4', '_e5f6'.repeat(3), '_', 'a1b2c3d4e5f6', ':1:0'].join(
      '',
    );
    const answer = await withToken(Buffer.from(content).toString('base64'));
    assert.equal(refusalOf(answer), '401 unauthorized');
    assert.match(answer.text, /this is the sandbox, do not give it real credentials/);
    assert.equal((await withToken('dG9rOnNhbmRib3g=')).status, 200);
  });

  it('takes any version that exists, or none, and answers as 2.11 does', async () => {
    for (const version of ['2.11', '2.14', 'Unstable']) {
      const answer = await intercomGet(sandbox, '/me', { 'intercom-version': version });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('intercom-version'), '2.11');
    }
    assert.equal((await intercomGet(sandbox, '/me')).status, 200);
    const wrong = await intercomGet(sandbox, '/me', { 'intercom-version': '9.9' });
    assert.equal(refusalOf(wrong), '400 intercom_version_invalid');
  });

  it('takes page sizes from 1 to 150 and only cursors that it gave out', async () => {
    const wrong = [
      'per_page=0',
      'per_page=151',
      'per_page=-1',
      'per_page=ten',
      'starting_after=nonsense',
      `starting_after=${Buffer.from('[1,"nobody",2]').toString('base64')}`,
    ];
    for (const query of wrong) {
      for (const path of ['/contacts', '/conversations']) {
        const answer = await intercomGet(sandbox, `${path}?${query}`);
        assert.equal(refusalOf(answer), '400 parameter_invalid', query);
      }
    }
    const order = await intercomPost(sandbox, '/companies/list?order=sideways', {});
    assert.equal(refusalOf(order), '400 parameter_invalid');
    assert.equal((await intercomGet(sandbox, '/contacts?per_page=&starting_after=')).status, 200);
  });

  it('knows its paths and verbs', async () => {
    for (const path of ['/nothing', '/contacts/1/2', '/contacts/', '/companies/%E0%A4%A', '/']) {
      assert.match(refusalOf(await intercomGet(sandbox, path)), /^404 /, path);
    }
    const posted = await intercomPost(sandbox, '/contacts', { role: 'user' });
    assert.equal(refusalOf(posted), '405 unsupported');
    const listed = await intercomPost(sandbox, '/companies/list', '');
    assert.equal(listed.status, 200);
    const byBody = await intercomPost(sandbox, '/companies/list', { per_page: 3, page: 2 });
    assert.equal(objects(byBody.body['data']).length, 3);
    assert.equal(
      await thrownRefusal(intercomClient(sandbox).contacts.find({ contact_id: 'a/b' })),
      '404 not_found',
    );
  });

  it('the request log names the endpoint, its parameters, and never a token', async () => {
    await using fresh = await sandboxForTest();
    const secret = 'keep-me-out';
    const client = intercomClient(fresh, secret);
    await client.contacts.list({ per_page: 3 });
    await client.conversations.search({ query: { field: 'open', operator: '=', value: 'true' } });
    await assert.rejects(client.contacts.find({ contact_id: 'nobody' }));
    await intercomGet(fresh, '/nothing');
    const entries = fresh.requests();
    assert.deepEqual(
      entries.map(({ method, status }) => [method, status]),
      [
        ['GET /contacts', 200],
        ['POST /conversations/search', 200],
        ['GET /contacts/{id}', 404],
        ['', 404],
      ],
    );
    assert.deepEqual(entries[0]?.params, { per_page: '3' });
    assert.equal(field(entries[1]?.params, 'query', 'field'), 'open');
    assert.ok(entries[0].headers.includes('intercom-version'));
    assert.equal(JSON.stringify(entries).includes(secret), false);
  });
});

describe('Intercom’s own limits', () => {
  it('every answer tells the limit, and without limits there is always some left', async () => {
    await using sandbox = await sandboxForTest({ clock: () => 1_800_000_001_500 });
    for (const path of ['/me', '/contacts', '/nothing', '/contacts/nobody']) {
      const { headers } = await intercomGet(sandbox, path);
      assert.equal(headers.get('x-ratelimit-limit'), '1666');
      assert.equal(headers.get('x-ratelimit-remaining'), '1665');
      assert.equal(headers.get('x-ratelimit-reset'), '1800000010');
    }
  });

  it('calls over the limit wait for the next window of ten seconds, by the clock', async () => {
    let now = Date.UTC(2026, 5, 1);
    await using sandbox = await sandboxForTest({ limits: 'vendor', clock: () => now });
    const call = (token = 'one') =>
      intercomGet(sandbox, '/me', { authorization: `Bearer ${token}` });
    for (let batch = 0; batch < 17; batch += 1) {
      await Promise.all(Array.from({ length: 98 }, async () => await call()));
    }
    assert.ok(sandbox.requests().every(({ status }) => status === 200));
    const refused = await call();
    assert.equal(refusalOf(refused), '429 rate_limit_exceeded');
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
    assert.equal((await call('two')).headers.get('x-ratelimit-remaining'), '1665');
    now = Number(refused.headers.get('x-ratelimit-reset')) * 1_000;
    assert.equal((await call()).status, 200);
  });
});
