import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ConnectorFilter } from '../src/contract/store.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

for (const database of TEST_DATABASES)
  describe(`connectors that are looked for on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    let applicationId: string;
    before(async () => {
      store = await openTestStore(database);
      applicationId = (await addApplication(store)).id;
    });
    after(() => store.close());

    const namesOf = async (filter: ConnectorFilter) => {
      const rows = await store.connectors.list({ applicationId, ...filter }, { limit: 100 });
      return rows.map(({ name }) => name);
    };

    test('have the status that shows, which what is switched off hides', async () => {
      const add = async (name: string, change: Parameters<typeof store.connectors.update>[1]) => {
        const { id } = await addConnector(store, { applicationId, name });
        await store.connectors.update(id, change);
      };
      await add('new', {});
      await add('works', { state: 'active' });
      await add('fails', { state: 'degraded' });
      await add('refused', { state: 'reauth_required' });
      await add('rests', { state: 'active', isPaused: true });
      await add('off', { state: 'active', isPaused: true, isDisabled: true });
      for (const [status, names] of [
        ['pending', ['new']],
        ['active', ['works']],
        ['degraded', ['fails']],
        ['reauth_required', ['refused']],
        ['paused', ['rests']],
        ['disabled', ['off']],
      ] as const)
        assert.deepEqual(await namesOf({ status }), names, status);
      await store.query('delete from patchbay.connector_syncs');
      await store.query('delete from patchbay.connectors');
    });

    test('have the text in their name, external user or account, and nothing in it is a pattern', async () => {
      const account = { id: 'T0ACME', name: 'Acme Works', principal: 'U0BOT' };
      await addConnector(store, { applicationId, name: 'Team 100%', externalUserId: 'alice' });
      await addConnector(store, { applicationId, name: 'Émile', externalUserId: 'bob_1', account });
      await addConnector(store, { applicationId, name: 'Straße ΩΣ', externalUserId: 'x' });
      await addConnector(store, { applicationId, name: 'İ', externalUserId: 'x' });
      // The small letters of these have other capitals.
      await addConnector(store, { applicationId, name: 'ẞǅ\u212bᾈ', externalUserId: 'x' });
      for (const [contains, names] of [
        ['TEAM', ['Team 100%']],
        ['0%', ['Team 100%']],
        ['%', ['Team 100%']],
        ['_', ['Émile']],
        ['ALI', ['Team 100%']],
        ['bOb', ['Émile']],
        ['acme w', ['Émile']],
        ['t0acme', ['Émile']],
        ['u0bot', ['Émile']],
        ['éMILE', ['Émile']],
        ['ÉMİLE', []],
        ['straße ωΣ', ['Straße ΩΣ']],
        ['İ', ['İ']],
        ['ẞ', ['ẞǅ\u212bᾈ']],
        ['ẞǅ\u212bᾈ', ['ẞǅ\u212bᾈ']],
        ['e', ['Team 100%', 'Émile', 'Straße ΩΣ']],
        ["'; drop table patchbay.connectors --", []],
        ['slack', []],
        ['NUL \0', []],
      ] as const)
        assert.deepEqual(await namesOf({ contains }), names, contains);
      assert.deepEqual(await namesOf({ contains: 'e', externalUserId: 'alice' }), ['Team 100%']);
      assert.deepEqual(await namesOf({ contains: 'e', status: 'active' }), []);
    });
  });
