import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Intercom } from 'intercom-client';

import type { Fault } from '../src/index.ts';
import {
  everyRecord,
  intercomClient,
  intercomGet,
  intercomPost,
  refusalOf,
  thrownRefusal,
} from './intercom-support.ts';
import { field, objects, rawCall, sandboxForTest, text } from './support.ts';

const ids = (records: readonly Record<string, unknown>[]) => records.map(({ id }) => id);
const withCursor = (path: string, cursor: string) =>
  `${path}starting_after=${encodeURIComponent(cursor)}`;

describe('faults on the way to the simulated Intercom', () => {
  it('a rate limit storm tells when it is over, in Intercom’s header only', async () => {
    const now = Date.UTC(2026, 5, 1);
    await using sandbox = await sandboxForTest({ clock: () => now });
    sandbox.faults.add({ kind: 'rateLimit', times: 2, retryAfterSeconds: 7 });
    const raw = await intercomGet(sandbox, '/contacts');
    assert.equal(refusalOf(raw), '429 rate_limit_exceeded');
    assert.equal(raw.headers.get('x-ratelimit-remaining'), '0');
    assert.equal(raw.headers.get('x-ratelimit-reset'), String(now / 1_000 + 7));
    assert.equal(raw.headers.get('retry-after'), null);
    const client = intercomClient(sandbox);
    assert.equal(await thrownRefusal(client.contacts.list()), '429 rate_limit_exceeded');
    assert.equal((await client.contacts.list()).data.length, 50);
  });

  it('server errors, pages of HTML and errors by name come as asked for', async () => {
    await using sandbox = await sandboxForTest();
    const faults: readonly (readonly [Fault, RegExp, number])[] = [
      [{ kind: 'serverError' }, /server_error/, 500],
      [{ kind: 'serverError', status: 503 }, /service_unavailable/, 503],
      [{ kind: 'serverError', status: 502, body: 'html' }, /^<!DOCTYPE html>/, 502],
      [{ kind: 'htmlBody' }, /^<!DOCTYPE html>/, 200],
      [{ kind: 'upstreamError', error: 'api_plan_restricted', status: 403 }, /restricted/, 403],
      [{ kind: 'upstreamError', error: 'client_error' }, /client_error/, 400],
      [{ kind: 'upstreamError', error: 'late', afterApplying: true }, /late/, 400],
      [{ kind: 'slackError', error: 'by_its_older_name' }, /by_its_older_name/, 400],
    ];
    for (const [fault, body, status] of faults) {
      sandbox.faults.add({ ...fault, times: 1 });
      const raw = await intercomGet(sandbox, '/contacts');
      assert.equal(raw.status, status);
      assert.match(raw.text, body);
    }
    assert.equal((await intercomGet(sandbox, '/contacts')).status, 200);
  });

  it('errors by name reach Slack as well, with the status asked for', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'upstreamError', error: 'fatal_error', times: 1 });
    sandbox.faults.add({ kind: 'upstreamError', error: 'fatal_error', status: 418, skip: 1 });
    for (const status of [200, 418]) {
      const raw = await rawCall(sandbox, 'auth.test');
      assert.deepEqual([raw.status, raw.body['error']], [status, 'fatal_error']);
    }
  });

  it('meets only the endpoint named', async () => {
    await using sandbox = await sandboxForTest();
    const handle = sandbox.faults.add({ kind: 'serverError', method: 'GET /contacts/{id}' });
    const list = await intercomGet(sandbox, '/contacts');
    const id = text(objects(list.body['data'])[0], 'id');
    assert.equal((await intercomGet(sandbox, `/contacts/${id}`)).status, 500);
    assert.equal((await intercomGet(sandbox, '/conversations/1')).status, 404);
    assert.equal(handle.hits, 1);
  });

  it('connections are cut, answers are truncated, held back or far too large', async () => {
    await using sandbox = await sandboxForTest();
    const read = () => intercomGet(sandbox, '/contacts');
    sandbox.faults.add({ kind: 'cutConnection', times: 1 });
    await assert.rejects(read(), TypeError);
    sandbox.faults.add({ kind: 'truncate', times: 1 });
    await assert.rejects(read(), TypeError);
    sandbox.faults.add({ kind: 'truncate', how: 'json', times: 1 });
    const half = await read();
    assert.throws(() => JSON.parse(half.text) as unknown, SyntaxError);
    sandbox.faults.add({ kind: 'oversize', bytes: 3_000_000, times: 1 });
    assert.equal((await read()).text.length, 3_000_000);
    sandbox.faults.add({ kind: 'delay', delayMs: 30, times: 1 });
    const startedAt = performance.now();
    await read();
    assert.ok(performance.now() - startedAt >= 25);
    const hang = sandbox.faults.add({ kind: 'hang' });
    const held = read();
    await hang.whenHit();
    hang.release();
    assert.equal((await held).status, 200);
  });
});

describe('faults in what the simulated Intercom says', () => {
  it('a repeated cursor never ends a list or a search', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'repeatCursor', method: 'GET /contacts' });
    sandbox.faults.add({ kind: 'repeatCursor', method: 'POST /contacts/search' });
    const query = { field: 'created_at', operator: '>', value: 0 };
    const reads = [
      (cursor: string) => intercomGet(sandbox, withCursor('/contacts?per_page=25&', cursor)),
      (cursor: string) =>
        intercomPost(sandbox, '/contacts/search', {
          query,
          pagination: { per_page: 25, starting_after: cursor },
        }),
    ];
    for (const read of reads) {
      const cursors = new Set<string>();
      let cursor = '';
      for (let page = 0; page < 5; page += 1) {
        cursor = text((await read(cursor)).body, 'pages', 'next', 'starting_after');
        cursors.add(cursor);
      }
      assert.equal(cursors.size, 1);
    }
  });

  it('a repeated address never ends a list by number', async () => {
    await using sandbox = await sandboxForTest({ scale: 400 });
    sandbox.faults.add({ kind: 'repeatCursor', method: 'POST /companies/list' });
    const addresses = new Set<unknown>();
    for (const page of [1, 2, 3, 4, 9]) {
      const path = `/companies/list?per_page=20&page=${String(page)}`;
      addresses.add(field((await intercomPost(sandbox, path, {})).body, 'pages', 'next'));
    }
    assert.deepEqual(
      [...addresses],
      [`${sandbox.urls.intercom}/companies/list?per_page=20&page=2`],
    );
  });

  it('records change, come and go while their list is paged; the others come once', async () => {
    await using sandbox = await sandboxForTest();
    const lists = [
      ['/contacts?per_page=20&', 'data', 20, 'name'],
      ['/conversations?per_page=10&', 'conversations', 10, 'title'],
    ] as const;
    for (const [path, records, position, changes] of lists) {
      const read = async () =>
        await everyRecord((cursor) => intercomGet(sandbox, withCursor(path, cursor)), records);
      const before = await read();
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
      const updated = await read();
      assert.deepEqual(ids(updated), ids(before));
      assert.match(text(updated[position], changes), /changed/i);
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'insert', times: 1 });
      assert.deepEqual(ids(await read()), ids(before));
      const grown = await read();
      assert.deepEqual(ids(grown.slice(1)), ids(before));
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
      const shrunk = await read();
      assert.deepEqual(
        ids(shrunk),
        ids(grown).filter((id) => id !== grown[position]?.['id']),
      );
      const gone = text(grown[position], 'id');
      const found = await intercomGet(sandbox, `/${path.split(/[/?]/)[1] ?? ''}/${gone}`);
      assert.equal(refusalOf(found), '404 not_found');
    }
  });

  it('a company that goes between two pages shifts the later ones, as page numbers do', async () => {
    await using sandbox = await sandboxForTest({ scale: 200 });
    const read = async () => {
      const pages = [1, 2, 3].map((page) => `/companies/list?per_page=15&page=${String(page)}`);
      const all: unknown[] = [];
      for (const path of pages) {
        const { body } = await intercomPost(sandbox, path, {});
        all.push(...objects(body['data']).map(({ id }) => id));
      }
      return all;
    };
    const before = await read();
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
    assert.deepEqual(await read(), before.toSpliced(15, 1));
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'insert', times: 1 });
    const shifted = await read();
    assert.equal(shifted[15], shifted[14]);
  });

  it('unknown fields appear on lists, their records, and single records', async () => {
    await using sandbox = await sandboxForTest();
    const client = intercomClient(sandbox);
    const plain = (await client.contacts.list()).data.map(({ id }) => id);
    sandbox.faults.add({ kind: 'unknownFields' });
    const page = await client.contacts.list();
    assert.ok('sandbox_unknown_text' in page.response);
    assert.ok(page.data.every((contact) => 'sandbox_unknown_object' in contact));
    assert.deepEqual(
      page.data.map(({ id }) => id),
      plain,
    );
    const found = await client.contacts.find({ contact_id: plain[0] ?? '' });
    assert.ok('sandbox_unknown_null' in found);
  });

  it('arrays take the place of the body, the records or the objects in them', async () => {
    await using sandbox = await sandboxForTest();
    const at = async (where: 'body' | 'records' | 'fields', path: string) => {
      sandbox.faults.add({ kind: 'arrayBody', where, times: 1 });
      return JSON.parse((await intercomGet(sandbox, path)).text) as unknown;
    };
    assert.ok(Array.isArray(await at('body', '/me')));
    assert.ok(Array.isArray(await at('records', '/me')));
    assert.deepEqual(field(await at('fields', '/me'), 'app'), []);
    const listed = objects(field(await at('fields', '/contacts'), 'data'));
    assert.ok(listed.length > 0 && listed.every(({ tags }) => Array.isArray(tags)));
    const records = field(await at('records', '/tags'), 'data');
    assert.ok(Array.isArray(records) && records.every(Array.isArray));
  });

  it('a revoked token is refused while the fault stands', async () => {
    await using sandbox = await sandboxForTest();
    const fault = sandbox.faults.add({ kind: 'revokeToken', token: 'my-secret' });
    const client = intercomClient(sandbox, 'my-secret');
    await assert.rejects(client.contacts.list(), Intercom.UnauthorizedError);
    assert.equal(await thrownRefusal(client.admins.list()), '401 token_revoked');
    assert.equal((await intercomGet(sandbox, '/me')).status, 200);
    fault.release();
    assert.ok((await client.contacts.list()).data.length > 0);
  });
});
