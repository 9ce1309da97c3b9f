import { randomBytes } from 'node:crypto';
import { openStore } from '@patchbay/store';
import { createBenchDatabase, type BenchDatabase } from '../support/bench-database.ts';
import type { BenchOptions } from '../support/bench-options.ts';
import { startServerProcess } from '../processes/child.ts';
import { addIdleConnectors } from '../support/idle-connectors.ts';
import { median, rounded, type BenchResult } from '../support/measure.ts';
import { serviceCalls, type ServiceCalls } from '../support/service-calls.ts';

const FEW = 1_000;
const MANY = 100_000;
const APPLICATIONS = 100;
/** Of what takes a millisecond or few: the first ones are not measured. */
const TIMES = 300;
const WARM_UP = 30;
const STARTS = 3;
/** What many may take of what few take. */
const MOST = 1.2;
const LATER = { dueInSeconds: 86_400, overSeconds: 900 };

/** Start, look, list and lookup beside many idle connectors, each against the same beside few. */
export async function costOfIdleConnectors({
  rows = MANY,
  databaseUrl,
}: BenchOptions): Promise<readonly BenchResult[]> {
  const few = await beside(FEW, databaseUrl);
  const many = await beside(rows, databaseUrl);
  return Object.entries(many).flatMap(([what, value]) => {
    const of = `${what}, ${FEW} idle connectors`;
    const least = few[what] ?? Number.NaN;
    return [
      { name: of, value: rounded(least), unit: 'ms' },
      {
        name: `${what}, ${rows} idle connectors`,
        value: rounded(value),
        unit: 'ms',
        of,
        ratio: rounded(value / least),
        aim: rounded(least * MOST),
      },
    ];
  });
}

/** Milliseconds of each, beside that many. */
async function beside(
  count: number,
  databaseUrl: string | undefined,
): Promise<Readonly<Record<string, number>>> {
  await using database = await createBenchDatabase(databaseUrl);
  await addIdleConnectors(database, { count, applications: APPLICATIONS, ...LATER });
  const look = await timeOfLooks(database);
  const environment = {
    ...database.environment,
    // Nothing is there, and nothing is asked of it.
    BENCH_UPSTREAM: 'http://127.0.0.1:9',
    BENCH_MASTER_KEY: randomBytes(32).toString('hex'),
    BENCH_CLIENT_SECRET: randomBytes(32).toString('hex'),
  };
  const starts: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const startedAt = performance.now();
    await using _service = await startServerProcess('replica-process.ts', environment);
    starts.push(performance.now() - startedAt);
  }
  // It begins no syncs, which would be in the way.
  const api = { ...environment, BENCH_ROLE: 'api' };
  await using process = await startServerProcess('replica-process.ts', api);
  await using service = serviceCalls(process.ready, 1);
  return { start: median(starts), look, ...(await timesOfCalls(service)) };
}

async function timeOfLooks({ environment }: BenchDatabase): Promise<number> {
  const { BENCH_DATABASE: databaseUrl, BENCH_FOLDER: dataFolder } = environment;
  await using store = await openStore(
    databaseUrl === undefined ? { dataFolder: dataFolder ?? '' } : { databaseUrl },
  );
  return await medianOf(() => store.syncs.dueConnectors(100));
}

const CONNECTORS = '/v1/integrations/connectors';
const LISTED = 50;

async function timesOfCalls(service: ServiceCalls): Promise<Readonly<Record<string, number>>> {
  const ids: string[] = [];
  for (let number = 0; number < LISTED; number += 1) {
    const created = await service.call('POST', CONNECTORS, {
      external_user_id: 'bench',
      name: `Bench ${number}`,
      connector_type: 'customer-messaging',
      credentials: { access_token: `token-${number}` },
    });
    // As docs/wire.md has it.
    ids.push((created as { readonly id: string }).id);
  }
  return {
    list: await medianOf(() => service.call('GET', `${CONNECTORS}?limit=${LISTED}`)),
    lookup: await medianOf(() => service.call('GET', `${CONNECTORS}/${ids[LISTED / 2] ?? ''}`)),
  };
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let time = -WARM_UP; time < TIMES; time += 1) {
    const startedAt = performance.now();
    await work();
    if (time >= 0) times.push(performance.now() - startedAt);
  }
  return median(times);
}
