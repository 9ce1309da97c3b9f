import { cpuOf, type BenchFleet, type FleetApi } from './bench-fleet.ts';
import { throughput } from '../support/measure.ts';
import { replicate } from '../support/replicated.ts';

/** What some processes did, and what it cost them. */
export interface Load {
  readonly perSecond: number;
  /** CPU time of these processes for one of what was done, in microseconds. */
  readonly cpuMicroseconds: number;
}

type Call = Readonly<Record<string, unknown>>;

const CONCURRENCY = 32;

/** The same call for a while, to each of the processes in turn. */
export async function callLoad(
  apis: readonly FleetApi[],
  { connectorId, call, durationMs }: { connectorId: string; call: Call; durationMs: number },
): Promise<Load> {
  const path = `/api/v1/connectors/sources/${connectorId}/execute`;
  const processes = apis.map(({ process }) => process);
  let count = 0;
  const before = await cpuOf(processes);
  const perSecond = await throughput(
    async () => {
      const api = apis[count++ % apis.length];
      await api?.calls.call('POST', path, call);
    },
    { concurrency: CONCURRENCY, durationMs },
  );
  return { perSecond, cpuMicroseconds: ((await cpuOf(processes)) - before) / count };
}

/** First copies of new accounts at once, by all workers that there are. */
export async function syncLoad(
  { apis, workers }: BenchFleet,
  accounts: readonly string[],
): Promise<Load & { readonly connectorIds: readonly string[]; readonly records: number }> {
  const [api] = apis;
  if (api === undefined) throw new Error('somebody has to make the connectors');
  const before = await cpuOf(workers);
  const startedAt = performance.now();
  const copies = await Promise.all(accounts.map((account) => replicate(api.calls, account)));
  const seconds = (performance.now() - startedAt) / 1_000;
  const records = copies
    .flatMap((copy) => [...copy.records.values()])
    .reduce((sum, count) => sum + count, 0);
  return {
    perSecond: records / seconds,
    cpuMicroseconds: ((await cpuOf(workers)) - before) / records,
    connectorIds: copies.map(({ connectorId }) => connectorId),
    records,
  };
}
