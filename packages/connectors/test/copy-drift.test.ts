import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS } from '@patchbay/connectors';
import { ConnectorEngine } from '@patchbay/connectors/engine';
import { shortcuts } from '../src/kinds/support-chat/shortcuts.ts';
import { users } from '../src/kinds/chat-workspace/users.ts';
import { copiedRecord } from '../src/replication/copied-record.ts';
import { driftOf, joinedDrift, newDriftCount } from '../src/replication/copy-drift.ts';
import { HandMadeCopy } from './support/hand-made-copy.ts';
import { reply, startUpstream } from './support/upstreams.ts';

/** What is found in users, each an `id` and more. */
function driftIn(...records: readonly Readonly<Record<string, unknown>>[]) {
  const count = newDriftCount();
  for (const [index, record] of records.entries())
    assert.ok(copiedRecord(users, { id: `U${index}`, ...record }, { params: {}, drift: count }));
  return driftOf(count, asItIs);
}

function asItIs(name: string): string {
  return name;
}

/** 15 names, the first of that number. */
function names(from: number): readonly string[] {
  return Array.from({ length: 15 }, (_, nth) => `n${from + nth}`);
}

function membersOf(count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Array.from({ length: count }, (_, nth) => [nth, nth]));
}

describe('what a copy does not take', () => {
  test('is nothing where all fields are known, given or not, free ones and their members included', () => {
    const user = { name: 'ada', tz: null, tz_offset: '60', has_2fa: true, profile: { new: [1] } };
    assert.equal(driftIn({}, user), undefined);
  });

  test('are unknown fields, by their names, and values of another type, by how many they are', () => {
    assert.deepEqual(
      driftIn({ mood: 'fine', tz: {} }, { mood: null, age: 5, tz_offset: 'x' }, { tz: [] }),
      { unknownFields: ['mood', 'age'], lostValues: 3, lostFields: ['tz', 'tz_offset'] },
    );
  });

  test('is no value that a record has, but searches have another type for', () => {
    const count = newDriftCount();
    copiedRecord(shortcuts, { id: 'hello', name: 'hello' }, { params: {}, drift: count });
    assert.equal(driftOf(count, asItIs), undefined);
    copiedRecord(shortcuts, { id: true, name: 5.5 }, { params: {}, drift: count });
    assert.equal(driftOf(count, asItIs), undefined, 'without a key it is no record');
    copiedRecord(shortcuts, { id: 'hello', name: 5.5 }, { params: {}, drift: count });
    assert.deepEqual(driftOf(count, asItIs)?.lostFields, ['name']);
  });

  test('are fields with more in them than a database takes at once', () => {
    assert.equal(driftIn({ profile: membersOf(50_000) }), undefined);
    assert.deepEqual(driftIn({ profile: { fields: [membersOf(50_001)] } }), {
      unknownFields: [],
      lostValues: 1,
      lostFields: ['profile'],
    });
    assert.deepEqual(driftIn({ elsewhere: membersOf(50_001) })?.lostFields, [], 'is not copied');
  });

  test('is told with at most 20 names, short ones that can be stored and shown', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`new_${nth}`, nth]));
    assert.equal(driftIn(many)?.unknownFields.length, 20);
    const odd = driftIn({ ['x'.repeat(1_000)]: 1, 'nul\0 esc\u001B half\uD800': 1 });
    assert.deepEqual(odd?.unknownFields, [`${'x'.repeat(63)}…`, 'nul\uFFFD esc\uFFFD half\uFFFD']);
    // Cut in the middle of a pair.
    const [cut] = driftIn({ [`${'x'.repeat(62)}😀😀`]: 1 })?.unknownFields ?? [];
    assert.ok(cut?.isWellFormed());
  });

  test('is told without the credentials, of which cutting a name leaves no half', async () => {
    const token = 'opens-the-copied-list';
    const before = 'x'.repeat(55);
    const members = [{ id: 'U1', [token]: 1, [`Bearer ${token}`]: 2, [before + token]: 3 }];
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { ok: true, members }),
    );
    const engine = new ConnectorEngine({
      kind: KINDS['chat-workspace'],
      authorize: () => ({ method: 'oauth', values: { access_token: token } }),
      config: {},
      baseUrl: upstream.url,
    });
    const plan = new HandMadeCopy(engine, Date.now).plan('users');
    const { drift } = await plan.readPage({ parent: undefined, position: null });
    assert.deepEqual(drift?.unknownFields, ['[secret]', `${before}[secret]`]);
  });

  test('of two pages is that of both', () => {
    const one = { unknownFields: ['a', 'b'], lostValues: 2, lostFields: ['x'] };
    const other = { unknownFields: ['b', 'c'], lostValues: 3, lostFields: ['x', 'y'] };
    assert.deepEqual(joinedDrift(one, other), {
      unknownFields: ['a', 'b', 'c'],
      lostValues: 5,
      lostFields: ['x', 'y'],
    });
    assert.equal(joinedDrift(undefined, one), one);
    assert.equal(joinedDrift(one, null), one);
    assert.equal(joinedDrift(null, undefined), undefined);
    const full = joinedDrift(
      { ...one, unknownFields: names(0) },
      { ...one, unknownFields: names(10) },
    );
    assert.equal(full?.unknownFields.length, 20);
  });
});
