import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Sandbox } from '../src/index.ts';
import { field, objects, sandboxForTest, startHuge, text, TOKEN } from './support.ts';
import { basic, followLinks, support, zendeskClient } from './zendesk-calls.ts';

/** Every list by its path, with the field of its records and the paginations it has. */
const LISTS = [
  ['/tickets.json', 'tickets', 'both'],
  ['/tickets/2/comments.json', 'comments', 'both'],
  ['/tickets/2/audits.json', 'audits', 'both'],
  ['/users.json', 'users', 'both'],
  ['/organizations.json', 'organizations', 'both'],
  ['/groups.json', 'groups', 'both'],
  ['/ticket_metrics.json', 'ticket_metrics', 'both'],
  ['/ticket_fields.json', 'ticket_fields', 'cursor'],
  ['/brands.json', 'brands', 'both'],
  ['/views.json', 'views', 'both'],
  ['/macros.json', 'macros', 'both'],
  ['/triggers.json', 'triggers', 'both'],
  ['/automations.json', 'automations', 'both'],
  ['/tags.json', 'tags', 'both'],
  ['/satisfaction_ratings.json', 'satisfaction_ratings', 'both'],
  ['/group_memberships.json', 'group_memberships', 'both'],
  ['/organization_memberships.json', 'organization_memberships', 'both'],
  ['/slas/policies.json', 'sla_policies', 'offset'],
  ['/ticket_forms.json', 'ticket_forms', 'offset'],
  ['/help_center/articles.json', 'articles', 'both'],
] as const;

/** Lists whose records have an endpoint of their own, by the field of one record. */
const RECORDS = [
  ['/tickets', 'tickets', 'ticket'],
  ['/users', 'users', 'user'],
  ['/organizations', 'organizations', 'organization'],
  ['/groups', 'groups', 'group'],
  ['/ticket_fields', 'ticket_fields', 'ticket_field'],
  ['/brands', 'brands', 'brand'],
  ['/views', 'views', 'view'],
  ['/macros', 'macros', 'macro'],
  ['/triggers', 'triggers', 'trigger'],
  ['/automations', 'automations', 'automation'],
  ['/satisfaction_ratings', 'satisfaction_ratings', 'satisfaction_rating'],
  ['/slas/policies', 'sla_policies', 'sla_policy'],
  ['/ticket_forms', 'ticket_forms', 'ticket_form'],
  ['/help_center/articles', 'articles', 'article'],
] as const;

const keyOf = (record: Record<string, unknown>) => record['id'] ?? record['name'];
const unique = (records: unknown) => new Set(objects(records).map(keyOf)).size;
const cursor = (body: unknown, which: string) =>
  encodeURIComponent(text(body, 'meta', `${which}_cursor`));

async function ticketsOfSeed(seed: number): Promise<string> {
  await using sandbox = await sandboxForTest({ seed });
  const { text: whole } = await support(sandbox, '/tickets?per_page=50');
  return whole.replaceAll(sandbox.url, '');
}

describe('Zendesk Support, read', () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await sandboxForTest({ scale: 130 });
  });
  after(async () => {
    await sandbox.close();
  });
  const list = async (path: string, records: string) =>
    objects(field((await support(sandbox, path)).body, records));

  const page = async (query: string) => (await support(sandbox, `/users?${query}`)).body;

  for (const [path, records, paginations] of LISTS) {
    it(`${path} gives every record exactly once, in every way of paging it has`, async () => {
      const whole = await support(sandbox, path);
      const total = Number(field(whole.body, 'count'));
      assert.ok(total > 0);
      const ways: (readonly [string, readonly string[]])[] = [];
      if (paginations !== 'cursor') ways.push(['per_page=7', ['next_page']], ['', ['next_page']]);
      if (paginations !== 'offset') {
        ways.push(['page[size]=1', ['links', 'next']], ['page[size]=100', ['links', 'next']]);
      }
      for (const [query, link] of ways) {
        if (query === 'page[size]=1' && total > 60) continue;
        const { all, pages } = await followLinks(sandbox, `${path}?${query}`, records, link);
        assert.equal(new Set(all.map(keyOf)).size, total, query);
        assert.equal(all.length, total, query);
        assert.ok(pages >= 1);
      }
    });
  }

  it('a record is the same alone as in its list, and is not there under another id', async () => {
    for (const [path, records, record] of RECORDS) {
      const [first] = await list(`${path}.json`, records);
      const alone = await support(sandbox, `${path}/${String(first?.['id'])}.json`);
      assert.deepEqual(field(alone.body, record), first, path);
      const absent = await support(sandbox, `${path}/999999999.json`);
      assert.equal(absent.status, 404);
      assert.deepEqual(absent.body, { error: 'RecordNotFound', description: 'Not found' });
    }
  });

  it('ids lead to records that exist', async () => {
    const users = new Set(
      (await followLinks(sandbox, '/users', 'users', ['next_page'])).all.map(keyOf),
    );
    const groups = new Set((await list('/groups', 'groups')).map(keyOf));
    for (const ticket of await list('/tickets', 'tickets')) {
      assert.ok(users.has(ticket['requester_id']));
      if (ticket['assignee_id'] !== null) assert.ok(users.has(ticket['assignee_id']));
      if (ticket['group_id'] !== null) assert.ok(groups.has(ticket['group_id']));
    }
    for (const membership of await list('/organization_memberships', 'organization_memberships')) {
      const { body } = await support(sandbox, `/users/${String(membership['user_id'])}`);
      assert.equal(field(body, 'user', 'organization_id'), membership['organization_id']);
    }
  });

  it('offset pages say what is before and behind them', async () => {
    const { body, headers } = await support(sandbox, '/tickets.json?per_page=50&page=2');
    const base = `${sandbox.urls.zendeskSupport}/tickets.json`;
    assert.equal(field(body, 'next_page'), `${base}?per_page=50&page=3`);
    assert.equal(field(body, 'previous_page'), `${base}?per_page=50&page=1`);
    assert.equal(field(body, 'count'), 130);
    assert.equal(headers.get('x-rate-limit'), '700');
    assert.equal(headers.get('ratelimit-limit'), '700');
    const beyond = await support(sandbox, '/tickets.json?per_page=50&page=9');
    assert.deepEqual(field(beyond.body, 'tickets'), []);
    assert.equal(field(beyond.body, 'next_page'), null);
    const clamped = await support(sandbox, '/tickets.json?per_page=500');
    assert.equal(objects(field(clamped.body, 'tickets')).length, 100);
    const articles = await support(sandbox, '/help_center/articles.json?per_page=5');
    assert.equal(field(articles.body, 'page_count'), 3);
    assert.equal(field(articles.body, 'sort_by'), 'position');
  });

  it('cursor pages lead forward and back', async () => {
    const first = await page('page[size]=10');
    const second = await page(`page[size]=10&page[after]=${cursor(first, 'after')}`);
    assert.equal(field(second, 'count'), undefined);
    const back = await page(`page[size]=10&page[before]=${cursor(second, 'before')}`);
    assert.deepEqual(field(back, 'users'), field(first, 'users'));
    assert.equal(field(back, 'meta', 'has_more'), false);
    const empty = await page(`page[size]=10&page[before]=${cursor(first, 'before')}`);
    assert.deepEqual(field(empty, 'links'), { prev: null, next: null });
    assert.deepEqual(field(empty, 'meta'), {
      has_more: false,
      after_cursor: null,
      before_cursor: null,
    });
  });

  it('a list without cursors, a page too deep and a wrong parameter are refused', async () => {
    const refusals: readonly (readonly [string, RegExp])[] = [
      ['/slas/policies?page[size]=2', /"title":"Invalid attribute".*page must be an integer/],
      ['/tickets?page=101', /"code":"InvalidPaginationDepth"/],
      ['/tickets?page=1001&per_page=10', /"code":"InvalidPaginationDepth"/],
      ['/tickets?page=0', /page must be an integer/],
      ['/tickets?page=two', /page must be an integer/],
      ['/tickets?page[size]=101', /"code":"InvalidPaginationParameter"/],
      ['/tickets?page[after]=bm9uc2Vuc2U=', /"code":"InvalidPaginationParameter"/],
      ['/tickets?page[size]=5&sort=created_at', /"code":"InvalidPaginationParameter"/],
      ['/tickets?sort_by=colour', /sort_by must be one of/],
      ['/users?role=boss', /role must be one of/],
      ['/tickets/abc', /id must be an integer/],
    ];
    for (const [path, wanted] of refusals) {
      const answer = await support(sandbox, path);
      assert.equal(answer.status, 400, path);
      assert.match(answer.text, wanted);
    }
    assert.equal((await support(sandbox, '/tickets?page=100')).status, 200);
    for (const path of ['/nothing', '/tickets/1/nothing.json', '/tickets//']) {
      const answer = await support(sandbox, path);
      assert.equal(answer.status, 404);
      assert.equal(field(answer.body, 'error'), 'InvalidEndpoint');
    }
    const post = await fetch(`${sandbox.urls.zendeskSupport}/tickets`, {
      method: 'POST',
      body: '{}',
    });
    assert.equal(post.status, 401);
  });

  it('tickets are sorted by what was asked for, by either pagination', async () => {
    const values = async (query: string, name: string) =>
      (await list(`/tickets?per_page=100&${query}`, 'tickets')).map((ticket) => ticket[name]);
    for (const name of ['created_at', 'updated_at'] as const) {
      const newest = (await values(`sort_by=${name}&sort_order=desc`, name)).map(String);
      assert.deepEqual(newest, newest.toSorted().toReversed());
    }
    const statuses = (await values('sort_by=status', 'status')).map(String);
    assert.deepEqual([...new Set(statuses)].slice(0, 3), ['new', 'open', 'pending']);
    const { all } = await followLinks(
      sandbox,
      '/tickets?page[size]=9&sort=-updated_at',
      'tickets',
      ['links', 'next'],
    );
    const times = all.map((ticket) => String(ticket['updated_at']));
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.equal(new Set(all.map(keyOf)).size, 130);
    // The sort of the other pagination is taken and ignored.
    const mixed = await list('/tickets?page[size]=3&sort_by=updated_at&sort_order=desc', 'tickets');
    assert.deepEqual(
      mixed.map(({ id }) => id),
      [1, 2, 3],
    );
    for (const sort of ['subject', 'requester.name', 'assignee.name', 'group', 'assignee']) {
      const { all: sorted } = await followLinks(sandbox, `/tickets?sort_by=${sort}`, 'tickets', [
        'next_page',
      ]);
      assert.equal(new Set(sorted.map(keyOf)).size, 130, sort);
    }
  });

  it('filters leave out what they should', async () => {
    const one = await list('/tickets?external_id=ext-4', 'tickets');
    assert.deepEqual(
      one.map(({ id }) => id),
      [5],
    );
    assert.deepEqual(await list('/tickets?external_id=none', 'tickets'), []);
    const agents = await list('/users?role[]=agent&role[]=admin', 'users');
    assert.equal(agents.length, 8);
    const every = async (path: string, records: string, name: string, value: unknown) => {
      const found = await list(path, records);
      assert.ok(found.length > 0, path);
      assert.ok(
        found.every((record) => record[name] === value),
        path,
      );
    };
    await every('/groups?exclude_deleted=true', 'groups', 'deleted', false);
    await every('/views?active=false', 'views', 'active', false);
    await every('/triggers?category_id=501', 'triggers', 'category_id', '501');
    await every('/ticket_forms?end_user_visible=false', 'ticket_forms', 'end_user_visible', false);
    await every('/satisfaction_ratings?score=bad', 'satisfaction_ratings', 'score', 'bad');
    await every(
      '/satisfaction_ratings?score=good_without_comment',
      'satisfaction_ratings',
      'comment',
      null,
    );
    const personal = await list('/macros?access=personal', 'macros');
    assert.ok(personal.every((macro) => field(macro, 'restriction', 'type') === 'User'));
    const late = await list('/satisfaction_ratings?start_time=1735689600', 'satisfaction_ratings');
    assert.ok(late.length > 0 && late.length < 26);
    const fields = await list('/ticket_fields?locale=de', 'ticket_fields');
    assert.match(text(fields[0], 'title_in_portal'), /^\[de\]/);
    const comment = async (query: string) =>
      objects(
        (await list(`/tickets/3/comments${query}`, 'comments')).find(
          ({ attachments }) => Array.isArray(attachments) && attachments.length > 0,
        )?.['attachments'],
      );
    assert.equal((await comment('?include_inline_images=true')).length, 2);
    assert.equal((await comment('')).length, 1);
  });

  it('wants credentials: an API token with an address, or a bearer token', async () => {
    const status = async (authorization: string) =>
      await support(sandbox, '/tickets', { authorization });
    assert.equal((await status(basic('anything'))).status, 200);
    assert.equal((await status('Bearer anything')).status, 200);
    const noToken = Buffer.from('agent@example.com:password').toString('base64');
    for (const wrong of ['', `Basic ${noToken}`, basic('an-invalid-one'), basic('a-revoked-one')]) {
      const answer = await status(wrong);
      assert.equal(answer.status, 401);
      assert.deepEqual(answer.body, { error: "Couldn't authenticate you" });
    }
    const bearer = await status('Bearer revoked');
    assert.equal(field(bearer.body, 'error'), 'invalid_token');
    assert.equal((await status('Bearer forbidden-here')).status, 403);
    // Put together here, so that no file holds anything that a secret scanner would find.
    for (const real of [basic('Ab1z'.repeat(10)), `Bearer ${'0a1b2c3d'.repeat(8)}`]) {
      assert.match((await status(real)).text, /do not give it real credentials/);
    }
    assert.equal(JSON.stringify(sandbox.requests()).includes('anything'), false);
  });
});

describe('Zendesk Support through node-zendesk', () => {
  it('reads every list to its end, and single records', async () => {
    await using sandbox = await sandboxForTest({ scale: 130 });
    const client = zendeskClient(sandbox);
    assert.equal(unique(await client.tickets.list()), 130);
    assert.equal(unique(await client.users.list()), 51);
    assert.equal(unique(await client.organizations.list()), 7);
    assert.equal(unique(await client.ticketmetrics.listAll()), 130);
    assert.equal(unique(await client.tickets.getComments(2)), 230);
    assert.equal(unique(await client.ticketaudits.list(2)), 232);
    assert.equal(unique(await client.ticketfields.list()), 16);
    assert.equal(unique(await client.views.list()), 14);
    assert.equal(unique(await client.triggers.list()), 18);
    assert.equal(unique(await client.tags.list()), 33);
    assert.equal(unique(field(await client.policies.list(), '0', 'sla_policies')), 4);
    const { result: shown } = await client.tickets.show(7);
    assert.equal(field(shown, 'id') ?? field(shown, 'ticket', 'id'), 7);
    await assert.rejects(zendeskClient(sandbox, 'an-invalid-one').tickets.list(), {
      statusCode: 401,
    });
    await assert.rejects(client.tickets.show(999_999), { statusCode: 404 });
    const [first] = sandbox.requests();
    assert.equal(first?.method, 'GET /tickets');
    assert.equal(first.authorization, 'Basic');
    assert.equal(JSON.stringify(sandbox.requests()).includes(TOKEN), false);
  });
});

describe('the size of Zendesk Support', () => {
  it('a million tickets start at once and can be read from any place', async () => {
    await using sandbox = await startHuge();
    const last = await support(sandbox, '/tickets/1000000.json');
    assert.equal(field(last.body, 'ticket', 'id'), 1_000_000);
    const newest = await support(sandbox, '/ticket_metrics?page[size]=100');
    assert.equal(field(newest.body, 'ticket_metrics', '0', 'ticket_id'), 1_000_000);
    const deep = await support(sandbox, '/tickets?page=100');
    assert.match(text(deep.body, 'next_page'), /page=101/);
    assert.equal(field(deep.body, 'count'), 1_000_000);
  });

  it('the same seed gives the same account, another seed another', async () => {
    assert.equal(await ticketsOfSeed(3), await ticketsOfSeed(3));
    assert.notEqual(await ticketsOfSeed(3), await ticketsOfSeed(4));
  });

  it('the vendor’s limits count by the minute, for the account and for the list of tickets', async () => {
    let now = Date.UTC(2026, 0, 2);
    await using sandbox = await sandboxForTest({ limits: 'vendor', clock: () => now });
    now += 20_000;
    const first = await support(sandbox, '/tickets?per_page=1');
    assert.equal(first.headers.get('x-rate-limit-remaining'), '699');
    assert.equal(
      first.headers.get('zendesk-ratelimit-tickets-index'),
      'total=100; remaining=99; resets=40',
    );
    const statuses = await Promise.all(
      Array.from(
        { length: 100 },
        async () => (await support(sandbox, '/tickets?per_page=1')).status,
      ),
    );
    assert.equal(statuses.filter((status) => status === 429).length, 1);
    const refused = await support(sandbox, '/tickets?per_page=1');
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '40');
    assert.equal((await support(sandbox, '/brands')).status, 200);
    now += 40_000;
    assert.equal((await support(sandbox, '/tickets?per_page=1')).status, 200);
  });
});
