import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as definitions from './definitions.ts';

test('the part that runs anywhere exports these names, and no others: each is a promise', () => {
  assert.deepEqual(Object.keys(definitions).toSorted(), [
    'ConnectorError',
    'ENGINE_POLICIES',
    'ERRORS',
    'KINDS',
    'MAX_HITS',
    'SEARCH_PARAMS',
    'actionNamesOf',
    'allKinds',
    'checkCall',
    'checkMembers',
    'checkOptions',
    'describeEntity',
    'describeKind',
    'describedAction',
    'describedEntity',
    'faultText',
    'faultsOf',
    'faultsText',
    'findAction',
    'findEntity',
    'findKind',
    'findList',
    'invalidRequest',
    'isConnectorError',
    'isJsonObject',
    'isReadName',
    'isSearch',
    'isWrite',
    'nearestName',
    'nextPageParams',
    'pagingFieldOf',
    'quote',
    'startDeadline',
    'systemClock',
    'wait',
    'walkPages',
  ]);
});
