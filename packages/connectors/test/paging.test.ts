import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startSandbox } from '@patchbay/sandbox';
import * as fc from 'fast-check';
import { collect, connectorFor, errorOf } from './support/connectors.ts';
import { HandClock } from './support/hand-clock.ts';
import { reply, startUpstream } from './support/upstreams.ts';

const USERS = 60;

describe('walking a list', () => {
  test('.list.all() gives every record exactly once, whatever the page size', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const connector = connectorFor(sandbox.urls.slack);
    const { data } = await connector.users.list({ limit: 1000 });
    const ids = data.map(({ id }) => id);
    assert.equal(new Set(ids).size, USERS);
    const sizes = [1, 2, 7, USERS - 1, USERS, USERS + 1, 1000];
    for (const limit of sizes) {
      sandbox.resetRequests();
      const walked = await collect(connector.users.list.all({ limit }));
      assert.deepEqual(
        walked.map(({ id }) => id),
        ids,
        `pages of ${limit}`,
      );
      assert.equal(sandbox.requests().length, Math.ceil(USERS / limit), `pages of ${limit}`);
    }
  });

  test('.list.pages() gives the pages that .list() gives, its params on each of them', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const connector = connectorFor(sandbox.urls.slack);
    const params = { limit: 5, types: 'public_channel,private_channel', exclude_archived: true };
    const pages = await collect(connector.channels.list.pages(params));
    assert.ok(pages.length > 2);
    let cursor: string | null = null;
    for (const page of pages) {
      assert.deepEqual(page, await connector.channels.list({ ...params, cursor }));
      cursor = page.meta.next_cursor;
    }
    assert.equal(cursor, null);
    for (const { params: sent } of sandbox.requests())
      assert.partialDeepStrictEqual(sent, { limit: '5', exclude_archived: 'true' });
  });

  test('a walk may begin at a cursor', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const connector = connectorFor(sandbox.urls.slack);
    const { data, meta } = await connector.users.list({ limit: 50 });
    const rest = await collect(connector.users.list.all({ limit: 4, cursor: meta.next_cursor }));
    assert.equal(new Set([...data, ...rest].map(({ id }) => id)).size, USERS);
    assert.equal(rest.length, USERS - 50);
  });

  test('messages and threads are walked too, each once, with their Meta', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const connector = connectorFor(sandbox.urls.slack);
    const channels = await collect(connector.channels.list.all({ exclude_archived: true }));
    const channel = channels.find(({ is_general: isGeneral }) => isGeneral === true)?.id ?? '';
    const messages = await collect(connector.channel_messages.list.all({ channel, limit: 30 }));
    assert.equal(new Set(messages.map(({ ts }) => ts)).size, messages.length);
    const ts = messages.find((message) => (message.reply_count ?? 0) > 200)?.ts ?? '';
    const pages = await collect(connector.threads.list.pages({ channel, ts, limit: 40 }));
    const replies = pages.flatMap(({ data }) => data.map((message) => message.ts));
    assert.ok(pages.length > 5);
    assert.equal(new Set(replies).size, replies.length);
    assert.equal(replies.filter((each) => each === ts).length, 1);
    assert.deepEqual(
      pages.map(({ meta }) => meta.has_more),
      pages.map((_, index) => index < pages.length - 1),
    );
  });

  test('leaving a walk early sends nothing more', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const connector = connectorFor(sandbox.urls.slack);
    let seen = 0;
    for await (const _user of connector.users.list.all({ limit: 10 })) if (++seen === 15) break;
    assert.equal(sandbox.requests().length, 2);
    for await (const _page of connector.users.list.pages({ limit: 10 })) break;
    assert.equal(sandbox.requests().length, 3);
  });

  test('nothing is sent before the first record is asked for', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const connector = connectorFor(sandbox.urls.slack);
    connector.users.list.all({ limit: 10 });
    await new Promise(setImmediate);
    assert.deepEqual(sandbox.requests(), []);
  });

  for (const [name, nexts, requests] of [
    ['the cursor that led to the page', ['a', 'a'], 2],
    ['a cursor of an earlier page', ['a', 'b', 'c', 'a'], 4],
    ['its own start', ['', 'never'], 1],
  ] as const)
    test(`an upstream that gives ${name}: every page is walked once, then it ends`, async () => {
      await using upstream = await startUpstream((response, nth) =>
        reply(response, 200, {
          ok: true,
          members: [{ id: `U${nth}` }],
          response_metadata: { next_cursor: nexts[nth] ?? '' },
        }),
      );
      const seen: string[] = [];
      const walk = async () => {
        for await (const { id } of connectorFor(upstream.url).users.list.all()) seen.push(id);
      };
      if (name === 'its own start') {
        await walk();
      } else {
        const error = await errorOf(walk());
        assert.equal(error.code, 'upstream_contract_broken');
        assert.match(error.message, /same page cursor twice; the list is incomplete/);
      }
      assert.equal(upstream.seen.length, requests);
      assert.equal(seen.length, requests);
    });

  for (const [what, members, requests] of [
    ['the same record again and again', [{ id: 'U1' }], 1_001],
    ['no records', [], 10_000],
  ] as const)
    test(`an upstream that gives ${what} and ever new cursors: the walk ends with an error`, async () => {
      await using upstream = await startUpstream((response, nth) =>
        reply(response, 200, {
          ok: true,
          members,
          response_metadata: { next_cursor: `c${nth}` },
        }),
      );
      const error = await errorOf(collect(connectorFor(upstream.url).users.list.all()));
      assert.equal(error.code, 'upstream_contract_broken');
      assert.match(error.message, /10?000 pages in a row/);
      assert.equal(upstream.seen.length, requests);
    });

  test('users of Slack come in pages, also where nobody says so: it may refuse to send them all', async () => {
    await using sandbox = await startSandbox({ scale: 20_000 });
    const { data, nextParams } = await connectorFor(sandbox.urls.slack).users.list();
    assert.equal(data.length, 200);
    assert.notEqual(nextParams, null);
  });

  test('a single call gives its page also where that leads back to itself, and no end', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, {
        ok: true,
        members: [{ id: 'U1' }],
        response_metadata: { next_cursor: 'a' },
      }),
    );
    const params = { cursor: 'a', limit: 1 };
    const { data, nextParams } = await connectorFor(upstream.url).users.list(params);
    assert.deepEqual(
      data.map(({ id }) => id),
      ['U1'],
    );
    assert.deepEqual(nextParams, { cursor: 'a' });
  });

  test('the sandbox’s repeated cursor ends with an error too', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    sandbox.faults.add({ kind: 'repeatCursor' });
    const all = collect(connectorFor(sandbox.urls.slack).users.list.all({ limit: 10 }));
    assert.equal((await errorOf(all)).code, 'upstream_contract_broken');
    assert.equal(sandbox.requests().length, 2);
  });

  test('a cursor that no address could hold is refused, before it is kept or told on', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, {
        ok: true,
        members: [{ id: 'U1' }],
        response_metadata: { next_cursor: 'c'.repeat(4_097) },
      }),
    );
    const { users } = connectorFor(upstream.url);
    for (const call of [users.list({ limit: 1 }), collect(users.list.all({ limit: 1 }))]) {
      const error = await errorOf(call);
      assert.equal(error.code, 'upstream_contract_broken');
      assert.match(error.message, /a page cursor of 4097 characters/);
    }
  });

  test('whatever cursors come, a walk sends each position once and ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('', 'a', 'b', 'c', 'd', null, 5, true), { maxLength: 12 }),
        async (cursors) => {
          await using upstream = await startUpstream((response, nth) =>
            reply(response, 200, {
              ok: true,
              members: [{ id: 'U1' }],
              response_metadata: { next_cursor: cursors[nth] ?? '' },
            }),
          );
          const walk = collect(connectorFor(upstream.url).users.list.all({ limit: 1 }));
          await walk.catch((error: unknown) => errorOf(Promise.reject(error)));
          const lines = upstream.seen.map(({ line }) => line);
          assert.equal(new Set(lines).size, lines.length);
          assert.ok(lines.length <= cursors.length + 1);
        },
      ),
      { numRuns: 40 },
    );
  });

  for (const change of ['insert', 'delete', 'update'] as const)
    test(`records that stay are walked once while others ${change}`, async () => {
      await using sandbox = await startSandbox({ scale: USERS });
      const connector = connectorFor(sandbox.urls.slack);
      const before = await collect(connector.channels.list.all({ limit: 1000 }));
      sandbox.faults.add({ kind: 'mutateWhilePaging', change });
      const walked = await collect(connector.channels.list.all({ limit: 2 }));
      const ids = walked.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      if (change !== 'delete') assert.ok(before.every(({ id }) => ids.includes(id)));
    });

  test('wrong params and an abort reject the walk, as they reject a call', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const connector = connectorFor(sandbox.urls.slack);
    const wrong = await errorOf(connector.users.list.all({ limit: 0 }).next());
    assert.equal(wrong.code, 'invalid_params');
    const controller = new AbortController();
    const reason = new Error('enough');
    const walk = connector.users.list.all({ limit: 10 }, { signal: controller.signal });
    await walk.next();
    controller.abort(reason);
    await assert.rejects(collect(walk), (error) => error === reason);
    assert.equal(sandbox.requests().length, 1);
  });

  test('an abort takes effect at the next record, on a page that has been read', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const connector = connectorFor(sandbox.urls.slack);
    const controller = new AbortController();
    const reason = new Error('enough');
    const { signal } = controller;
    const given: string[] = [];
    const walk = async () => {
      for await (const { id } of connector.users.list.all({ limit: 10 }, { signal })) {
        given.push(id);
        if (given.length === 2) controller.abort(reason);
      }
    };
    await assert.rejects(walk(), (error) => error === reason);
    assert.equal(given.length, 2);
  });

  test('each page has the whole deadline', async () => {
    await using sandbox = await startSandbox({ scale: USERS });
    const clock = new HandClock();
    const connector = connectorFor(sandbox.urls.slack, { clock, timeoutMs: 1_000 });
    const walk = connector.users.list.pages({ limit: 20 });
    for (let page = 0; page < 3; page++) {
      assert.equal((await walk.next()).done, false);
      clock.advance(900);
    }
    assert.equal((await walk.next()).done, true);
  });
});
