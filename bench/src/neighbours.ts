import { loadavg } from 'node:os';
import { ATTACKS, type Attack } from './neighbours/attacks.ts';
import { createBenchDatabase } from './support/bench-database.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { OPERATIONS } from './neighbours/light-load.ts';
import { rounded, type BenchResult } from './support/measure.ts';
import { NeighboursRun, type Phase } from './neighbours/neighbours-run.ts';
import { brokenPromises, worstRatio, type Promised } from './neighbours/neighbours-verdict.ts';

const DEFAULT_ROWS = 20_000;
const DEFAULT_SECONDS = 8;
const PROMISED = {
  embedded: { readMs: 1_000, healthMs: 250 },
  server: { readMs: 500, healthMs: 250 },
} as const satisfies Record<string, Promised>;

/** One phase; its columns beside those of every benchmark are in milliseconds unless named otherwise. */
interface NeighboursResult extends BenchResult {
  readonly [column: string]: string | number | undefined;
}

interface Comparison {
  readonly alone: Phase;
  readonly promised: Promised;
}

/**
 * Light tenants (GET, list, search and write at a modest rate), alone and then beside one attack
 * after another by other tenants. Service, light tenants, attackers and upstreams are processes of
 * their own; the service has a heap of 1 GiB.
 *
 * With `elsewhere` it is another service that is attacked: what the light tenants feel of that, they feel of
 * the machine, and no admission can spare them.
 */
export async function benchNeighbours(options: BenchOptions): Promise<readonly BenchResult[]> {
  const { databaseUrl, rows = DEFAULT_ROWS, seconds = DEFAULT_SECONDS, numbers } = options;
  const attacks = attacksNamed(options.only);
  const promised = databaseUrl === undefined ? PROMISED.embedded : PROMISED.server;
  await using database = await createBenchDatabase(databaseUrl);
  await using run = await NeighboursRun.start({ rows, environment: database.environment });
  await using other = options.elsewhere ? await startOther(databaseUrl, rows) : undefined;
  const alone = await run.measureAlone(seconds * 2);
  const results: NeighboursResult[] = [];
  const add = (name: string, phase: Phase) => {
    const result = resultOf(name, phase, { alone, promised });
    results.push(result);
    tell(result);
  };
  add('alone', alone);
  for (const attack of attacks)
    add(attack.name, await run.measureBeside(attack, { seconds, attacked: other?.run, numbers }));
  add('alone again', await run.measureAlone(seconds));
  return results;
}

async function startOther(databaseUrl: string | undefined, rows: number) {
  await using started = new AsyncDisposableStack();
  const database = started.use(await createBenchDatabase(databaseUrl, 'attacked'));
  const run = started.use(await NeighboursRun.start({ rows, environment: database.environment }));
  const all = started.move();
  return { run, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function attacksNamed(only: readonly string[] | undefined): readonly Attack[] {
  if (only === undefined) return ATTACKS;
  return only.map((name) => {
    const attack = ATTACKS.find((each) => each.name === name);
    if (attack !== undefined) return attack;
    const all = ATTACKS.map((each) => each.name).join(', ');
    throw new Error(`There is no attack ${name}; there are ${all}.`);
  });
}

function resultOf(name: string, phase: Phase, { alone, promised }: Comparison): NeighboursResult {
  const { light, lived, copySeconds, peakMegabytes, tally } = phase;
  const { operations } = light;
  const times = OPERATIONS.flatMap((operation) => {
    const { p50, p99 } = operations[operation];
    return [
      [`${operation} p50`, Math.round(p50)] as const,
      [`${operation} p99`, Math.round(p99)] as const,
    ];
  });
  const failures = OPERATIONS.flatMap((operation) =>
    Object.entries(operations[operation].failures).map(
      ([why, count]) => `${operation} ${count} × ${why}`,
    ),
  );
  return {
    name,
    value: rounded(Math.max(...OPERATIONS.map((operation) => operations[operation].p99))),
    unit: 'ms (p99 of the slowest)',
    of: 'alone',
    ratio: rounded(worstRatio(phase, alone)),
    ...Object.fromEntries(times),
    calls: OPERATIONS.reduce((sum, operation) => sum + operations[operation].calls, 0),
    failures: failures.join(', '),
    '/healthz': Math.round(light.health.longestMs),
    ...(copySeconds === undefined ? {} : { 'first copy, s': rounded(copySeconds) }),
    ...(peakMegabytes === undefined ? {} : { 'peak, MB': peakMegabytes }),
    process: lived ? 'lives' : 'ended',
    'slowest search': operations.search.slowest ?? '',
    'sent late': Math.round(light.latestMs),
    load: rounded(loadavg()[0] ?? Number.NaN),
    attack: tally,
    broken: brokenPromises(phase, alone, promised).join(', '),
  };
}

/** A run takes minutes: each phase is told as it ends. */
function tell(result: NeighboursResult): void {
  const times = OPERATIONS.map(
    (operation) => `${operation} ${result[`${operation} p50`]}/${result[`${operation} p99`]}`,
  );
  console.error(
    `${result.name}: ${times.join(', ')} ms, /healthz ${result['/healthz']} ms, ` +
      `slowest search ${result['slowest search']}, ` +
      `${result['peak, MB'] ?? '?'} MB: ${result['broken'] === '' ? 'kept' : result['broken']}`,
  );
}
