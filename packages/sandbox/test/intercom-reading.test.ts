import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import {
  everyRecord,
  intercomClient,
  intercomGet,
  intercomPost,
  refusalOf,
  thrownRefusal,
} from './intercom-support.ts';
import { field, objects, sandboxForTest, startHuge, text } from './support.ts';

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function firstPage(seed: number): Promise<string> {
  await using sandbox = await sandboxForTest({ seed });
  return (await intercomGet(sandbox, '/contacts')).text;
}

const identityOf = ({ id }: { readonly id?: unknown }) => String(id);
const countDistinct = (values: readonly unknown[]) => new Set(values).size;

describe('reading the simulated Intercom', () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await sandboxForTest({ scale: 400 });
  });
  after(async () => {
    await sandbox.close();
  });

  it('Intercom’s client meets every contact once, newest first, whatever the page size', async () => {
    const client = intercomClient(sandbox);
    const byDefault = await collect(await client.contacts.list());
    assert.equal(countDistinct(byDefault.map(identityOf)), 400);
    assert.equal(byDefault.length, 400);
    const times = byDefault.map((contact) => contact.created_at);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    );
    for (const perPage of [1, 7, 150]) {
      const page = await client.contacts.list({ per_page: perPage });
      assert.equal(page.data.length, perPage);
      if (perPage > 1)
        assert.deepEqual((await collect(page)).map(identityOf), byDefault.map(identityOf));
    }
    const [newest] = byDefault;
    assert.deepEqual(await client.contacts.find({ contact_id: identityOf(newest ?? {}) }), newest);
  });

  it('pages say where they are, and the last one has no next', async () => {
    const first = await intercomGet(sandbox, '/contacts?per_page=150');
    const { next, ...rest } = objects([first.body['pages']])[0] ?? {};
    assert.deepEqual(rest, { type: 'pages', page: 1, per_page: 150, total_pages: 3 });
    assert.equal(field(next, 'page'), 2);
    assert.equal(first.body['total_count'], 400);
    const cursor = text(next, 'starting_after');
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64').toString('utf8'));
    assert.equal(Array.isArray(decoded) && decoded.length, 3);
    const second = await intercomGet(
      sandbox,
      `/contacts?per_page=290&starting_after=${encodeURIComponent(cursor)}`,
    );
    assert.equal(refusalOf(second), '400 parameter_invalid');
    const third = await intercomGet(
      sandbox,
      `/contacts?per_page=150&starting_after=${encodeURIComponent(cursor)}`,
    );
    const afterThird = text(third.body, 'pages', 'next', 'starting_after');
    const last = await intercomGet(
      sandbox,
      `/contacts?per_page=150&starting_after=${encodeURIComponent(afterThird)}`,
    );
    assert.deepEqual(last.body['pages'], {
      type: 'pages',
      page: 3,
      per_page: 150,
      total_pages: 3,
    });
    assert.equal(objects(last.body['data']).length, 100);
  });

  it('contacts have every field, with the values that break naive readers among them', async () => {
    const contacts = await everyRecord(
      (cursor) =>
        intercomGet(sandbox, `/contacts?per_page=150&starting_after=${encodeURIComponent(cursor)}`),
      'data',
    );
    assert.equal(countDistinct(contacts.map((contact) => Object.keys(contact).join())), 1);
    const [sample] = contacts;
    for (const name of ['utm_source', 'referrer', 'sms_consent', 'opted_in_subscription_types']) {
      assert.ok(sample !== undefined && name in sample, name);
    }
    const attributes = contacts.flatMap((contact) =>
      Object.keys(contact['custom_attributes'] ?? {}),
    );
    for (const name of ['plan.tier', 'größe', '会社', 'monthly spend (€)']) {
      assert.ok(attributes.includes(name), name);
    }
    assert.ok(contacts.some((contact) => JSON.stringify(contact).length > 15_000));
    const crowded = contacts.find((contact) => field(contact, 'tags', 'has_more') === true);
    assert.equal(field(crowded, 'tags', 'total_count'), 12);
    assert.equal(objects(field(crowded, 'tags', 'data')).length, 10);
    assert.equal(field(crowded, 'tags', 'url'), `/contacts/${text(crowded, 'id')}/tags`);
    const updates = contacts.map((contact) => contact['updated_at']);
    assert.ok(countDistinct(updates) < updates.length - 20, 'many share a time');
    const addresses = contacts.flatMap(({ email }) => (typeof email === 'string' ? [email] : []));
    assert.ok(addresses.length > 300);
    assert.ok(addresses.every((email) => /@(example\.com|[a-z]+\.example)$/.test(email)));
  });

  it('every reference from a contact leads somewhere', async () => {
    const client = intercomClient(sandbox);
    const contacts = (await client.contacts.list({ per_page: 30 })).data;
    const companies = contacts.flatMap((contact) => contact.companies?.data ?? []);
    const tags = contacts.flatMap((contact) => contact.tags?.data ?? []);
    const owners = contacts.flatMap(({ owner_id: owner }) =>
      typeof owner === 'number' ? [owner] : [],
    );
    for (const { id = '' } of companies.slice(0, 5)) {
      assert.equal((await client.companies.find({ company_id: id })).id, id);
    }
    for (const { id = '' } of tags.slice(0, 5)) {
      assert.equal((await client.tags.find({ tag_id: id })).id, id);
    }
    const [owner = 0] = owners;
    assert.equal((await client.admins.find({ admin_id: owner }))?.id, String(owner));
  });

  it('Intercom’s client meets every conversation once, and finds its parts', async () => {
    const client = intercomClient(sandbox);
    const all = await collect(await client.conversations.list());
    assert.equal((await client.conversations.list()).data.length, 20);
    assert.equal(all.length, 200);
    assert.equal(countDistinct(all.map(identityOf)), 200);
    assert.ok(all.every((conversation) => !('conversation_parts' in conversation)));
    assert.equal(countDistinct(all.map(({ state }) => state)), 3);
    for (const name of ['ai_agent', 'sla_applied', 'conversation_rating', 'statistics'] as const) {
      const kinds = all.map((conversation) => JSON.stringify(conversation[name]) === 'null');
      assert.equal(countDistinct(kinds), 2, `${name} is there for some`);
    }
    const [listed] = all;
    const { conversation_parts: parts, ...found } = await client.conversations.find({
      conversation_id: identityOf(listed ?? {}),
    });
    assert.deepEqual(found, listed);
    assert.ok(parts);
    assert.equal(parts.total_count, parts.conversation_parts?.length);
    const author = text(objects(field(listed, 'contacts', 'contacts'))[0], 'id');
    assert.equal(field(await client.contacts.find({ contact_id: author }), 'id'), author);
  });

  it('a long conversation shows its latest 500 parts, and plain text on request', async () => {
    const client = intercomClient(sandbox);
    const all = await collect(await client.conversations.list({ per_page: 150 }));
    const long = identityOf(all.at(-6) ?? {});
    const { conversation_parts: parts } = await client.conversations.find({
      conversation_id: long,
    });
    assert.equal(parts?.conversation_parts?.length, 500);
    assert.equal(parts.total_count, 520);
    const plain = await client.conversations.find({
      conversation_id: long,
      display_as: 'plaintext',
    });
    assert.doesNotMatch(JSON.stringify(plain.conversation_parts), /<p>/);
  });

  it('Intercom’s client lists every company once by page, and the other way round', async () => {
    const client = intercomClient(sandbox);
    const newest = (await collect(await client.companies.list({ per_page: 30 }))).map(identityOf);
    assert.equal(newest.length, 80);
    assert.equal(countDistinct(newest), 80);
    const page = await client.companies.list({ order: 'asc' });
    assert.equal(page.data.length, 15);
    assert.deepEqual((await collect(page)).map(identityOf), newest.toReversed());
    const byLink: Record<string, unknown>[] = [];
    let next: unknown = `${sandbox.urls.intercom}/companies/list?per_page=30`;
    while (typeof next === 'string') {
      const { body } = await intercomPost(sandbox, next.slice(sandbox.urls.intercom.length), {});
      byLink.push(...objects(body['data']));
      next = field(body, 'pages', 'next');
    }
    assert.deepEqual(byLink.map(identityOf), newest);
    const used = byLink.map((company) => Number(company['last_request_at'] ?? 0));
    assert.deepEqual(
      used,
      used.toSorted((one, other) => other - one),
    );
    const last = await intercomPost(sandbox, '/companies/list?per_page=30&page=3', {});
    assert.equal(field(last.body, 'pages', 'next'), null);
    assert.equal(objects(last.body['data']).length, 20);
  });

  it('lists of companies lead on by an address with a number, and know no cursor', async () => {
    const { urls } = sandbox;
    const contacts = await intercomGet(sandbox, '/contacts?per_page=1');
    const cursor = encodeURIComponent(text(contacts.body, 'pages', 'next', 'starting_after'));
    for (const [path, verb] of [
      ['/companies', intercomGet],
      ['/companies/list', (at: Sandbox, to: string) => intercomPost(at, to, {})],
    ] as const) {
      const first = await verb(sandbox, `${path}?per_page=30`);
      assert.deepEqual(first.body['pages'], {
        type: 'pages',
        next: `${urls.intercom}${path}?per_page=30&page=2`,
        page: 1,
        per_page: 30,
        total_pages: 3,
      });
      const again = await verb(sandbox, `${path}?per_page=30&starting_after=${cursor}`);
      assert.deepEqual(again.body, first.body);
    }
    const turned = await intercomPost(sandbox, '/companies/list?order=asc', {});
    assert.equal(
      field(turned.body, 'pages', 'next'),
      `${urls.intercom}/companies/list?order=asc&per_page=15&page=2`,
    );
    const [segment] = objects((await intercomGet(sandbox, '/segments')).body['segments']);
    const path = `/companies?segment_id=${text(segment, 'id')}`;
    const filtered = await intercomGet(sandbox, `${path}&per_page=2`);
    assert.equal(
      field(filtered.body, 'pages', 'next'),
      `${urls.intercom}${path}&per_page=2&page=2`,
    );
  });

  it('the plain company list filters, and pages by number', async () => {
    const first = await intercomGet(sandbox, '/companies');
    const second = await intercomGet(sandbox, '/companies?page=2');
    assert.equal(objects(second.body['data']).length, 15);
    assert.notDeepEqual(second.body['data'], first.body['data']);
    const [company] = objects(first.body['data']);
    const byCompanyId = await intercomGet(
      sandbox,
      `/companies?company_id=${text(company, 'company_id')}`,
    );
    assert.deepEqual(byCompanyId.body, company);
    const name = encodeURIComponent(text(company, 'name'));
    assert.deepEqual((await intercomGet(sandbox, `/companies?name=${name}`)).body, company);
    const tagged = objects(first.body['data']).flatMap((one) =>
      objects(field(one, 'tags', 'tags')),
    );
    const tagId = text(tagged[0], 'id');
    const filtered = await intercomGet(sandbox, `/companies?tag_id=${tagId}`);
    assert.ok(
      objects(filtered.body['data']).every((one) =>
        objects(field(one, 'tags', 'tags')).some(({ id }) => id === tagId),
      ),
    );
    const none = await intercomGet(sandbox, '/companies?company_id=nobody');
    assert.equal(refusalOf(none), '404 company_not_found');
  });

  it('admins, teams, tags and segments can be listed and found', async () => {
    const client = intercomClient(sandbox);
    const { admins = [] } = await client.admins.list();
    const { teams = [] } = await client.teams.list();
    const { data: tags = [] } = await client.tags.list();
    const { segments = [] } = await client.segments.list();
    assert.ok(admins.length > 5 && teams.length > 2 && tags.length > 10 && segments.length > 3);
    const me = await client.admins.identify();
    assert.equal(me?.id, admins[0]?.id);
    assert.ok(me?.app?.id_code);
    assert.ok(admins.every((admin) => !Object.hasOwn(admin ?? {}, 'avatar')));
    const shown = await intercomGet(sandbox, '/admins?display_avatar=true');
    assert.ok(objects(shown.body['admins']).every((admin) => 'avatar' in admin));
    const contacts = await intercomGet(sandbox, '/contacts?per_page=50');
    const avatars = objects(contacts.body['data']).map(({ avatar }) => avatar);
    assert.ok(avatars.some((avatar) => avatar === null));
    assert.ok(avatars.some((avatar) => typeof field(avatar, 'image_url') === 'string'));
    for (const avatar of avatars)
      if (avatar !== null) assert.equal(field(avatar, 'type'), 'avatar');
    for (const team of teams) {
      assert.deepEqual(await client.teams.find({ team_id: team.id ?? '' }), team);
      for (const adminId of team.admin_ids ?? []) {
        const admin = await client.admins.find({ admin_id: adminId });
        assert.ok(admin?.team_ids.includes(Number(team.id)));
      }
    }
    for (const tag of tags) assert.deepEqual(await client.tags.find({ tag_id: tag.id }), tag);
    assert.ok(segments.every((segment) => !('count' in segment)));
    const counted = await client.segments.list({ include_count: true });
    assert.ok(counted.segments?.every(({ count }) => typeof count === 'number'));
    const [segment] = segments;
    assert.deepEqual(await client.segments.find({ segment_id: segment?.id ?? '' }), segment);
  });

  it('what is not there is refused by the code of its kind', async () => {
    const client = intercomClient(sandbox);
    const foreign = identityOf((await client.companies.list()).data[0] ?? {});
    const refusals = await Promise.all([
      thrownRefusal(client.contacts.find({ contact_id: foreign })),
      thrownRefusal(client.contacts.find({ contact_id: 'nobody' })),
      thrownRefusal(client.conversations.find({ conversation_id: '1' })),
      thrownRefusal(client.companies.find({ company_id: 'f'.repeat(24) })),
      thrownRefusal(client.teams.find({ team_id: '1' })),
      thrownRefusal(client.admins.find({ admin_id: 1 })),
      thrownRefusal(client.tags.find({ tag_id: '1' })),
      thrownRefusal(client.segments.find({ segment_id: '1' })),
    ]);
    assert.deepEqual(refusals, [
      '404 not_found',
      '404 not_found',
      '404 not_found',
      '404 company_not_found',
      '404 team_not_found',
      '404 admin_not_found',
      '404 not_found',
      '404 not_found',
    ]);
  });
});

describe('the company scroll', () => {
  it('Intercom’s client scrolls over more companies than a list gives', async () => {
    await using sandbox = await startSandbox({ scale: 52_000 });
    const client = intercomClient(sandbox);
    const all = await collect(await client.companies.scroll());
    assert.equal(countDistinct(all.map(identityOf)), 10_400);
    assert.equal(all.length, 10_400);
    const last = await intercomPost(sandbox, '/companies/list?per_page=100&page=100', {});
    assert.equal(objects(last.body['data']).length, 100);
    const beyond = await intercomPost(sandbox, '/companies/list?per_page=100&page=101', {});
    assert.equal(refusalOf(beyond), '400 bad_request');
  });

  it('one is open at a time, and it expires after an unused minute', async () => {
    let now = Date.UTC(2026, 5, 1);
    await using sandbox = await sandboxForTest({ scale: 600, clock: () => now });
    const first = await intercomGet(sandbox, '/companies/scroll');
    assert.equal(objects(first.body['data']).length, 100);
    assert.equal(first.body['pages'], null);
    const path = `/companies/scroll?scroll_param=${text(first.body, 'scroll_param')}`;
    assert.equal(refusalOf(await intercomGet(sandbox, '/companies/scroll')), '400 scroll_exists');
    now += 60_000;
    const second = await intercomGet(sandbox, path);
    assert.equal(objects(second.body['data']).length, 20);
    assert.equal(
      refusalOf(await intercomGet(sandbox, '/companies/scroll?scroll_param=another')),
      '404 not_found',
    );
    now += 60_001;
    assert.equal(refusalOf(await intercomGet(sandbox, path)), '404 not_found');
    const fresh = await intercomGet(sandbox, '/companies/scroll');
    assert.deepEqual(fresh.body['data'], first.body['data']);
  });

  it('moves on with every call, also one whose answer is lost, and is over at its end', async () => {
    await using sandbox = await sandboxForTest({ scale: 1_200 });
    const first = await intercomGet(sandbox, '/companies/scroll');
    const path = `/companies/scroll?scroll_param=${text(first.body, 'scroll_param')}`;
    sandbox.faults.add({ kind: 'serverError', afterApplying: true, times: 1 });
    assert.equal(refusalOf(await intercomGet(sandbox, path)), '500 server_error');
    assert.equal(objects((await intercomGet(sandbox, path)).body['data']).length, 40);
    const end = await intercomGet(sandbox, path);
    assert.deepEqual([end.body['data'], end.body['scroll_param']], [[], null]);
    assert.equal(refusalOf(await intercomGet(sandbox, path)), '404 not_found');
    assert.equal((await intercomGet(sandbox, '/companies/scroll')).status, 200);
  });
});

describe('the size of the simulated Intercom', () => {
  it('a million contacts can be paged and searched from any place', async () => {
    await using sandbox = await startHuge();
    const page = await intercomClient(sandbox).contacts.list({ per_page: 150 });
    const ids = page.data.map(identityOf);
    await page.getNextPage();
    assert.equal(countDistinct([...ids, ...page.data.map(identityOf)]), 300);
    const oldest = await intercomPost(sandbox, '/contacts/search', {
      query: { field: 'created_at', operator: '<', value: 1_610_000_000 },
      sort: { field: 'created_at', order: 'ascending' },
    });
    const [contact] = objects(oldest.body['data']);
    assert.deepEqual(
      (await intercomGet(sandbox, `/contacts/${text(contact, 'id')}`)).body,
      contact,
    );
  });

  it('the same seed gives the same records, another one gives others', async () => {
    const [one, same, other] = [await firstPage(3), await firstPage(3), await firstPage(4)];
    assert.equal(one, same);
    assert.notEqual(one, other);
  });

  it('the smallest workspace still has something of everything', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    for (const path of ['/contacts', '/conversations', '/companies', '/admins', '/teams', '/me']) {
      assert.equal((await intercomGet(sandbox, path)).status, 200, path);
    }
    const list = await intercomGet(sandbox, '/conversations');
    for (const { id } of objects(list.body['conversations'])) {
      assert.equal((await intercomGet(sandbox, `/conversations/${String(id)}`)).status, 200);
    }
  });
});
