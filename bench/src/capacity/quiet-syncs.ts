import { setTimeout as wait } from 'node:timers/promises';
import { createBenchDatabase, type Statements } from '../support/bench-database.ts';
import { cpuOf, startBenchFleet } from './bench-fleet.ts';
import type { BenchOptions } from '../support/bench-options.ts';
import { syncLoad } from './fleet-load.ts';
import type { BenchResult } from '../support/measure.ts';

const CONNECTORS = 8;
const CONTACTS = 30;
const DEFAULT_DATABASE = 'postgres://postgres@127.0.0.1:5432/postgres';

/**
 * What a scheduled sync costs a worker where hardly anything has changed: of small Intercom accounts, which are
 * all made due at once.
 */
export async function costOfQuietSyncs({
  databaseUrl,
}: BenchOptions): Promise<readonly BenchResult[]> {
  await using database = await createBenchDatabase(databaseUrl ?? DEFAULT_DATABASE);
  await using fleet = await startBenchFleet(database, { contacts: CONTACTS, apis: 1 });
  await fleet.startWorker();
  await syncLoad(
    fleet,
    Array.from({ length: CONNECTORS }, (_, index) => `account-${index}`),
  );
  await using statements = await database.connect();
  await untilEnded(statements, CONNECTORS);
  const before = await cpuOf(fleet.workers);
  const startedAt = performance.now();
  await statements.run('update patchbay.connector_syncs set due_at = now()');
  await statements.run('update patchbay.sync_queue set look_at = now(), wakes = wakes + 1');
  await untilEnded(statements, 2 * CONNECTORS);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuMicroseconds = ((await cpuOf(fleet.workers)) - before) / CONNECTORS;
  return [
    { name: 'quiet syncs by 1 worker', value: Math.round(CONNECTORS / seconds), unit: '/s' },
    { name: 'CPU of the worker', value: Math.round(cpuMicroseconds), unit: 'µs per quiet sync' },
  ];
}

async function untilEnded(statements: Statements, runs: number): Promise<void> {
  for (;;) {
    const [ended] = await statements.run(
      'select count(*)::int as runs from patchbay.sync_runs where finished_at is not null',
    );
    if (Number(ended?.['runs']) >= runs) return;
    await wait(100);
  }
}
