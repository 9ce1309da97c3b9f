import { cpus, totalmem } from 'node:os';
import type { Statements } from './bench-database.ts';

/** What a benchmark ran on. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGib: number;
  readonly node: string;
  readonly database: string;
  /** What was set of the database that decides how fast it is; of an embedded one nothing is ours to set. */
  readonly settings: Readonly<Record<string, string>>;
}

const SETTINGS = [
  'shared_buffers',
  'work_mem',
  'effective_cache_size',
  'random_page_cost',
  'max_parallel_workers_per_gather',
  'jit',
  'fsync',
  'synchronous_commit',
];

export async function describeMachine(statements: Statements): Promise<Machine> {
  const [row] = await statements.run('select version() as version');
  const settings: Record<string, string> = {};
  for (const name of SETTINGS) {
    const [shown] = await statements.run(`show ${name}`);
    settings[name] = String(shown?.[name]);
  }
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? '',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    database: /^\S+ \S+/.exec(String(row?.['version']))?.[0] ?? '',
    settings,
  };
}

/** CPU time that all the processes of the machine have used, in milliseconds. */
export function machineCpuMs(): number {
  return cpus().reduce(
    (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
    0,
  );
}
