import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConnectorError, ERRORS, isConnectorError } from '@patchbay/connectors';
import * as server from '../src/index.ts';
import { explainConfigRequired } from '../src/operations/config-required.ts';

test('the package promises these names and no others', () => {
  assert.deepEqual(Object.keys(server).toSorted(), [
    'CONSENT_CALLBACK_PATH',
    'ServiceError',
    'checkMasterKey',
    'createApplication',
    'loadMasterKeys',
    'loadMetricsToken',
    'loadOperatorKey',
    'operatorKeyPath',
    'parseMasterKey',
    'readConfiguration',
    'startService',
  ]);
});

test('every error code is provoked by some test over HTTP', async () => {
  /** The library's own code. */
  const beyondReach = ['search_requires_hosted_mode'];
  const folder = import.meta.dirname;
  const names = (await readdir(folder)).filter(
    (name) => name.endsWith('.test.ts') && name !== 'exports.test.ts',
  );
  const sources = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const all = sources.join('\n');
  const missing = Object.keys(ERRORS).filter((code) => !all.includes(`'${code}'`));
  assert.deepEqual(missing.toSorted(), beyondReach.toSorted());
});

test('config_required says the exact request that mends it', () => {
  const id = '01a1fd50-54ba-79a1-a087-6b4fef496709';
  const error = new ConnectorError('config_required', { missing: ['subdomain'] });
  const explained = explainConfigRequired(error, id);
  assert.ok(isConnectorError(explained, 'config_required'));
  assert.equal(
    explained.details.patch,
    `PATCH /v1/integrations/connectors/${id} {"config":{"subdomain":"<subdomain>"}}`,
  );
  assert.ok(explained.message.includes(explained.details.patch));
  const other = new Error('another');
  assert.equal(explainConfigRequired(other, id), other);
});
