import { createBenchDatabase, type BenchDatabase } from './support/bench-database.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { startServerProcess } from './processes/child.ts';
import { rounded, type BenchResult } from './support/measure.ts';
import { pause, replicate } from './support/replicated.ts';
import { serviceCalls } from './support/service-calls.ts';
import { memoryOfWorker } from './support/worker-memory.ts';

const DEFAULT_ROWS = { embedded: 50_000, server: 200_000 } as const;
const DEFAULT_SERVER = 'postgres://postgres@127.0.0.1:5432/postgres';
const SMALL_RECORDS = 1_500_000;
const UNIT = 'records/s';
/** V8 by default collects garbage as late as memory allows; with these, as a worker has them, sooner. */
const SMALL_HEAP = ['--max-semi-space-size=32', '--max-old-space-size=1024'];

/**
 * Replicates an Intercom account with that many contacts (and its conversations and companies) from
 * the sandbox, then copies the same rows into empty tables with the same indexes by COPY, which is as
 * fast as they can get in. Sandbox, service and database are processes of their own. `--only memory` is a
 * worker's peak memory while it copies `--rows` small records into a server instead.
 */
export async function benchSync({
  rows,
  databaseUrl,
  only,
}: BenchOptions): Promise<readonly BenchResult[]> {
  if (only?.includes('memory') === true)
    return await memoryOfWorker(databaseUrl ?? DEFAULT_SERVER, {
      records: rows ?? SMALL_RECORDS,
      flags: SMALL_HEAP,
    });
  const scale = rows ?? (databaseUrl === undefined ? DEFAULT_ROWS.embedded : DEFAULT_ROWS.server);
  const [synced, copied, name] = await syncAndCopy(scale, databaseUrl);
  await using another = await createBenchDatabase(databaseUrl);
  const small = await syncOnce(scale, another, SMALL_HEAP);
  const syncRate = synced.records / synced.seconds;
  const copyRate = copied.records / copied.seconds;
  const limit = `COPY into the same tables, ${name}`;
  return [
    { name: limit, value: Math.round(copyRate), unit: UNIT },
    {
      name: `sync of ${synced.records} records, ${name}`,
      value: Math.round(syncRate),
      unit: UNIT,
      of: limit,
      ratio: rounded(syncRate / copyRate),
    },
    { name: 'peak memory of the service', value: synced.peakMegabytes, unit: 'MB' },
    { name: `the same with ${SMALL_HEAP.join(' ')}`, value: small.peakMegabytes, unit: 'MB' },
    {
      name: 'its sync',
      value: Math.round(small.records / small.seconds),
      unit: UNIT,
      of: limit,
      ratio: rounded(small.records / small.seconds / copyRate),
    },
  ];
}

async function syncAndCopy(scale: number, databaseUrl: string | undefined) {
  await using database = await createBenchDatabase(databaseUrl);
  const synced = await syncOnce(scale, database, []);
  return [synced, await copyTables(database), database.name] as const;
}

async function syncOnce(scale: number, database: BenchDatabase, nodeFlags: readonly string[]) {
  await using sandbox = await startServerProcess('sandbox-process.ts', {
    BENCH_SCALE: String(scale),
  });
  await using replica = await startServerProcess(
    'replica-process.ts',
    { ...database.environment, BENCH_UPSTREAM: sandbox.ready['intercom'] ?? '' },
    nodeFlags,
  );
  await using service = serviceCalls(replica.ready, 1);
  const { connectorId, seconds, records } = await replicate(service, 'bench');
  const peakMegabytes = Math.round((await replica.usage()).peakBytes / 1e6);
  await pause(service, connectorId);
  const total = [...records.values()].reduce((sum, count) => sum + count, 0);
  return { seconds, records: total, peakMegabytes };
}

/** Copies every table of copies into an empty twin with the same indexes. */
async function copyTables(database: BenchDatabase) {
  await using statements = await database.connect();
  const tables = await statements.run(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
      where table_schema = 'patchbay' and column_name = 'record_key' order by 1`,
  );
  let records = 0;
  let seconds = 0;
  for (const [index, { name }] of tables.entries()) {
    const twin = `patchbay.bench_twin_${index}`;
    const [counted] = await statements.run(`select count(*)::int as records from ${String(name)}`);
    if (Number(counted?.['records']) === 0) continue;
    await statements.run(`create table ${twin} (like ${String(name)} including all)`);
    const copied = await statements.copy(String(name), twin);
    records += Number(counted?.['records']);
    seconds += copied.seconds;
  }
  return { records, seconds };
}
