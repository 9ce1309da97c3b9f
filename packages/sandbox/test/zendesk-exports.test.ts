import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Sandbox } from '../src/index.ts';
import { field, objects, sandboxForTest, text } from './support.ts';
import { getUrl, support, zendeskClient } from './zendesk-calls.ts';

type Row = Readonly<Record<string, unknown>>;

/** Reads an export by cursor to the end, of tickets those of bots, too. */
async function byCursor(sandbox: Sandbox, name: string, query: string) {
  const all: Row[] = [];
  const scope = name === 'tickets' ? 'support_type_scope=all&' : '';
  let path = `/incremental/${name}/cursor.json?${scope}${query}`;
  for (let pages = 1; ; pages += 1) {
    const { body, status, text: answer } = await support(sandbox, path);
    assert.equal(status, 200, answer);
    all.push(...objects(field(body, name)));
    if (field(body, 'end_of_stream') === true) return { all, pages, last: body };
    const size = new URLSearchParams(query).get('per_page') ?? '1000';
    path = `/incremental/${name}/cursor.json?${scope}per_page=${size}&cursor=${text(body, 'after_cursor')}`;
  }
}

/** Reads an export by time to the end, along its links. */
async function byTime(sandbox: Sandbox, name: string, query: string): Promise<readonly Row[]> {
  const all: Row[] = [];
  let url = `${sandbox.urls.zendeskSupport}/incremental/${name}.json?${query}`;
  for (;;) {
    const { body, status, text: answer } = await getUrl(url);
    assert.equal(status, 200, answer);
    all.push(...objects(field(body, name)));
    if (field(body, 'end_of_stream') === true) return all;
    url = text(body, 'next_page');
  }
}

/** Inserts, deletes or updates a record while a list is paged: the first one of its second page. */
async function change(sandbox: Sandbox, path: string, what: 'insert' | 'delete' | 'update') {
  const fault = sandbox.faults.add({ kind: 'mutateWhilePaging', change: what, times: 1 });
  assert.equal((await support(sandbox, path)).status, 200);
  fault.release();
}

describe('exports of Zendesk Support', () => {
  let sandbox: Sandbox;

  before(async () => {
    sandbox = await sandboxForTest({ scale: 130 });
  });
  after(async () => {
    await sandbox.close();
  });

  for (const [name, total, time] of [
    ['tickets', 130, 'generated_timestamp'],
    ['users', 51, 'updated_at'],
  ] as const)
    it(`by cursor hold all ${name} once, in the order of their last change`, async () => {
      for (const size of [1000, 7, 1]) {
        const { all, pages } = await byCursor(sandbox, name, `start_time=0&per_page=${size}`);
        assert.equal(all.length, total);
        assert.equal(new Set(all.map(({ id }) => id)).size, total);
        const times = all.map((row) => String(row[time]));
        assert.deepEqual(times, times.toSorted());
        assert.equal(pages, Math.ceil(total / size));
      }
    });

  it('by cursor say where to go on also at the end, and nothing has come there yet', async () => {
    const { last } = await byCursor(sandbox, 'tickets', 'start_time=0');
    assert.equal(field(last, 'before_cursor'), null);
    const cursor = text(last, 'after_cursor');
    const again = await support(sandbox, `/incremental/tickets/cursor.json?cursor=${cursor}`);
    assert.deepEqual(field(again.body, 'tickets'), []);
    assert.equal(field(again.body, 'end_of_stream'), true);
    assert.equal(field(again.body, 'after_cursor'), cursor);
    assert.match(text(again.body, 'after_url'), /cursor\.json\?cursor=/);
  });

  it('by time end a page with a second, and begin the next one with it', async () => {
    for (const name of ['tickets', 'users', 'organizations']) {
      const whole = await byTime(sandbox, name, 'start_time=0');
      const inSteps = await byTime(sandbox, name, 'start_time=0&per_page=5');
      const ids = (rows: readonly Row[]) => new Set(rows.map(({ id }) => id));
      assert.deepEqual(ids(inSteps), ids(whole), name);
      assert.ok(inSteps.length > whole.length, name);
      assert.equal(ids(whole).size, whole.length);
    }
    const { body } = await support(sandbox, '/incremental/organizations.json?start_time=0');
    const rows = objects(field(body, 'organizations'));
    assert.equal(field(body, 'count'), rows.length);
    assert.equal(field(body, 'end_time'), Date.parse(text(rows.at(-1), 'updated_at')) / 1_000);
  });

  it('begin at the time asked for, and refuse none and one of the last minute', async () => {
    const { all } = await byCursor(sandbox, 'tickets', 'start_time=0');
    const from = Number(all[100]?.['generated_timestamp']);
    const later = await byCursor(sandbox, 'tickets', `start_time=${from}`);
    assert.deepEqual(later.all[0]?.['generated_timestamp'], from);
    assert.ok(later.all.length <= 30);
    const now = Math.floor(Date.now() / 1_000);
    const refusals: readonly (readonly [string, RegExp])[] = [
      [`/incremental/tickets/cursor?start_time=${now}`, /"error":"StartTimeTooRecent"/],
      ['/incremental/users?start_time=soon', /start_time must be an integer/],
      ['/incremental/users/cursor', /start_time must be an integer/],
      ['/incremental/users/cursor?cursor=bm9uc2Vuc2U=', /cursor must be a cursor/],
    ];
    for (const [path, wanted] of refusals) {
      const answer = await support(sandbox, path);
      assert.equal(answer.status, 400, path);
      assert.match(answer.text, wanted);
    }
    assert.equal((await support(sandbox, '/incremental/organizations/cursor')).status, 404);
  });

  it('of tickets leave those of bots out, unless asked for', async () => {
    const count = async (path: string) =>
      objects(field((await support(sandbox, path)).body, 'tickets')).length;
    for (const path of ['/incremental/tickets.json', '/incremental/tickets/cursor.json']) {
      const scoped = (scope: string) => count(`${path}?start_time=0&support_type_scope=${scope}`);
      assert.equal(await count(`${path}?start_time=0`), 124);
      assert.deepEqual(await Promise.all(['all', 'agent', 'ai_agent'].map(scoped)), [130, 124, 6]);
    }
    const wrong = '/incremental/tickets/cursor.json?start_time=0&support_type_scope=bot';
    assert.equal((await support(sandbox, wrong)).status, 400);
  });

  it('tell of what changed, came and went since', async () => {
    await using own = await sandboxForTest();
    const since = Math.floor(Date.now() / 1_000) - 120;
    const recent = async () => (await byCursor(own, 'tickets', `start_time=${since}`)).all;
    assert.deepEqual(await recent(), []);
    await change(own, '/tickets?page[size]=10', 'update');
    await change(own, '/tickets?page[size]=20', 'delete');
    await change(own, '/tickets?page[size]=30', 'insert');
    const rows = await recent();
    assert.deepEqual(
      new Map(rows.map(({ id, status }) => [id, status === 'deleted'])),
      new Map([
        [11, false],
        [21, true],
        [61, false],
      ]),
    );
    assert.equal((await support(own, '/tickets/21/metrics.json')).status, 404);
    const { all } = await byCursor(own, 'tickets', 'start_time=0&per_page=7');
    assert.equal(all.length, 61);

    await change(own, '/users?page[size]=5', 'delete');
    const users = await byCursor(own, 'users', `start_time=${since}`);
    assert.deepEqual(
      users.all.map(({ active }) => active),
      [false],
    );
    await change(own, '/organizations?page[size]=2', 'delete');
    const [organization] = await byTime(own, 'organizations', `start_time=${since}`);
    assert.equal(typeof organization?.['deleted_at'], 'string');
  });

  it('change while they are paged, too: what changed comes again at the end', async () => {
    await using own = await sandboxForTest();
    own.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
    const { all } = await byCursor(own, 'tickets', 'start_time=0&per_page=10');
    assert.equal(all.length, 60);
    assert.match(text(all.at(-1), 'subject'), /\(changed\)$/);
  });

  it('never end with a repeated cursor', async () => {
    await using own = await sandboxForTest();
    own.faults.add({ kind: 'repeatCursor' });
    const first = await support(own, '/incremental/users/cursor?start_time=0&per_page=5');
    const cursor = text(first.body, 'after_cursor');
    const last = await support(own, `/incremental/users/cursor?per_page=100&cursor=${cursor}`);
    assert.equal(field(last.body, 'after_cursor'), cursor);
    assert.equal(field(last.body, 'end_of_stream'), false);
    const byLink = await support(own, '/incremental/users?start_time=0&per_page=5');
    assert.equal(field(byLink.body, 'end_of_stream'), false);
  });

  it('have a limit of their own, all together', async () => {
    await using own = await sandboxForTest({ limits: 'vendor', clock: () => Date.UTC(2026, 0, 2) });
    const statuses: number[] = [];
    for (let nth = 0; nth < 11; nth += 1) {
      const name = nth % 2 === 0 ? 'users' : 'organizations';
      statuses.push((await support(own, `/incremental/${name}?start_time=0`)).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429]);
    assert.equal((await support(own, '/users')).status, 200);
  });

  it('are read by node-zendesk, and so are the metrics of one ticket', async () => {
    const client = zendeskClient(sandbox);
    const { result } = await client.ticketexport.exportCursor(1, '');
    // It asks for no other support type than that of agents.
    assert.equal(objects(field(result, 'tickets') ?? result).length, 124);
    assert.equal(objects(await client.organizations.incremental('1')).length, 7);
    assert.equal(objects(await client.users.incremental(1)).length, 51);
    const { body } = await support(sandbox, '/tickets/7/metrics.json');
    assert.equal(field(body, 'ticket_metric', 'ticket_id'), 7);
  });
});
