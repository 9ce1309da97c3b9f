import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Sandbox } from '../src/index.ts';
import {
  everyRecord,
  intercomClient,
  intercomGet,
  intercomPost,
  refusalOf,
} from './intercom-support.ts';
import { field, objects, sandboxForTest, text } from './support.ts';

type Json = Readonly<Record<string, unknown>>;

const DAY = 86_400;
const since = (value: number) => ({ field: 'updated_at', operator: '>', value });
const where = (name: string, operator: string, value: unknown) => ({
  field: name,
  operator,
  value,
});
const OLDEST_FIRST = { field: 'updated_at', order: 'ascending' };
const updated = (record: Json) => Number(record['updated_at']);
const identityOf = (record: Json) => text(record, 'id');

describe('searching the simulated Intercom', () => {
  let sandbox: Sandbox;
  let contacts: readonly Json[];
  let conversations: readonly Json[];

  const searchAll = (kind: string, records: string, body: Json, perPage = 150, sink = sandbox) =>
    everyRecord(
      (cursor) =>
        intercomPost(sink, `/${kind}/search`, {
          ...body,
          pagination: { per_page: perPage, ...(cursor === '' ? {} : { starting_after: cursor }) },
        }),
      records,
    );
  const searchContacts = (query: Json) => searchAll('contacts', 'data', { query });
  const searchConversations = (query: Json) =>
    searchAll('conversations', 'conversations', { query });

  before(async () => {
    sandbox = await sandboxForTest({ scale: 400 });
    const everything = { query: since(0), sort: OLDEST_FIRST };
    contacts = await searchAll('contacts', 'data', everything);
    conversations = await searchAll('conversations', 'conversations', everything);
  });
  after(async () => {
    await sandbox.close();
  });

  it('reading in the order of changes meets every record once, whatever the page size', async () => {
    assert.equal(new Set(contacts.map(identityOf)).size, 400);
    assert.equal(contacts.length, 400);
    assert.equal(new Set(conversations.map(identityOf)).size, 200);
    const times = contacts.map(updated);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
    const byDefault = { query: since(0) };
    for (const perPage of [3, 50]) {
      const oldest = await searchAll(
        'contacts',
        'data',
        { ...byDefault, sort: OLDEST_FIRST },
        perPage,
      );
      assert.deepEqual(oldest.map(identityOf), contacts.map(identityOf));
      const newest = await searchAll('contacts', 'data', byDefault, perPage);
      assert.deepEqual(newest.map(identityOf), contacts.map(identityOf).toReversed());
    }
  });

  it('Intercom’s client iterates over a search', async () => {
    const client = intercomClient(sandbox);
    const query = { field: 'role', operator: '=', value: 'lead' } as const;
    const found: string[] = [];
    for await (const contact of await client.contacts.search({ query })) {
      assert.equal(contact.role, 'lead');
      found.push(contact.id);
    }
    assert.equal(new Set(found).size, found.length);
    assert.equal(found.length, contacts.filter(({ role }) => role === 'lead').length);
    const page = await client.conversations.search({
      query: { field: 'open', operator: '=', value: 'true' },
    });
    assert.equal(page.data.length, 20);
    assert.ok(page.data.every(({ open }) => open));
  });

  it('contacts are searched by calendar day, conversations by the second', async () => {
    const noon = Math.floor(updated(contacts[200] ?? {}) / DAY) * DAY + DAY / 2;
    const dayOf = (record: Json) => Math.floor(updated(record) / DAY);
    const today = noon / DAY - 0.5;
    assert.deepEqual(
      new Set((await searchContacts(since(noon))).map(identityOf)),
      new Set(contacts.filter((one) => dayOf(one) > today).map(identityOf)),
    );
    const sameDay = await searchContacts({
      field: 'updated_at',
      operator: '=',
      value: String(noon),
    });
    assert.ok(sameDay.length > 0 && sameDay.every((one) => dayOf(one) === today));
    const earlier = await searchContacts({ field: 'updated_at', operator: '<', value: noon });
    assert.ok(earlier.length > 0 && earlier.every((one) => dayOf(one) < today));

    const second = updated(conversations[100] ?? {});
    const later = await searchConversations(since(second));
    assert.equal(later.length, conversations.filter((one) => updated(one) > second).length);
    const atLeast = await searchConversations({
      operator: 'OR',
      value: [since(second), { field: 'updated_at', operator: '=', value: second }],
    });
    assert.equal(atLeast.length, conversations.filter((one) => updated(one) >= second).length);
  });

  it('takes every operator, and groups of filters', async () => {
    const lead = (one: Json) => one['role'] === 'lead';
    const isAtExample = (one: Json) =>
      typeof one['email'] === 'string' && one['email'].endsWith('@example.com');
    const attribute = (one: Json, name: string) => field(one, 'custom_attributes', name);
    const name = (one: Json) => (typeof one['name'] === 'string' ? one['name'].toLowerCase() : '');
    const cases: readonly (readonly [Json, (one: Json) => boolean])[] = [
      [where('role', '!=', 'lead'), (one) => !lead(one)],
      [where('role', 'IN', ['lead', 'other']), lead],
      [where('role', 'NIN', ['lead']), (one) => !lead(one)],
      [where('name', '~', 'SÖLDRIN'), (one) => name(one).includes('söldrin')],
      [where('name', '!~', 'a'), (one) => !name(one).includes('a')],
      [where('name', '^', 'ab'), (one) => name(one).startsWith('ab')],
      [where('email_domain', '=', 'example.com'), isAtExample],
      [where('email', '$', '.com'), isAtExample],
      [where('owner_id', '>', 0), (one) => one['owner_id'] !== null],
      [where('phone', '=', null), (one) => one['phone'] === null],
      [where('location.city', '=', '東京'), (one) => field(one, 'location', 'city') === '東京'],
      [
        where('custom_attributes.plan.tier', '=', 'gold'),
        (one) => attribute(one, 'plan.tier') === 'gold',
      ],
      [
        where('custom_attributes.is_paying', '=', true),
        (one) => attribute(one, 'is_paying') === true,
      ],
      [where('marked_email_as_spam', '=', true), (one) => one['marked_email_as_spam'] === true],
      [
        {
          operator: 'AND',
          value: [
            where('role', '=', 'user'),
            { operator: 'OR', value: [where('os', '^', 'win'), where('browser', '=', 'safari')] },
          ],
        },
        (one) => !lead(one) && (one['os'] === 'Windows 10' || one['browser'] === 'safari'),
      ],
    ];
    for (const [query, matches] of cases) {
      const found = await searchContacts(query);
      const wanted = contacts.filter(matches);
      assert.deepEqual(
        new Set(found.map(identityOf)),
        new Set(wanted.map(identityOf)),
        JSON.stringify(query),
      );
      assert.ok(found.length > 0, JSON.stringify(query));
    }
  });

  it('finds conversations by the people and tags in them', async () => {
    const [sample] = conversations.filter((one) => objects(field(one, 'tags', 'tags')).length > 0);
    const contactId = text(objects(field(sample, 'contacts', 'contacts'))[0], 'id');
    const byContact = await searchConversations({
      field: 'contact_ids',
      operator: '=',
      value: contactId,
    });
    assert.ok(byContact.some((one) => identityOf(one) === identityOf(sample ?? {})));
    const tagId = text(objects(field(sample, 'tags', 'tags'))[0], 'id');
    const byTag = await searchConversations({ field: 'tag_ids', operator: 'IN', value: [tagId] });
    assert.ok(byTag.some((one) => identityOf(one) === identityOf(sample ?? {})));
  });

  it('refuses what it cannot understand', async () => {
    const deep = [1, 2, 3].reduce<Json>((query) => ({ operator: 'AND', value: [query] }), {
      operator: 'OR',
      value: [since(0)],
    });
    const many = { operator: 'OR', value: Array.from({ length: 16 }, () => since(0)) };
    const wrong: readonly Json[] = [
      { query: 'all' },
      { query: { field: 'favourite_colour', operator: '=', value: 1 } },
      { query: { field: 'updated_at', operator: '>=', value: 1 } },
      { query: { field: 'updated_at', operator: '>', value: 'yesterday' } },
      { query: { field: 'name', operator: '>', value: 'a' } },
      { query: { field: 'role', operator: 'IN', value: 'lead' } },
      { query: deep },
      { query: many },
      { query: since(0), sort: { field: 'name', order: 'ascending' } },
      { query: since(0), sort: { field: 'updated_at', order: 'upwards' } },
      { query: since(0), pagination: { per_page: 151 } },
      { query: since(0), pagination: { starting_after: 'nonsense' } },
    ];
    for (const body of wrong) {
      const answer = await intercomPost(sandbox, '/contacts/search', body);
      assert.equal(refusalOf(answer), '400 parameter_invalid', JSON.stringify(body));
    }
    assert.equal(
      refusalOf(await intercomPost(sandbox, '/contacts/search', {})),
      '400 parameter_not_found',
    );
    for (const body of ['{', '[]']) {
      assert.equal(
        refusalOf(await intercomPost(sandbox, '/contacts/search', body)),
        '400 bad_request',
      );
    }
  });

  it('what changes while it is read in order is met again at the end', async () => {
    const now = Date.UTC(2026, 5, 1);
    await using changing = await sandboxForTest({ clock: () => now });
    const read = () =>
      searchAll('contacts', 'data', { query: since(0), sort: OLDEST_FIRST }, 20, changing);
    const before20 = await read();
    changing.faults.add({ kind: 'mutateWhilePaging', change: 'update', times: 1 });
    const updatedOnes = await read();
    assert.equal(updatedOnes.length, 60);
    assert.equal(identityOf(updatedOnes.at(-1) ?? {}), identityOf(before20[20] ?? {}));
    assert.equal(updated(updatedOnes.at(-1) ?? {}), now / 1_000);
    const id = identityOf(updatedOnes.at(-1) ?? {});
    const found = await intercomGet(changing, `/contacts/${id}`);
    assert.match(text(found.body, 'name'), /\(changed\)$/);
  });
});
