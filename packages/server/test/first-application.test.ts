import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestStore, TEST_DATABASES } from '@patchbay/store/testing';
import { Applications } from '../src/access/applications.ts';
import { makeLogger } from '../src/log.ts';
import { ensureFirstApplication } from '../src/service/first-application.ts';
import { makeTestClock } from './support/test-clock.ts';

for (const database of TEST_DATABASES) {
  describe(`a first application on ${database.name}`, { skip: database.skip }, () => {
    test('is one for all processes that start at once, and one of them keeps its secret', async () => {
      await using store = await openTestStore(database);
      const basis = { store, clock: makeTestClock(), logger: makeLogger({ level: 'silent' }) };
      const kept: string[] = [];
      const start = async () => {
        const applications = new Applications({ ...basis, onRefreshError: assert.ifError });
        return ensureFirstApplication(basis, applications, {
          given: undefined,
          keep: ({ clientId }) => void kept.push(clientId),
        });
      };
      const found = await Promise.all([start(), start(), start()]);
      const listed = await store.applications.list();
      assert.deepEqual(kept, [...new Set(found.map(({ clientId }) => clientId))]);
      assert.deepEqual(
        listed.map(({ clientId }) => clientId),
        kept,
      );
    });
  });
}
