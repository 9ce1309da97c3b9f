import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore, type Store } from '@patchbay/store';
import { createBenchDatabase, type BenchDatabase } from './support/bench-database.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { startServerProcess } from './processes/child.ts';
import { addIdleConnectors } from './support/idle-connectors.ts';
import { median, rounded, type BenchResult } from './support/measure.ts';
import { replicate } from './support/replicated.ts';
import { serviceCalls, type ServiceCalls } from './support/service-calls.ts';

const COUNTS = [1_000, 10_000, 100_000];
const APPLICATIONS = 100;
/** Not while anything is measured. */
const LATER = { dueInSeconds: 86_400, overSeconds: 900 };
/** An hour ago, all of them. */
const OVERDUE = { dueInSeconds: -3_600, overSeconds: 900 };
const DEFAULT_SECONDS = 20;
const ASKED = 10;
const AT_ONCE = 4;

/**
 * What finding due work costs beside that many connectors: an idle service, syncs that are asked for in the same
 * process and in another one, and how fast due connectors are found, taken and given back, with no work in between.
 * `--only idle` and `--only due` are the two parts.
 */
export async function benchQueue({
  rows,
  databaseUrl,
  seconds = DEFAULT_SECONDS,
  only,
}: BenchOptions): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = [];
  for (const count of rows === undefined ? COUNTS : [rows]) {
    const measured = { count, seconds };
    if (only?.includes('due') !== true) results.push(...(await withIdle(databaseUrl, measured)));
    if (only?.includes('idle') !== true) results.push(...(await withDue(databaseUrl, measured)));
  }
  return results;
}

async function withIdle(databaseUrl: string | undefined, measured: Measured) {
  await using database = await createBenchDatabase(databaseUrl);
  const { count } = measured;
  await addIdleConnectors(database, { count, applications: APPLICATIONS, ...LATER });
  return await besideIdle(database, measured);
}

async function withDue(databaseUrl: string | undefined, measured: Measured) {
  await using database = await createBenchDatabase(databaseUrl);
  const { count } = measured;
  await addIdleConnectors(database, { count, applications: APPLICATIONS, ...OVERDUE });
  return await startingWork(database, measured);
}

interface Measured {
  readonly count: number;
  readonly seconds: number;
}

async function besideIdle(
  database: BenchDatabase,
  { count, seconds }: Measured,
): Promise<readonly BenchResult[]> {
  const of = `${count} idle connectors, ${database.name}`;
  await using sandbox = await startServerProcess('sandbox-process.ts', { BENCH_SCALE: '20' });
  const isServer = database.environment['BENCH_DATABASE'] !== undefined;
  const environment = {
    ...database.environment,
    BENCH_UPSTREAM: sandbox.ready['intercom'] ?? '',
    BENCH_MASTER_KEY: randomBytes(32).toString('hex'),
    BENCH_CLIENT_SECRET: randomBytes(32).toString('hex'),
  };
  await using worker = await startServerProcess('replica-process.ts', environment);
  // What a start does is none of what an idle process does.
  await wait(5_000);
  const before = { ...(await worker.usage()), ...(await readLoad(database)) };
  await wait(seconds * 1_000);
  const after = { ...(await worker.usage()), ...(await readLoad(database)) };
  const perMinute = (from: number, to: number) => rounded(((to - from) * 60) / seconds);
  const results: BenchResult[] = [
    {
      name: `CPU of the service, ${of}`,
      value: perMinute(before.cpuMicroseconds / 1_000, after.cpuMicroseconds / 1_000),
      unit: 'ms/min',
    },
  ];
  if (isServer)
    results.push(
      {
        name: `transactions, ${of}`,
        value: perMinute(before.transactions, after.transactions),
        unit: '/min',
      },
      {
        name: `time of the database, ${of}`,
        value: perMinute(before.activeMs, after.activeMs),
        unit: 'ms/min',
      },
    );
  {
    await using service = serviceCalls(worker.ready, 1);
    results.push({
      name: `until a sync begins, same process, ${of}`,
      ...(await delays(service)),
      unit: 'ms',
    });
  }
  if (!isServer) return results;
  await using api = await startServerProcess('replica-process.ts', {
    ...environment,
    BENCH_ROLE: 'api',
  });
  await using other = serviceCalls(api.ready, 1);
  results.push({
    name: `until a sync begins, another process, ${of}`,
    ...(await delays(other)),
    unit: 'ms',
  });
  return results;
}

interface Load {
  readonly transactions: number;
  readonly activeMs: number;
}

/** Of all connections to the database, apart from the one that asks; of an embedded one nothing. */
async function readLoad(database: BenchDatabase): Promise<Load> {
  if (database.environment['BENCH_DATABASE'] === undefined) return { transactions: 0, activeMs: 0 };
  await using statements = await database.connect();
  const [load] = await statements.run(
    `select (xact_commit + xact_rollback)::float8 as transactions, active_time as "activeMs"
     from pg_stat_database where datname = current_database()`,
  );
  return { transactions: Number(load?.['transactions']), activeMs: Number(load?.['activeMs']) };
}

/** From the request for the first sync of a connector until it begins, by the database's clock. */
async function delays(
  service: ServiceCalls,
): Promise<{ readonly value: number; readonly p95: number }> {
  const found: number[] = [];
  for (let asked = 0; asked < ASKED; asked += 1) {
    const { connectorId } = await replicate(service, `queue-${randomUUID()}`);
    const runs = await service.call('GET', `/v1/integrations/connectors/${connectorId}/sync/runs`);
    // As docs/wire.md has it; the last is the first that there was.
    const [first] = (runs as { data: readonly Run[] }).data.slice(-1);
    if (first?.started_at == null) throw new Error('a sync has ended that never began');
    found.push(Date.parse(first.started_at) - Date.parse(first.requested_at));
    await service.call('DELETE', `/v1/integrations/connectors/${connectorId}`);
  }
  const sorted = found.toSorted((a, b) => a - b);
  return { value: median(found), p95: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0 };
}

interface Run {
  readonly requested_at: string;
  readonly started_at: string | null;
}

async function startingWork(
  database: BenchDatabase,
  { count, seconds }: Measured,
): Promise<readonly BenchResult[]> {
  const of = `${count} due connectors, ${database.name}`;
  const { BENCH_DATABASE: databaseUrl, BENCH_FOLDER: dataFolder } = database.environment;
  const place = databaseUrl === undefined ? { dataFolder: dataFolder ?? '' } : { databaseUrl };
  await using store = await openStore(place);
  const looks: number[] = [];
  let done = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  while (performance.now() < endsAt) {
    const lookedAt = performance.now();
    const due = await store.syncs.dueConnectors(100);
    looks.push(performance.now() - lookedAt);
    if (due.length === 0) break;
    const waiting = due.map(({ connectorId }) => connectorId);
    const work = async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if (performance.now() > endsAt) return;
        await startAndEnd(store, id);
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  const passed = (performance.now() - startedAt) / 1_000;
  return [
    { name: `a look, ${of}`, value: rounded(median(looks)), unit: 'ms' },
    { name: `begun and ended, ${of}`, value: rounded(done / passed), unit: '/s' },
  ];
}

async function startAndEnd({ syncs }: Store, connectorId: string): Promise<void> {
  if (!(await syncs.isDue(connectorId))) return;
  const lease = await syncs.takeLease({ connectorId, owner: 'bench', ttlMs: 60_000 });
  if (lease === undefined) return;
  const run = await syncs.startRun(lease, { id: randomUUID() });
  if (run !== undefined)
    await syncs.finishRun(lease, { runId: run.id, state: 'succeeded', nextInMs: 900_000 });
  await syncs.releaseLease(lease);
}
