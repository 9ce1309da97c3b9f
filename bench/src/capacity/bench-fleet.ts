import { randomBytes } from 'node:crypto';
import type { BenchDatabase } from '../support/bench-database.ts';
import { startServerProcess, type ServerProcess } from '../processes/child.ts';
import { serviceCalls, type ServiceCalls } from '../support/service-calls.ts';

/** Processes of the roles api and worker on one database, before one simulated Intercom. */
export interface BenchFleet extends AsyncDisposable {
  readonly apis: readonly FleetApi[];
  readonly workers: readonly ServerProcess[];
  startWorker(): Promise<void>;
}

/** A process that answers calls, and a way to call it. */
export interface FleetApi {
  readonly process: ServerProcess;
  readonly calls: ServiceCalls;
}

/** Connections of the load to each process. */
const CONNECTIONS = 32;

/**
 * @param contacts Of every account.
 * @param apis How many processes answer calls. Of workers there is none yet.
 */
export async function startBenchFleet(
  database: BenchDatabase,
  { contacts, apis }: { readonly contacts: number; readonly apis: number },
): Promise<BenchFleet> {
  const sandbox = await startServerProcess('sandbox-process.ts', { BENCH_SCALE: String(contacts) });
  const environment = {
    ...database.environment,
    BENCH_UPSTREAM: sandbox.ready['intercom'] ?? '',
    BENCH_MASTER_KEY: randomBytes(32).toString('hex'),
    BENCH_CLIENT_SECRET: randomBytes(32).toString('hex'),
  };
  const start = (role: 'api' | 'worker') =>
    startServerProcess('replica-process.ts', { ...environment, BENCH_ROLE: role });
  const answering: FleetApi[] = [];
  for (let count = 0; count < apis; count++) {
    const process = await start('api');
    answering.push({ process, calls: serviceCalls(process.ready, CONNECTIONS) });
  }
  const workers: ServerProcess[] = [];
  return {
    apis: answering,
    workers,
    startWorker: async () => {
      workers.push(await start('worker'));
    },
    [Symbol.asyncDispose]: async () => {
      for (const { calls } of answering) await calls[Symbol.asyncDispose]();
      const processes = [...workers, ...answering.map(({ process }) => process), sandbox];
      for (const process of processes) await process[Symbol.asyncDispose]();
    },
  };
}

/** CPU time of all of them so far, in microseconds. */
export async function cpuOf(processes: readonly ServerProcess[]): Promise<number> {
  const usages = await Promise.all(processes.map((process) => process.usage()));
  return usages.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0);
}
