import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as store from '../src/index.ts';

test('the package promises these names', () => {
  assert.deepEqual(Object.keys(store).toSorted(), [
    'HEAD_CHARACTERS',
    'QUICK_SEARCH_MS',
    'Rounds',
    'StoreError',
    'TimeSlices',
    'checkBackup',
    'copyDefinitionHash',
    'describeDatabase',
    'folderState',
    'isFolderHeld',
    'isStorable',
    'isStoreError',
    'isUniqueViolation',
    'isUuid',
    'moveDatabase',
    'openStore',
    'restoreBackup',
  ]);
});
