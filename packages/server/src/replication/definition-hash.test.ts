import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { KINDS } from '@patchbay/connectors';
import { definitionHashOf, isSameMaking } from './definition-hash.ts';

const KIND = 'chat-workspace';
const { users, channels } = KINDS[KIND].entities;
const NO_SETTINGS = { config: {}, replicationConfig: null, credentialsEpoch: 1 };

describe('the hash of how a copy is made', () => {
  const plain = definitionHashOf(KIND, users, NO_SETTINGS);

  test('differs between entities, settings and accounts', () => {
    const hashes = [
      plain,
      definitionHashOf(KIND, channels, NO_SETTINGS),
      definitionHashOf(KIND, users, { ...NO_SETTINGS, replicationConfig: { lookback_window: 7 } }),
      definitionHashOf(KIND, users, { ...NO_SETTINGS, replicationConfig: { lookback_window: 8 } }),
      definitionHashOf(KIND, users, { ...NO_SETTINGS, config: { subdomain: 'acme' } }),
      definitionHashOf(KIND, users, { ...NO_SETTINGS, credentialsEpoch: 2 }),
    ];
    assert.equal(new Set(hashes).size, hashes.length);
  });

  test('differs when a searchable field comes, or the way of reading changes', () => {
    const { search } = users;
    const fewer = { ...users, search: { ...search, fields: search.fields.slice(1) } };
    const slower = { ...users, replicate: { params: { limit: 10 }, fullEveryHours: 24 } };
    assert.notEqual(definitionHashOf(KIND, fewer, NO_SETTINGS), plain);
    assert.notEqual(definitionHashOf(KIND, slower, NO_SETTINGS), plain);
  });

  // Step 4 of the schema has put it there in place of what version 0.1 had behind the dot.
  test('ends with the epoch of the credentials', () => {
    const others = { ...NO_SETTINGS, credentialsEpoch: 2 };
    const [made] = plain.split('.');
    assert.equal(plain, `${made}.1`);
    assert.equal(definitionHashOf(KIND, users, others), `${made}.2`);
  });

  test('does not depend on words, or on the order of settings', () => {
    assert.equal(definitionHashOf(KIND, { ...users, doc: 'Others.' }, NO_SETTINGS), plain);
    const list = { ...users.actions.list, doc: 'Others.' };
    const reworded = { ...users, actions: { ...users.actions, list } };
    assert.equal(definitionHashOf(KIND, reworded, NO_SETTINGS), plain);
    const settings = { lookback_window: 7, join_channels: true };
    const turned = { join_channels: true, lookback_window: 7 };
    assert.equal(
      definitionHashOf(KIND, users, { ...NO_SETTINGS, replicationConfig: settings }),
      definitionHashOf(KIND, users, { ...NO_SETTINGS, replicationConfig: turned }),
    );
  });

  test('does not depend on what an upstream hides for a while', () => {
    const { tickets } = KINDS['support-ticketing'].entities;
    const { replicate = assert.fail() } = tickets;
    const { since = assert.fail() } = replicate;
    const others = {
      ...tickets,
      replicate: { ...replicate, since: { ...since, hiddenSeconds: 5 } },
    };
    assert.equal(
      definitionHashOf('support-ticketing', others, NO_SETTINGS),
      definitionHashOf('support-ticketing', tickets, NO_SETTINGS),
    );
  });

  test('does not depend on what else draws on the budget of a read', () => {
    const { tickets } = KINDS['support-ticketing'].entities;
    const { replicate = assert.fail() } = tickets;
    const { list = assert.fail() } = replicate;
    const { rates: known = assert.fail() } = list.policies ?? {};
    assert.ok(known.some(({ budget }) => budget !== undefined));
    const rates = known.map((rule) => ({ ...rule, budget: 'another' }));
    const alone = { ...replicate, list: { ...list, policies: { rates } } };
    assert.equal(
      definitionHashOf('support-ticketing', { ...tickets, replicate: alone }, NO_SETTINGS),
      definitionHashOf('support-ticketing', tickets, NO_SETTINGS),
    );
  });

  test('does not depend on params that only callers give', () => {
    const { tickets } = KINDS['support-ticketing'].entities;
    const { list } = tickets.actions;
    const { sort: _, ...params } = list.params;
    const fewer = { ...tickets, actions: { ...tickets.actions, list: { ...list, params } } };
    assert.notDeepEqual(fewer, tickets);
    assert.equal(
      definitionHashOf('support-ticketing', fewer, NO_SETTINGS),
      definitionHashOf('support-ticketing', tickets, NO_SETTINGS),
    );
  });

  test('of version 0.1 stands for the same settings and credentials only', () => {
    const made = `first-release-${sha('{}null')}.1`;
    assert.ok(isSameMaking(made, plain, NO_SETTINGS));
    assert.ok(!isSameMaking(made, plain, { ...NO_SETTINGS, config: { subdomain: 'acme' } }));
    assert.ok(!isSameMaking(made, plain, { ...NO_SETTINGS, replicationConfig: {} }));
    assert.ok(!isSameMaking(made, plain, { ...NO_SETTINGS, credentialsEpoch: 2 }));
    assert.ok(!isSameMaking(null, plain, NO_SETTINGS));
  });
});

function sha(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
