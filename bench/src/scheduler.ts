import { mkdir, writeFile } from 'node:fs/promises';
import { openStore, type Store } from '@patchbay/store';
import { createBenchDatabase, type BenchDatabase } from './support/bench-database.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { fillQueue } from './support/idle-connectors.ts';
import { median, rounded, type BenchResult } from './support/measure.ts';
import { chartOfCurves } from './capacity/schedule-chart.ts';
import { simulate, type Schedule } from './capacity/schedule-model.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const CONNECTORS = 1_000_000;
const SMALL_APPLICATIONS = 1_000;
const LOOKS = 20;

/** As `DEFAULT_REPLICATION` has it; a third more room than the interval needs. */
const SCHEDULE = {
  interval: 900,
  jitter: 0.1,
  lookEvery: 1,
  syncTakes: 5,
  duration: 3 * 3_600,
  seed: 1,
};

/**
 * A million connectors, nine tenths of them of one application beside a thousand small ones, after an outage of
 * hours. How syncs spread over the hours that follow is simulated, with a clock that is moved by hand; what a look
 * costs is measured, on a queue of as many rows. `--only simulation` and `--only looks` are the two parts.
 */
export async function benchScheduler({
  rows = CONNECTORS,
  databaseUrl,
  seed = SCHEDULE.seed,
  results: writes,
  only,
}: BenchOptions): Promise<readonly BenchResult[]> {
  const small = Math.floor(rows / 10 / SMALL_APPLICATIONS);
  const applications = [
    rows - small * SMALL_APPLICATIONS,
    ...Array.from({ length: SMALL_APPLICATIONS }, () => small),
  ];
  const capacity = Math.ceil((rows / SCHEDULE.interval) * (4 / 3));
  const schedule = { ...SCHEDULE, applications, capacity, seed };
  const has = (part: string) => only === undefined || only.includes(part);
  return [
    ...(has('simulation') ? await simulation(schedule, { rows, writes }) : []),
    ...(has('looks') ? await looks(rows, databaseUrl) : []),
    ...(has('looks') ? await looks(Math.ceil(rows / 1_000), databaseUrl) : []),
  ];
}

async function simulation(
  schedule: Schedule,
  { rows, writes }: { readonly rows: number; readonly writes: boolean },
): Promise<readonly BenchResult[]> {
  const spread = simulate(schedule);
  const together = simulate({ ...schedule, jitter: 0 });
  const [large = 0, ...others] = spread.caughtUp;
  const of = `${rows.toLocaleString('en')} connectors after an outage`;
  if (writes) {
    await mkdir(new URL('benchmarks/', DOCS), { recursive: true });
    await writeFile(
      new URL('benchmarks/scheduler.svg', DOCS),
      chartOfCurves(`Connectors that fall due in a second, of ${of}`, {
        curves: [
          { name: 'interval give or take a tenth', colour: '#1d5fbf', values: spread.fallen },
          { name: 'interval to the second', colour: '#c0392b', values: together.fallen },
        ],
        secondsAPoint: 30,
      }),
    );
  }
  return [
    { name: `syncs that may begin, ${of}`, value: schedule.capacity, unit: '/s' },
    {
      name: 'until the last small application has caught up',
      value: Math.max(...others),
      unit: 's',
    },
    { name: 'until the large one has', value: large, unit: 's' },
    {
      name: 'most that wait in the third hour',
      value: mostInLastHour(spread.waiting),
      unit: 'connectors',
    },
    {
      name: 'most that fall due in a second of the third hour',
      value: mostInLastHour(spread.fallen),
      unit: '/s',
    },
    {
      name: 'the same with intervals to the second',
      value: mostInLastHour(together.fallen),
      unit: '/s',
    },
  ];
}

function mostInLastHour(values: readonly number[]): number {
  return Math.max(...values.slice(-3_600));
}

/** What a look takes where everything is due, and where nothing is. */
async function looks(
  count: number,
  databaseUrl: string | undefined,
): Promise<readonly BenchResult[]> {
  await using database = await createBenchDatabase(databaseUrl);
  const of = `${count.toLocaleString('en')} connectors, ${database.name}`;
  const applications = SMALL_APPLICATIONS + 1;
  await fillQueue(database, { count, applications, dueInSeconds: -10_800, overSeconds: 900 });
  const due = await medianLook(database);
  await fillQueue(database, { count, applications, dueInSeconds: 900, overSeconds: 900 });
  const idle = await medianLook(database);
  return [
    { name: `a look, all due, ${of}`, value: rounded(due), unit: 'ms' },
    { name: `a look, none due, ${of}`, value: rounded(idle), unit: 'ms' },
  ];
}

async function medianLook({ environment }: BenchDatabase): Promise<number> {
  const { BENCH_DATABASE: databaseUrl, BENCH_FOLDER: dataFolder } = environment;
  await using store: Store & AsyncDisposable = await openStore(
    databaseUrl === undefined ? { dataFolder: dataFolder ?? '' } : { databaseUrl },
  );
  const times: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    const startedAt = performance.now();
    await store.syncs.dueConnectors(100);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
