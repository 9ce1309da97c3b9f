import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Sandbox } from '../src/index.ts';
import { field, objects, sandboxForTest, startHuge, text } from './support.ts';
import { basic, chat, getUrl } from './zendesk-calls.ts';

/** Exports by their path, with the field of their rows and the number of rows. */
const EXPORTS = [
  ['/incremental/chats?fields=chats(*)', 'chats', 130],
  ['/incremental/agent_timeline?fields=agent_timeline(*)', 'agent_timeline', 260],
] as const;

const time = (row: Record<string, unknown>) => row['update_timestamp'] ?? row['start_time'];
const rowKey = (row: Record<string, unknown>) =>
  row['id'] ?? `${String(row['agent_id'])} ${String(row['start_time'])}`;

/** The ids of a list, or of both lists of bans, in order. */
const idsOf = (body: unknown) =>
  [...objects(body), ...objects(field(body, 'visitor')), ...objects(field(body, 'ip_address'))]
    .map(({ id }) => Number(id))
    .toSorted((a, b) => a - b);

async function readExport(sandbox: Sandbox, path: string, records: string) {
  const all: Record<string, unknown>[] = [];
  let url = `${sandbox.urls.zendeskChat}${path}`;
  for (;;) {
    const { body, status, text: whole } = await getUrl(url);
    assert.equal(status, 200, whole);
    const rows = objects(field(body, records));
    assert.equal(field(body, 'count'), rows.length);
    all.push(...rows);
    url = text(body, 'next_page');
    if (rows.length === 0) return all;
  }
}

describe('Zendesk Chat, read', () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await sandboxForTest({ scale: 130 });
  });
  after(async () => {
    await sandbox.close();
  });

  for (const [path, records, total] of EXPORTS) {
    it(`${path} gives every row once along next_page, which is never null`, async () => {
      for (const limit of [1_000, 7, 4]) {
        const all = await readExport(sandbox, `${path}&limit=${String(limit)}`, records);
        assert.equal(all.length, total);
        assert.equal(new Set(all.map(rowKey)).size, total);
      }
    });
  }

  it('a page may be full of one time, and only the id leads on from it', async () => {
    for (const [path, records] of EXPORTS) {
      const all = await readExport(sandbox, path, records);
      const sizes = Map.groupBy(all, time);
      const [shared, rows = []] =
        [...sizes].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
      assert.ok(rows.length >= 12, records);
      const micros = records === 'chats' ? 1 : 1_000_000;
      const startTime = (Date.parse(String(shared)) / 1_000) * micros;
      const page = async (query: string) =>
        (await chat(sandbox, `${path}&limit=5&start_time=${String(startTime)}${query}`)).body;
      const first = await page('');
      assert.equal(field(first, 'end_time'), startTime);
      assert.deepEqual(field(await page(''), records), field(first, records));
      const second = await page(`&start_id=${encodeURIComponent(text(first, 'end_id'))}`);
      assert.notDeepEqual(field(second, records), field(first, records));
      assert.equal(field(second, 'end_time'), startTime);
    }
  });

  it('an export gives little of a row unless it is asked for more', async () => {
    const rows = async (fields: string) =>
      objects(field((await chat(sandbox, `/incremental/chats?limit=1${fields}`)).body, 'chats'));
    assert.deepEqual(Object.keys((await rows(''))[0] ?? {}), ['id']);
    const some = await rows('&fields=chats(id,visitor(name),rating)');
    assert.deepEqual(Object.keys(some[0] ?? {}).toSorted(), ['id', 'rating', 'visitor']);
    const [whole] = await rows('&fields=chats(*)');
    for (const name of ['history', 'engagements', 'session', 'webpath', 'response_time']) {
      assert.ok(whole !== undefined && name in whole, name);
    }
    const alone = await chat(sandbox, `/chats/${text(whole, 'id')}`);
    assert.deepEqual(alone.body, whole);
    const timeline = await chat(sandbox, '/incremental/agent_timeline?limit=1');
    assert.deepEqual(Object.keys(objects(field(timeline.body, 'agent_timeline'))[0] ?? {}), [
      'agent_id',
      'start_time',
    ]);
  });

  it('agents and bans page by id, from since_id on with that id', async () => {
    for (const [path, total] of [
      ['/agents', 16],
      ['/bans', 33],
    ] as const) {
      const seen: number[] = [];
      let sinceId = 0;
      for (;;) {
        const { body } = await chat(sandbox, `${path}?limit=7&since_id=${String(sinceId)}`);
        const ids = idsOf(body);
        seen.push(...ids);
        if (ids.length < 7) break;
        sinceId = (ids.at(-1) ?? 0) + 1;
      }
      assert.equal(new Set(seen).size, total);
      assert.equal(seen.length, total);
      const [first = 0, second = 0] = seen;
      const inclusive = await chat(sandbox, `${path}?limit=1&since_id=${String(first)}`);
      assert.deepEqual(idsOf(inclusive.body), [first]);
      const backward = await chat(sandbox, `${path}?limit=1&max_id=${String(second)}`);
      assert.deepEqual(idsOf(backward.body), [second]);
      assert.equal(idsOf((await chat(sandbox, path)).body).length, 10);
    }
    const { body } = await chat(sandbox, '/bans?limit=1000');
    for (const [group, fields] of [
      ['visitor', ['visitor_id', 'visitor_name']],
      ['ip_address', ['ip_address']],
    ] as const)
      for (const ban of objects(field(body, group)))
        assert.deepEqual(
          Object.keys(ban).toSorted(),
          ['created_at', 'id', 'reason', ...fields].toSorted(),
        );
    assert.equal(objects(field(body, 'visitor'))[0]?.['created_at'], null);
  });

  it('the short lists come whole, and each of their records alone', async () => {
    for (const path of ['/departments', '/goals', '/roles', '/shortcuts', '/skills', '/agents']) {
      const [first] = objects((await chat(sandbox, path)).body);
      const alone = await chat(sandbox, `${path}/${String(first?.['id'])}`);
      assert.deepEqual(alone.body, first);
      assert.equal((await chat(sandbox, `${path}/1`)).status, 404);
    }
    const bans = (await chat(sandbox, '/bans')).body;
    const [ban] = objects(field(bans, 'ip_address'));
    assert.deepEqual((await chat(sandbox, `/bans/${String(ban?.['id'])}`)).body, {
      ...ban,
      type: 'I',
      visitor_id: '',
      visitor_name: '',
    });
    assert.ok(objects((await chat(sandbox, '/triggers')).body).length > 1);
    assert.equal((await chat(sandbox, '/triggers/1')).status, 404);
    assert.equal(typeof field((await chat(sandbox, '/account')).body, 'account_key'), 'string');
    const routing = await chat(sandbox, '/routing_settings/account');
    assert.equal(field(routing.body, 'data', 'routing_mode'), 'assigned');
    for (const shortcut of objects((await chat(sandbox, '/shortcuts')).body)) {
      assert.equal(shortcut['id'], shortcut['name']);
      const path = `/shortcuts/${encodeURIComponent(String(shortcut['name']))}`;
      assert.deepEqual((await chat(sandbox, path)).body, shortcut);
    }
    for (const path of ['/agents', '/triggers'])
      for (const { enabled } of objects((await chat(sandbox, path)).body))
        assert.ok(enabled === 0 || enabled === 1);
  });

  it('refuses in the words of Zendesk Chat', async () => {
    const anonymous = await fetch(`${sandbox.urls.zendeskChat}/agents`);
    assert.equal(anonymous.status, 401);
    assert.equal(field(await anonymous.json(), 'error'), 'Unauthorized');
    const refused = async (authorization: string) =>
      (await chat(sandbox, '/agents', { authorization })).status;
    assert.equal(await refused(basic('anything')), 401);
    assert.equal(await refused('Bearer invalid'), 401);
    assert.equal(await refused('Bearer forbidden'), 403);
    const real = await chat(sandbox, '/agents', { authorization: `Bearer ${'Zz9y'.repeat(16)}` });
    assert.match(real.text, /do not give it real credentials/);
    for (const path of [
      '/nothing',
      '/chats',
      '/chats/2601.1.Snone',
      '/agents/1/2',
      '/agents/abc',
    ]) {
      const answer = await chat(sandbox, path);
      assert.equal(answer.status, 404, path);
      assert.equal(field(answer.body, 'error'), 'Not Found');
    }
    const soon = String(Math.floor(Date.now() / 1_000));
    for (const query of [`start_time=${soon}`, 'start_time=x', 'limit=0', 'fields=agents(*)']) {
      const answer = await chat(sandbox, `/incremental/chats?${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal(field(answer.body, 'error'), 'Bad Request');
    }
  });
});

describe('the size of Zendesk Chat', () => {
  it('a million chats start at once, and more share one second than fit on a page', async () => {
    await using sandbox = await startHuge();
    const middle = await chat(sandbox, '/incremental/chats?start_time=1731196800&limit=1');
    assert.equal(field(middle.body, 'count'), 1);
    // From the chat at 40 % on, 2,500 chats were changed in one second.
    const bulkAt = Date.UTC(2026, 0, 1) / 1_000 - 699 * 86_400 + Math.floor(402_499 * 60.3936);
    const { body } = await chat(sandbox, `/incremental/chats?start_time=${String(bulkAt - 60)}`);
    const times = objects(
      field(
        (await getUrl(`${text(body, 'next_page')}&fields=chats(update_timestamp)`)).body,
        'chats',
      ),
    ).map((row) => row['update_timestamp']);
    assert.equal(times.length, 1_000);
    assert.equal(new Set(times).size, 1);
  });

  it('the vendor’s limit is counted for each token', async () => {
    let now = Date.UTC(2026, 0, 2);
    await using sandbox = await sandboxForTest({ limits: 'vendor', clock: () => now });
    const status = async () => (await chat(sandbox, '/roles')).status;
    const statuses = await Promise.all(Array.from({ length: 201 }, status));
    assert.equal(statuses.filter((code) => code === 429).length, 1);
    const refused = await chat(sandbox, '/roles');
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal(field(refused.body, 'error'), 'Too Many Requests');
    now += 60_000;
    assert.equal(await status(), 200);
  });
});
