import { createBenchDatabase, type Statements } from './support/bench-database.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { startServerProcess } from './support/child.ts';
import { percentiles, rounded, type BenchResult } from './support/measure.ts';
import { pause, replicate } from './support/replicated.ts';
import { searchCases, type SearchCase } from './support/search-cases.ts';
import { serviceCalls, type ServiceCalls } from './support/service-calls.ts';

const DEFAULT_ROWS = { embedded: 200_000, server: 1_000_000 } as const;
const DEFAULT_TENANTS = 1_000;
/** Contacts of a small connector. */
const SMALL_SCALE = 50;
const CREATED_AT_ONCE = 4;
const CONCURRENCIES = [1, 8] as const;
const WARM_UP = 5;
/** Each case is called so often, or for `MOST_MS` if that is shorter. */
const CALLS = 200;
const MOST_MS = 5_000;

/**
 * Searches over HTTP in one connector with many contacts and in one with few, beside a thousand small
 * ones; all were replicated from the sandbox. Then the same questions as SQL by hand on the same
 * tables, over one connection: the limit of what a search can be.
 */
export async function benchSearch(options: BenchOptions): Promise<readonly BenchResult[]> {
  const { databaseUrl, tenants = DEFAULT_TENANTS } = options;
  const defaultRows = databaseUrl === undefined ? DEFAULT_ROWS.embedded : DEFAULT_ROWS.server;
  const rows = options.rows ?? defaultRows;
  await using database = await createBenchDatabase(databaseUrl);
  const { measured, cases } = await measureService(rows, tenants, database.environment);
  await using statements = await database.connect();
  await statements.run('analyze');
  const limits = await measureStatements(cases, statements);
  return [...limits.values(), ...measured.map((result) => comparedWithLimit(result, limits))];
}

interface Measured extends BenchResult {
  readonly caseName: string;
}

async function measureService(
  rows: number,
  tenants: number,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly measured: readonly Measured[]; readonly cases: readonly SearchCase[] }> {
  await using upstream = await startServerProcess('tenants-process.ts', {
    BENCH_SCALE: String(rows),
    BENCH_SMALL_SCALE: String(SMALL_SCALE),
  });
  await using replica = await startServerProcess('replica-process.ts', {
    ...environment,
    BENCH_UPSTREAM: upstream.ready['intercom'] ?? '',
  });
  await using service = serviceCalls(replica.ready, Math.max(...CONCURRENCIES));
  const large = await loadConnector(service, 'large');
  const small = await loadConnector(service, 'small');
  for (let made = 1; made < tenants; made += CREATED_AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(CREATED_AT_ONCE, tenants - made) }, () =>
        loadConnector(service, 'small'),
      ),
    );
  const cases = [
    ...(await searchCases(service, large, 'large')),
    ...(await searchCases(service, small, 'small')),
  ];
  const measured: Measured[] = [];
  for (const each of cases)
    for (const concurrency of CONCURRENCIES)
      measured.push(await measure(service, each, concurrency));
  return { measured, cases };
}

async function loadConnector(service: ServiceCalls, token: string): Promise<string> {
  const { connectorId, seconds } = await replicate(service, token);
  await pause(service, connectorId);
  if (token === 'large')
    console.error(`replicated the large connector in ${Math.round(seconds)} s`);
  return connectorId;
}

async function measure(
  service: ServiceCalls,
  { name, connectorId, params, aimMs }: SearchCase,
  concurrency: number,
): Promise<Measured> {
  const path = `/api/v1/connectors/sources/${connectorId}/execute`;
  const body = { entity: 'contacts', action: 'search', params };
  const times = await timed(() => service.call('POST', path, body), concurrency);
  const { p50, p95, p99 } = percentiles(times);
  return {
    caseName: name,
    name: `${name}, concurrency ${concurrency}`,
    value: rounded(p50),
    unit: 'ms (p50)',
    p95: rounded(p95),
    p99: rounded(p99),
    ...(concurrency === 1 ? { aim: aimMs } : {}),
  };
}

async function measureStatements(
  cases: readonly SearchCase[],
  statements: Statements,
): Promise<ReadonlyMap<string, BenchResult>> {
  const limits = new Map<string, BenchResult>();
  for (const { name, sql } of cases) {
    const times = await timed(() => statements.run(sql.text, sql.values), 1);
    const value = rounded(percentiles(times).p50);
    limits.set(name, { name: `SQL by hand: ${name}`, value, unit: 'ms (p50)' });
  }
  return limits;
}

function comparedWithLimit(
  { caseName, ...result }: Measured,
  limits: ReadonlyMap<string, BenchResult>,
): BenchResult {
  const limit = limits.get(caseName);
  if (limit === undefined || !result.name.endsWith('concurrency 1')) return result;
  return { ...result, of: limit.name, overMs: rounded(result.value - limit.value) };
}

async function timed(run: () => Promise<unknown>, concurrency: number): Promise<readonly number[]> {
  for (let count = 0; count < WARM_UP; count++) await run();
  const times: number[] = [];
  const endsAt = performance.now() + MOST_MS;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (times.length < CALLS && performance.now() < endsAt) {
        const startedAt = performance.now();
        await run();
        times.push(performance.now() - startedAt);
      }
    }),
  );
  return times;
}
