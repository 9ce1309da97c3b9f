import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Fault, Sandbox } from '../src/index.ts';
import { field, objects, sandboxForTest, text, TOKEN } from './support.ts';
import { chat, followLinks, getUrl, support } from './zendesk-calls.ts';

/** One call of each API, with the name by which faults know it. */
const CALLS = [
  ['GET /tickets', (sandbox: Sandbox) => support(sandbox, '/tickets.json?per_page=5')],
  ['GET /incremental/chats', (sandbox: Sandbox) => chat(sandbox, '/incremental/chats?limit=5')],
] as const;

for (const [method, call] of CALLS) {
  describe(`faults of ${method}`, () => {
    it('each replaces or spoils the answer, for this method only', async () => {
      await using sandbox = await sandboxForTest();
      const faults: readonly (readonly [Fault, number, RegExp])[] = [
        [{ kind: 'rateLimit', retryAfterSeconds: 9 }, 429, /Limit|Too Many/],
        [{ kind: 'serverError', status: 502 }, 502, /InternalError|Bad Gateway/],
        [{ kind: 'serverError', status: 503, body: 'html' }, 503, /<html/],
        [{ kind: 'htmlBody' }, 200, /<!DOCTYPE html>/],
        [{ kind: 'oversize', bytes: 100_000 }, 200, /xxx/],
        [{ kind: 'revokeToken' }, 401, /invalid_token|Unauthorized/],
        [{ kind: 'revokeToken', token: TOKEN }, 401, /invalid_token|Unauthorized/],
        [{ kind: 'upstreamError', error: 'RecordInvalid', status: 422 }, 422, /RecordInvalid/],
        [{ kind: 'upstreamError', error: 'Forbidden' }, 403, /Forbidden/],
        [{ kind: 'delay', delayMs: 5 }, 200, /"next_page"/],
      ];
      for (const [fault, status, body] of faults) {
        const handle = sandbox.faults.add({ ...fault, method, times: 1 });
        assert.equal((await support(sandbox, '/brands')).status, 200);
        const answer = await call(sandbox);
        assert.equal(answer.status, status, fault.kind);
        assert.match(answer.text, body);
        assert.equal(handle.hits, 1);
        if (fault.kind === 'rateLimit') assert.equal(answer.headers.get('retry-after'), '9');
      }
      for (const kind of ['cutConnection', 'truncate'] as const) {
        sandbox.faults.add({ kind, method, times: 1 });
        await assert.rejects(call(sandbox), TypeError);
      }
      const hang = sandbox.faults.add({ kind: 'hang', method });
      const held = call(sandbox);
      await hang.whenHit();
      hang.release();
      assert.equal((await held).status, 200);
    });

    it('records gain unknown fields, or become arrays', async () => {
      await using sandbox = await sandboxForTest();
      const records = method.endsWith('chats') ? 'chats' : 'tickets';
      sandbox.faults.add({ kind: 'unknownFields', method, times: 1 });
      const unknown = (await call(sandbox)).body;
      assert.equal(field(unknown, 'sandbox_unknown_number'), 4.5);
      assert.equal(field(unknown, records, '0', 'id_v2'), 'sandbox');
      sandbox.faults.add({ kind: 'arrayBody', method, times: 1 });
      assert.ok(Array.isArray(field((await call(sandbox)).body, records, '0')));
      sandbox.faults.add({ kind: 'arrayBody', where: 'body', method, times: 1 });
      assert.ok(Array.isArray((await call(sandbox)).body));
    });
  });
}

describe('faults while paging Zendesk', () => {
  it('a repeated page never ends a list, by either pagination', async () => {
    await using sandbox = await sandboxForTest();
    const ways: readonly (readonly [string, readonly string[]])[] = [
      ['per_page=25', ['next_page']],
      ['page[size]=25', ['links', 'next']],
    ];
    for (const [query, path] of ways) {
      const handle = sandbox.faults.add({ kind: 'repeatCursor', method: 'GET /tickets' });
      const links = new Set<string>();
      let url = `${sandbox.urls.zendeskSupport}/tickets?${query}`;
      for (let page = 0; page < 5; page += 1) {
        const { body } = await getUrl(url);
        url = text(body, ...path);
        links.add(url);
      }
      assert.equal(links.size, 1);
      handle.release();
    }
    sandbox.faults.add({ kind: 'repeatCursor' });
    const firstIds: unknown[] = [];
    for (const sinceId of [0, 101_020]) {
      const { body } = await chat(sandbox, `/agents?limit=3&since_id=${String(sinceId)}`);
      firstIds.push(objects(body)[0]?.['id']);
    }
    assert.equal(firstIds[0], firstIds[1]);
    const first = await chat(sandbox, '/incremental/chats?limit=10');
    const second = await getUrl(text(first.body, 'next_page'));
    assert.equal(field(second.body, 'next_page'), field(first.body, 'next_page'));
  });

  it('tickets change, come and go between pages', async () => {
    for (const [query, link] of [
      ['per_page=20', ['next_page']],
      ['page[size]=20', ['links', 'next']],
      ['page[size]=20&sort=-updated_at', ['links', 'next']],
    ] as const) {
      await using sandbox = await sandboxForTest();
      const read = async () =>
        (await followLinks(sandbox, `/tickets?${query}`, 'tickets', link)).all;
      const before = await read();
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
      const afterDelete = await read();
      const goneId = before[20]?.['id'];
      assert.deepEqual(
        afterDelete.map(({ id }) => id),
        before.map(({ id }) => id).filter((id) => id !== goneId),
      );
      assert.equal((await support(sandbox, `/tickets/${String(goneId)}`)).status, 404);
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'insert', times: 1 });
      await read();
      assert.equal((await read()).length, 60);
      const next = (await read())[20]?.['id'];
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
      await read();
      const changed = await support(sandbox, `/tickets/${String(next)}`);
      assert.match(text(changed.body, 'ticket', 'subject'), /\(changed\)$/);
      assert.equal(new Set((await read()).map(({ id }) => id)).size, 60);
    }
  });

  it('comments and the help center change while they are paged, too', async () => {
    await using sandbox = await sandboxForTest();
    const path = '/tickets/2/comments?page[size]=50';
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
    const { all } = await followLinks(sandbox, path, 'comments', ['links', 'next']);
    assert.equal(all.length, 230);
    assert.match(text(all[50], 'body'), /\(changed\)$/);
    sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
    const articles = await followLinks(sandbox, '/help_center/articles?per_page=5', 'articles', [
      'next_page',
    ]);
    assert.equal(articles.all.length, 11);
  });

  it('chats change, come and go between pages of an export', async () => {
    await using sandbox = await sandboxForTest();
    for (const [name, stays] of [
      ['chats', false],
      ['agent_timeline', true],
    ] as const) {
      const read = async () => {
        const all: Record<string, unknown>[] = [];
        let url = `${sandbox.urls.zendeskChat}/incremental/${name}?limit=20&fields=${name}(*)`;
        for (;;) {
          const { body } = await getUrl(url);
          const rows = objects(field(body, name));
          all.push(...rows);
          if (rows.length < 20) return all;
          url = text(body, 'next_page');
        }
      };
      const before = await read();
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
      const updated = await read();
      assert.equal(updated.length, before.length);
      const place = updated.findIndex(
        (row) => row['comment'] === 'Changed while paging' || row['engagement_count'] === 99,
      );
      assert.equal(place, stays ? 20 : before.length - 1);
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
      const deleted = await read();
      // A deleted chat comes once more, marked as such; a span of the timeline is just gone.
      assert.equal(deleted.filter((row) => row['deleted'] === true).length, stays ? 0 : 1);
      assert.equal(deleted.length, before.length - (stays ? 1 : 0));
      if (!stays) {
        const gone = text(deleted.at(-1), 'id');
        assert.equal((await chat(sandbox, `/chats/${gone}`)).status, 404);
      }
      sandbox.faults.add({ kind: 'mutateWhilePaging', change: 'insert', times: 1 });
      assert.equal((await read()).length, deleted.length + 1);
    }
  });
});
