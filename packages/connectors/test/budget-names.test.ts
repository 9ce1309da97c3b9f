import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatWorkspace } from '../src/kinds/chat-workspace/index.ts';
import { findAction } from '../src/execution/check-call.ts';
import { budgetsOf, ratesOf } from '../src/execution/upstream-client.ts';

test('a budget of a param has a short name, whatever the param is', () => {
  const action = findAction(chatWorkspace, 'messages', 'create');
  const entity = chatWorkspace.entities.messages;
  const rates = ratesOf({ action, entity, kind: chatWorkspace });
  assert.ok(rates.some(({ perParam }) => perParam === 'channel'));
  const namesFor = (channel: string) =>
    budgetsOf({ rates, action }, { channel }).map(({ key }) => key);
  const long = namesFor('x'.repeat(900_000));
  assert.ok(long.every((name) => name.length < 200));
  assert.deepEqual(namesFor('x'.repeat(900_000)), long);
  assert.notDeepEqual(namesFor(`${'x'.repeat(899_999)}y`), long);
  assert.notDeepEqual(namesFor('C0001'), namesFor('C0002'));
});
