import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS, type ConnectorKind } from '@patchbay/connectors';
import type { ConnectorEngine } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { kindsUnderTest } from './conformance/support/kinds-under-test.ts';
import { engineFor } from './conformance/support/operations.ts';
import { HandMadeCopy } from './support/hand-made-copy.ts';

const START_MS = Date.UTC(2026, 1, 1);

type Row = Readonly<Record<string, unknown>>;
type Change = 'insert' | 'delete' | 'update';

interface Rig extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly engine: ConnectorEngine;
  readonly copy: HandMadeCopy;
  copyWith(config: Row): HandMadeCopy;
  passHours(hours: number): void;
  /** Lets the record that comes first on the second page of a list change, go or come. */
  change(change: Change, entity: string, params: Row): Promise<void>;
}

async function rigFor(kind: ConnectorKind, scale = 60): Promise<Rig> {
  let now = START_MS;
  const clock = () => now;
  const row = kindsUnderTest.find((each) => each.kind === kind) ?? assert.fail();
  const sandbox = await startSandbox({ scale, clock });
  const engine = engineFor(row, sandbox.urls[row.row.url]);
  const copyWith = (config: Row) => new HandMadeCopy(engine, clock, config);
  return {
    sandbox,
    engine,
    copy: copyWith({}),
    copyWith,
    passHours: (hours) => {
      now += hours * 3_600_000;
    },
    change: async (change, entity, params) => {
      const fault = sandbox.faults.add({ kind: 'mutateWhilePaging', change, times: 1 });
      await engine.execute(entity, 'list', params);
      fault.release();
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

/** Every method of Zendesk and Intercom whose requests were seen, with their params. */
function asked({ sandbox }: Rig, method: string): readonly Row[] {
  return sandbox
    .requests()
    .filter((request) => request.method === method)
    .map(({ params }) => params);
}

/** An entity whose increments tell what came, what changed and what went. */
const TOLD: readonly (readonly [ConnectorKind, string, Row, number])[] = [
  [KINDS['support-ticketing'], 'tickets', { after: '', per_page: 10 }, 3],
  [KINDS['support-ticketing'], 'users', { after: '', per_page: 10 }, 3],
  [KINDS['support-ticketing'], 'organizations', { after: '', per_page: 2 }, 3],
  [KINDS['support-chat'], 'chats', { limit: 10 }, 3],
];

describe('an increment', () => {
  for (const [kind, entity, params, most] of TOLD)
    test(`of ${entity} takes up what came and changed, and drops what was deleted`, async () => {
      await using rig = await rigFor(kind);
      await rig.copy.sync(entity);
      const before = rig.copy.rows(entity);
      rig.passHours(2);
      for (const change of ['update', 'insert', 'delete'] as const)
        await rig.change(change, entity, params);
      rig.passHours(1);
      const { mode, seen, deleted } = await rig.copy.sync(entity);
      assert.equal(mode, 'increment');
      assert.ok(seen.length + deleted.length <= most, `${seen.length} records came`);
      assert.equal(deleted.length, 1);
      assert.ok(before.has(deleted[0] ?? ''));
      const fresh = rig.copyWith({});
      await fresh.sync(entity);
      assert.deepEqual(rig.copy.rows(entity), fresh.rows(entity));
      assert.notDeepEqual(rig.copy.rows(entity), before);
    });

  for (const [entity, days] of [
    ['contacts', 2],
    ['conversations', 0],
  ] as const)
    test(`of ${entity} takes up what came and changed; what was deleted waits for a full read`, async () => {
      await using rig = await rigFor(KINDS['customer-messaging']);
      await rig.copy.sync(entity);
      const before = rig.copy.rows(entity);
      rig.passHours(2);
      await rig.change('update', entity, { per_page: 10 });
      await rig.change('insert', entity, { per_page: 10 });
      rig.sandbox.resetRequests();
      const { mode, seen } = await rig.copy.sync(entity);
      assert.equal(mode, 'increment');
      assert.ok(seen.length < before.size / 2, 'most of them stay unread');
      // Contacts are searched by day: all of the days that can be meant are read again.
      const overlapSeconds = days === 0 ? 900 : days * 86_400;
      const [{ query } = {}] = asked(rig, `POST /${entity}/search`);
      assert.deepEqual(query, {
        field: 'updated_at',
        operator: '>',
        value: START_MS / 1000 - overlapSeconds,
      });
      const fresh = rig.copyWith({});
      await fresh.sync(entity);
      assert.deepEqual(rig.copy.rows(entity), fresh.rows(entity));
      assert.notDeepEqual(rig.copy.rows(entity), before);

      await rig.change('delete', entity, { per_page: 10 });
      rig.passHours(1);
      await rig.copy.sync(entity);
      assert.deepEqual(rig.copy.rows(entity), fresh.rows(entity));
      rig.passHours(24);
      assert.equal((await rig.copy.sync(entity)).mode, 'full');
      assert.equal(rig.copy.rows(entity).size, fresh.rows(entity).size - 1);
    });

  test('of satisfaction ratings takes up what came and changed', async () => {
    await using rig = await rigFor(KINDS['support-ticketing']);
    await rig.copy.sync('satisfaction_ratings');
    rig.passHours(2);
    await rig.change('update', 'satisfaction_ratings', { after: '', per_page: 3 });
    await rig.change('insert', 'satisfaction_ratings', { after: '', per_page: 3 });
    assert.equal((await rig.copy.sync('satisfaction_ratings')).seen.length, 2);
  });

  test('of what tickets have reads that of changed tickets only', async () => {
    await using rig = await rigFor(KINDS['support-ticketing'], 30);
    for (const entity of ['tickets', 'ticket_comments', 'ticket_audits', 'ticket_metrics'])
      assert.equal((await rig.copy.sync(entity)).mode, 'full');
    for (const { ticket_id: id } of rig.copy.rows('ticket_comments').values())
      assert.equal(typeof id, 'number');
    rig.passHours(2);
    await rig.change('update', 'tickets', { after: '', per_page: 10 });
    await rig.copy.sync('tickets');
    rig.sandbox.resetRequests();
    for (const [entity, path] of [
      ['ticket_comments', 'comments'],
      ['ticket_audits', 'audits'],
      ['ticket_metrics', 'metrics'],
    ] as const) {
      const { mode, seen, pages } = await rig.copy.sync(entity);
      assert.deepEqual([mode, pages], ['increment', 1]);
      assert.ok(seen.length > 0);
      for (const key of seen) assert.equal(rig.copy.rows(entity).get(key)?.['ticket_id'], 11);
      assert.equal(asked(rig, `GET /tickets/{ticket_id}/${path}`).length, 1);
    }
    // Nothing else of the tickets changed: their records are as the list has them.
    const fresh = rig.copyWith({});
    await fresh.sync('tickets');
    await fresh.sync('ticket_metrics');
    assert.deepEqual(rig.copy.rows('ticket_metrics'), fresh.rows('ticket_metrics'));
  });

  test('counts a ticket that is gone by now as one without comments', async () => {
    await using rig = await rigFor(KINDS['support-ticketing'], 30);
    await rig.copy.sync('tickets');
    await rig.change('delete', 'tickets', { after: '', per_page: 10 });
    assert.equal((await rig.copy.sync('ticket_comments')).refused, 1);
    assert.equal((await rig.copy.sync('ticket_audits')).refused, 1);
  });
});

/** Seconds since 1970 of a time that is written as such, or as ISO 8601. */
function secondsOf(time: unknown): number {
  return typeof time === 'number' ? time : Date.parse(String(time)) / 1000;
}

describe('a start date', () => {
  for (const [kind, entity, field] of [
    [KINDS['customer-messaging'], 'conversations', 'updated_at'],
    [KINDS['support-chat'], 'chats', 'update_timestamp'],
  ] as const)
    test(`bounds ${entity}, in full reads and in increments`, async () => {
      await using rig = await rigFor(kind);
      const all = rig.copyWith({});
      await all.sync(entity);
      const times = [...all.rows(entity).values()]
        .map((row) => secondsOf(row[field]))
        .toSorted((a, b) => a - b);
      const start = (times[Math.floor(times.length / 2)] ?? 0) + 1;
      const start_date = `${new Date(start * 1000).toISOString().slice(0, 19)}Z`;
      const copy = rig.copyWith({ start_date });
      await copy.sync(entity);
      const expected = [...all.rows(entity)].filter(([, row]) => secondsOf(row[field]) > start);
      assert.ok(expected.length > 0 && expected.length < times.length);
      assert.deepEqual(new Set(copy.rows(entity).keys()), new Set(expected.map(([key]) => key)));
    });

  test('bounds neither contacts nor agents', async () => {
    for (const [kind, entity] of [
      [KINDS['customer-messaging'], 'contacts'],
      [KINDS['support-chat'], 'agents'],
    ] as const) {
      await using rig = await rigFor(kind);
      const copies = [rig.copyWith({}), rig.copyWith({ start_date: '2026-01-15T00:00:00Z' })];
      for (const copy of copies) await copy.sync(entity);
      assert.deepEqual(copies[0]?.rows(entity), copies[1]?.rows(entity));
    }
  });

  test('in the future, or just now, asks for no time that the upstream would refuse', async () => {
    await using rig = await rigFor(KINDS['support-chat']);
    for (const start_date of ['2026-01-31T23:59:59Z', '2030-01-01T00:00:00Z']) {
      rig.sandbox.resetRequests();
      await rig.copyWith({ start_date }).sync('chats');
      const [params] = asked(rig, 'GET /incremental/chats');
      assert.equal(params?.['start_time'], String(START_MS / 1000 - 600));
    }
  });
});
