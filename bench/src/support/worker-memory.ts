import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createBenchDatabase, type BenchDatabase } from './bench-database.ts';
import { startServerProcess, type ServerProcess } from '../processes/child.ts';
import type { BenchResult } from './measure.ts';
import { pause, replicate } from './replicated.ts';
import { serviceCalls } from './service-calls.ts';

const LOOK_MS = 10_000;

/**
 * The most memory that a worker with the flags of `patchbay start --role worker` has while it copies an account of
 * that many small records, and what it had on the way.
 */
export async function memoryOfWorker(
  databaseUrl: string,
  { records, flags }: { readonly records: number; readonly flags: readonly string[] },
): Promise<readonly BenchResult[]> {
  await using database = await createBenchDatabase(databaseUrl);
  await using upstream = await startServerProcess('small-records-process.ts', {
    BENCH_RECORDS: String(records),
  });
  const environment = {
    ...database.environment,
    BENCH_UPSTREAM: upstream.ready['intercom'] ?? '',
    BENCH_MASTER_KEY: randomBytes(32).toString('hex'),
    BENCH_CLIENT_SECRET: randomBytes(32).toString('hex'),
  };
  const role = (name: string) => ({ ...environment, BENCH_ROLE: name });
  await using api = await startServerProcess('replica-process.ts', role('api'));
  await using worker = await startServerProcess('replica-process.ts', role('worker'), flags);
  await using service = serviceCalls(api.ready, 1);
  const ended = new AbortController();
  const watched = watch(worker, database, ended.signal);
  try {
    const copy = await replicate(service, 'bench');
    await pause(service, copy.connectorId);
    const peakBytes = (await worker.usage()).peakBytes;
    const copied = [...copy.records.values()].reduce((sum, count) => sum + count, 0);
    const of = `of a worker that copied ${copied} small records`;
    return [
      { name: `peak memory ${of}`, value: Math.round(peakBytes / 1e6), unit: 'MB' },
      { name: `rate ${of}`, value: Math.round(copied / copy.seconds), unit: 'records/s' },
    ];
  } finally {
    ended.abort();
    await watched;
  }
}

/** Says now and then how far it is, since it takes minutes. */
async function watch(
  worker: ServerProcess,
  database: BenchDatabase,
  signal: AbortSignal,
): Promise<void> {
  await using statements = await database.connect();
  while (!signal.aborted) {
    const [counted] = await statements.run(
      `select coalesce(sum(record_count), 0)::int as records from patchbay.entity_syncs`,
    );
    const { peakBytes } = await worker.usage();
    console.error(`${String(counted?.['records'])} records: ${Math.round(peakBytes / 1e6)} MB`);
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
