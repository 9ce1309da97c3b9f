import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as connectors from './index.ts';

test('the package exports these names, and no others: each is a promise', () => {
  assert.deepEqual(Object.keys(connectors).toSorted(), [
    'ConnectorEngine',
    'ConnectorError',
    'DEFAULT_TIMEOUT_MS',
    'ERRORS',
    'KINDS',
    'allKinds',
    'checkConfig',
    'checkConnector',
    'checkCredentials',
    'checkMembers',
    'checkParams',
    'checkReplicationConfig',
    'createConnector',
    'describeEntity',
    'describeKind',
    'faultsOf',
    'findAction',
    'findEntity',
    'findKind',
    'findKindByDefinitionId',
    'isConnectorError',
    'isJsonObject',
    'isWrite',
    'nearestName',
    'quote',
    'recordSchema',
    'renderReferencePage',
    'systemClock',
  ]);
});
