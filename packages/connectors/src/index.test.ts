import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as connectors from './index.ts';

test('the package exports these names, and no others: each is a promise', () => {
  assert.deepEqual(Object.keys(connectors).toSorted(), [
    'ConnectorError',
    'ERRORS',
    'KINDS',
    'createConnector',
    'describeEntity',
    'describeKind',
    'faultsOf',
    'isConnectorError',
  ]);
});
