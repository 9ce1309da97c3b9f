import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnector } from '@patchbay/connectors';
import { allKinds, describeKind, type KindDescription } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import { planList } from './list-plan.ts';

function kindNamed(name: string): KindDescription {
  const kind = allKinds().find((each) => each.kind === name);
  assert.ok(kind !== undefined);
  return describeKind(kind);
}

const slack = kindNamed('chat-workspace');
const intercom = kindNamed('customer-messaging');
const chat = kindNamed('support-chat');
const support = kindNamed('support-ticketing');

function params(kind: KindDescription, entity: string, given = {}): JsonObject {
  return planList(kind, entity, given).params;
}

function shorter(given: JsonObject, size: number): JsonObject | undefined {
  return planList(support, 'tickets', given).shorter(size);
}

test('a page has 25 records unless the caller says else, where the list takes a size', () => {
  assert.deepEqual(params(slack, 'users'), { limit: 25 });
  assert.deepEqual(params(slack, 'users', { limit: null, cursor: null }), { limit: 25 });
  assert.deepEqual(params(slack, 'users', { limit: 3, cursor: 'c' }), { limit: 3, cursor: 'c' });
  assert.deepEqual(params(intercom, 'contacts'), { per_page: 25 });
  assert.deepEqual(params(chat, 'chats'), { limit: 25 });
  assert.deepEqual(params(intercom, 'teams'), {});
  assert.deepEqual(params(slack, 'nothing', { a: 1 }), { a: 1 });
});

test('a page that nobody asked a size of is no larger than the upstream gives', () => {
  const connector = createConnector('chat-workspace', {
    credentials: { api_token: 'none' },
    distribution: 'distributed',
  });
  assert.deepEqual(params(connector.describe(), 'threads'), { limit: 15 });
  assert.deepEqual(params(connector.describe(), 'users'), { limit: 25 });
});

test('a shorter page begins where the page begins', () => {
  assert.deepEqual(shorter({ after: 'c' }, 4), { after: 'c', per_page: 4 });
  // Records 61 to 80, of which 7 fit: a page of 5 begins with record 61 too.
  assert.deepEqual(shorter({ page: 4, per_page: 20 }, 7), { page: 13, per_page: 5 });
  assert.deepEqual(shorter({ page: 3 }, 24), { page: 11, per_page: 5 });
  assert.deepEqual(shorter({ page: 2, per_page: 7 }, 3), { page: 8, per_page: 1 });
  const teams = planList(intercom, 'teams', {});
  assert.equal(teams.shorter(1), undefined);
});

test('the limit that a caller gives is the size, where there are pages', () => {
  assert.deepEqual(params(intercom, 'contacts', { limit: 4 }), { limit: 4 });
  assert.deepEqual(planList(intercom, 'contacts', { limit: 40 }).shorter(7), { limit: 7 });
  assert.deepEqual(params(intercom, 'teams'), {});
  const teams = planList(intercom, 'teams', { limit: 4 });
  assert.deepEqual(teams.params, { limit: 4 });
  assert.equal(teams.shorter(2), undefined);
});
