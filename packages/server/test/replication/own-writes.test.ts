import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { replicating, type BehindProxy } from './support/behind-proxy.ts';
import { DATABASE } from './support/replicating.ts';

const KIND = 'customer-messaging';
/** Pages of contacts are of 150, so there are two. */
const SCALE = 160;

describe(`our own writes while a page is read, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  let given: BehindProxy;
  before(async () => {
    given = await replicating(KIND, { scale: SCALE });
  });
  after(() => given[Symbol.asyncDispose]());

  /** Copies all contacts; of their second page, `meddle` sees each request with what it will answer. */
  const copyAll = async (meddle: (contactId: string, request: number) => Promise<boolean>) => {
    const { proxy, running } = given;
    let requests = 0;
    proxy.tamper = async ({ url }, answer) => {
      if (!url.pathname.endsWith('/contacts') || !url.searchParams.has('starting_after'))
        return answer();
      const told = await answer();
      // As Intercom has it.
      const page = JSON.parse(told.body) as { readonly data: readonly { readonly id: string }[] };
      const isSpoilt = await meddle(page.data[0]?.id ?? '', ++requests);
      return isSpoilt ? { status: 500, body: '{}' } : told;
    };
    const id = await running.create(KIND);
    await running.settled(id);
    return id;
  };
  const write = async (contactId: string) => {
    const connector = (await given.ground.store.connectors.list({}, { limit: 1_000 })).at(-1);
    const copy = { connectorId: connector?.id ?? '', kind: KIND, entity: 'contacts' };
    const values = { id: contactId, name: 'as we have written it' };
    await given.ground.store.copies.merge(copy, { key: contactId, values });
    // By the database's clock it is over.
    await pause(250);
  };
  const nameOf = async (id: string, contactId: string) =>
    (await given.running.copy(id, KIND, 'contacts')).get(contactId)?.['name'];

  test('stay where the page was asked for before', async () => {
    let written = '';
    const id = await copyAll(async (contactId) => {
      if (written === '') await write((written = contactId));
      return false;
    });
    assert.equal(await nameOf(id, written), 'as we have written it');
  });

  test('give way to a page that was asked for again after them', async () => {
    let written = '';
    const id = await copyAll(async (contactId, request) => {
      if (request > 1) return false;
      await write((written = contactId));
      return true;
    });
    assert.notEqual(await nameOf(id, written), 'as we have written it');
    await given.running.assertExact(id, KIND);
  });
});
