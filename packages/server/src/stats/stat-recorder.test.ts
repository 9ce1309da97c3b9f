import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { StatRow } from '@patchbay/store';
import { systemClock } from '@patchbay/connectors/engine';
import type { CountedCall } from '../service-observer.ts';
import { StatRecorder, WHOLE_SERVICE } from './stat-recorder.ts';

const ROUTE = '/execute';
const APPLICATION = randomUUID();
const CONNECTOR = { id: randomUUID(), applicationId: APPLICATION, kind: 'chat-workspace' };

function makeRecorder() {
  const stored: StatRow[] = [];
  const statements: number[] = [];
  const warnings: string[] = [];
  let now = Date.parse('2026-11-22T10:00:59.900Z');
  let isDown = false;
  const recorder = new StatRecorder({
    store: {
      stats: {
        add: async (rows) => {
          if (isDown) throw new Error('the database is down');
          statements.push(rows.length);
          stored.push(...rows);
        },
        series: async () => [],
        deleteOlderThan: async () => 0,
      },
    },
    clock: { ...systemClock, now: () => now },
    logger: { warn: (_: unknown, message: string) => void warnings.push(message) } as never,
    callRoutes: new Set([ROUTE]),
    everyMs: 3_600_000,
  });
  return {
    recorder,
    stored,
    statements,
    warnings,
    later: (ms: number) => {
      now += ms;
    },
    setDown: (down: boolean) => {
      isDown = down;
    },
    of: (subjectId: string) => stored.filter((row) => row.subjectId === subjectId),
  };
}

function call(changes: Partial<CountedCall> = {}): CountedCall {
  const log = { connectorId: CONNECTOR.id, kind: CONNECTOR.kind, code: 'ok' } as const;
  return {
    route: ROUTE,
    method: 'POST',
    durationMs: 3,
    applicationId: APPLICATION,
    log,
    ...changes,
  };
}

test('what happens counts for the connector, its application and the service, by the minute', async () => {
  const { recorder, later, of } = makeRecorder();
  recorder.onCall(call());
  recorder.onCall(call({ log: { ...call().log, code: 'upstream_timeout' } }));
  const upstream = recorder.upstreamOf(CONNECTOR);
  upstream.onAttempt({ entity: 'users', action: 'list', number: 1, status: 200, durationMs: 1 });
  upstream.onBudgetWait({ priority: 'interactive', durationMs: 12.4 });
  later(200);
  recorder.onRecords(CONNECTOR, 'users', 7);
  recorder.onRecords(CONNECTOR, 'users', 0);
  await recorder.stop();
  for (const subject of [CONNECTOR.id, APPLICATION, WHOLE_SERVICE]) {
    const [first, second, ...more] = of(subject);
    assert.deepEqual(more, []);
    assert.partialDeepStrictEqual(first, {
      minute: new Date('2026-11-22T10:00:00Z'),
      calls: 2,
      errors: 1,
      upstreamRequests: 1,
      upstreamWaitMs: 12,
      records: 0,
    });
    assert.equal(
      first?.latency.reduce((sum, count) => sum + count, 0),
      2,
    );
    assert.partialDeepStrictEqual(second, { calls: 0, latency: [], records: 7 });
  }
});

test('calls are what executes, and no connector that somebody makes up has counts', async () => {
  const { recorder, stored, of } = makeRecorder();
  recorder.onCall(call({ applicationId: undefined }));
  recorder.onCall(call({ route: undefined }));
  const stranger = randomUUID();
  recorder.onCall(call({ route: '/v1/other', log: { connectorId: stranger, code: 'ok' } }));
  await recorder.store();
  assert.deepEqual(stored, []);
  recorder.onCall(call({ log: { connectorId: stranger, code: 'connector_not_found' } }));
  recorder.onCall(call({ route: '/mcp' }));
  recorder.upstreamOf({ kind: 'chat-workspace' }).onBudgetWait({
    priority: 'background',
    durationMs: 5,
  });
  await recorder.stop();
  assert.deepEqual(of(stranger), []);
  assert.deepEqual([of(APPLICATION)[0]?.calls, of(APPLICATION)[0]?.errors], [2, 1]);
  assert.deepEqual([of(CONNECTOR.id)[0]?.calls, of(WHOLE_SERVICE)[0]?.upstreamWaitMs], [1, 5]);
});

test('what could not be stored is stored with what comes next, once', async () => {
  const { recorder, setDown, warnings, of } = makeRecorder();
  recorder.onCall(call());
  setDown(true);
  await recorder.store();
  recorder.onRecords(CONNECTOR, 'users', 2);
  recorder.onCall(call());
  await recorder.store();
  assert.equal(warnings.length, 2);
  setDown(false);
  await recorder.stop();
  const rows = of(CONNECTOR.id);
  assert.equal(rows.length, 1);
  assert.deepEqual([rows[0]?.calls, rows[0]?.records], [2, 2]);
  assert.equal(
    rows[0]?.latency.reduce((sum, count) => sum + count, 0),
    2,
  );
});

test('a statement has at most 1,000 rows, and no more wait than there is room for', async () => {
  const { recorder, statements, warnings, of } = makeRecorder();
  for (let index = 0; index < 25_000; index += 1)
    recorder.onRecords({ ...CONNECTOR, id: randomUUID() }, 'users', 1);
  await recorder.stop();
  assert.equal(
    statements.reduce((sum, rows) => sum + rows, 0),
    20_000,
  );
  assert.ok(Math.max(...statements) <= 1_000);
  assert.equal(of(APPLICATION)[0]?.records, 25_000, 'the application is counted in full');
  assert.equal(warnings.length, 1);
});
