import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as definitions from './definitions.ts';

test('the part that runs anywhere exports these names, and no others: each is a promise', () => {
  assert.deepEqual(Object.keys(definitions).toSorted(), [
    'ConnectorError',
    'ENGINE_POLICIES',
    'ERRORS',
    'KINDS',
    'SEARCH_PARAMS_SCHEMA',
    'allKinds',
    'checkMembers',
    'checkOptions',
    'checkParams',
    'compileSelection',
    'describeEntity',
    'describeKind',
    'faultText',
    'faultsOf',
    'faultsText',
    'findAction',
    'findEntity',
    'findKind',
    'isConnectorError',
    'isJsonObject',
    'isWrite',
    'nearestName',
    'nextPageParams',
    'quote',
    'startDeadline',
    'systemClock',
    'unknownEntity',
    'unsupportedAction',
    'wait',
    'walkPages',
  ]);
});
