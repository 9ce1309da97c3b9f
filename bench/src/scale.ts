import { createBenchDatabase } from './support/bench-database.ts';
import { startBenchFleet, type FleetApi } from './capacity/bench-fleet.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { callLoad, syncLoad, type Load } from './capacity/fleet-load.ts';
import { median, rounded, type BenchResult } from './support/measure.ts';

const DEFAULT_ROWS = 5_000;
const DEFAULT_DATABASE = 'postgres://postgres@127.0.0.1:5432/postgres';
const ROUNDS = 5;
const ROUND_MS = 2_000;
/** More than the slots that a worker gives to one application. */
const ACCOUNTS = 6;

const EXECUTE = { entity: 'contacts', action: 'list', params: { limit: 1 } };
const SEARCH = {
  entity: 'contacts',
  action: 'search',
  params: { query: { sort: [{ updated_at: 'desc' }] }, limit: 10 },
};

/**
 * The same work by one process and by two on one PostgreSQL: calls and searches of one api process against
 * two, in turns, and first copies of as many accounts by one worker and by two. Load, upstream and database
 * share the machine's cores with them, so that two processes can be twice as fast only where there are cores
 * for all; the CPU time of each does not depend on that.
 */
export async function benchScale({
  rows,
  databaseUrl,
}: BenchOptions): Promise<readonly BenchResult[]> {
  await using database = await createBenchDatabase(databaseUrl ?? DEFAULT_DATABASE);
  await using fleet = await startBenchFleet(database, { contacts: rows ?? DEFAULT_ROWS, apis: 2 });
  await fleet.startWorker();
  const byOne = await syncLoad(fleet, accounts('first'));
  await fleet.startWorker();
  const byTwo = await syncLoad(fleet, accounts('second'));
  const [connectorId = ''] = byOne.connectorIds;
  const calls = await inTurns(fleet.apis, { connectorId, call: EXECUTE });
  const searches = await inTurns(fleet.apis, { connectorId, call: SEARCH });
  return [
    ...lines('execute contacts.list', 'api', calls),
    ...lines('search, sorted, 10 of all', 'api', searches),
    ...lines(`sync of ${byOne.records} records, ${ACCOUNTS} accounts at once`, 'worker', {
      byOne,
      byTwo,
    }),
  ];
}

interface Compared {
  readonly byOne: Load;
  readonly byTwo: Load;
}

/** Medians of rounds that one process has, then both, so that a noisy machine hits both alike. */
async function inTurns(
  apis: readonly FleetApi[],
  work: { readonly connectorId: string; readonly call: Readonly<Record<string, unknown>> },
): Promise<Compared> {
  const one: Load[] = [];
  const two: Load[] = [];
  await callLoad(apis, { ...work, durationMs: ROUND_MS });
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await callLoad(apis.slice(0, 1), { ...work, durationMs: ROUND_MS }));
    two.push(await callLoad(apis, { ...work, durationMs: ROUND_MS }));
  }
  return { byOne: medianOf(one), byTwo: medianOf(two) };
}

function medianOf(loads: readonly Load[]): Load {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    cpuMicroseconds: median(loads.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  };
}

function lines(what: string, role: string, { byOne, byTwo }: Compared): readonly BenchResult[] {
  const limit = `${what}: 1 ${role}`;
  const cost = 'µs of CPU for each';
  return [
    { name: limit, value: Math.round(byOne.perSecond), unit: '/s' },
    {
      name: `${what}: 2 ${role}`,
      value: Math.round(byTwo.perSecond),
      unit: '/s',
      of: limit,
      ratio: rounded(byTwo.perSecond / byOne.perSecond),
    },
    { name: `${limit}, cost`, value: Math.round(byOne.cpuMicroseconds), unit: cost },
    {
      name: `${what}: 2 ${role}, cost`,
      value: Math.round(byTwo.cpuMicroseconds),
      unit: cost,
      of: `${limit}, cost`,
      ratio: rounded(byTwo.cpuMicroseconds / byOne.cpuMicroseconds),
    },
  ];
}

function accounts(name: string): readonly string[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => `${name}-${index}`);
}
