import { parseArgs } from 'node:util';
import { parseNumbers } from './neighbours/attack-numbers.ts';
import type { BenchOptions } from './support/bench-options.ts';
import type { BenchResult } from './support/measure.ts';

/** Each module is loaded only when it is run, so that it takes no memory from other benchmarks. */
const BENCHES: Readonly<
  Record<string, (options: BenchOptions) => Promise<readonly BenchResult[]>>
> = {
  library: async () => (await import('./library.ts')).benchLibrary(),
  execute: async () => (await import('./execute.ts')).benchExecute(),
  iterate: async () => (await import('./iterate.ts')).benchIterate(),
  sync: async (options) => (await import('./sync.ts')).benchSync(options),
  search: async (options) => (await import('./search.ts')).benchSearch(options),
  scale: async (options) => (await import('./scale.ts')).benchScale(options),
  capacity: async (options) => (await import('./capacity.ts')).benchCapacity(options),
  scheduler: async (options) => (await import('./scheduler.ts')).benchScheduler(options),
  queue: async (options) => (await import('./queue.ts')).benchQueue(options),
  'scale-citus': async (options) => (await import('./scale-citus.ts')).benchScaleCitus(options),
  console: async (options) => (await import('./console.ts')).benchConsole(options),
  neighbours: async (options) => (await import('./neighbours.ts')).benchNeighbours(options),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    json: { type: 'boolean', default: false },
    rows: { type: 'string' },
    database: { type: 'string' },
    tenants: { type: 'string' },
    only: { type: 'string', multiple: true },
    seconds: { type: 'string' },
    set: { type: 'string', multiple: true },
    elsewhere: { type: 'boolean', default: false },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
    reuse: { type: 'boolean', default: false },
    results: { type: 'boolean', default: false },
  },
});
const name = positionals[0] ?? '';
const run = BENCHES[name];
if (run === undefined || values.help) {
  const write = values.help ? console.log : console.error;
  write(
    `Usage: npm run bench -- <${Object.keys(BENCHES).join('|')}> [--json]\n` +
      '       sync, queue, scheduler, search, scale, capacity and neighbours take [--rows N]\n' +
      '       and [--database postgres://…],\n' +
      '       queue [--seconds S], search [--tenants M] [--seed N] [--only PART-OF-A-NAME]… [--seconds S] too,\n' +
      '       and [--keep] or [--reuse] of its database, [--results] into docs/benchmarks.md,\n' +
      '       capacity [--only PART]…,\n' +
      '       sync [--only memory],\n' +
      '       scheduler [--only simulation|looks] [--results],\n' +
      '       console [--only form|trial],\n' +
      '       neighbours [--only ATTACK]… [--seconds S] [--set NUMBER=N]… [--elsewhere]',
  );
  process.exitCode = values.help ? 0 : 2;
} else {
  const results = await run({
    rows: values.rows === undefined ? undefined : Number(values.rows),
    databaseUrl: values.database,
    tenants: values.tenants === undefined ? undefined : Number(values.tenants),
    only: values.only,
    seconds: values.seconds === undefined ? undefined : Number(values.seconds),
    numbers: parseNumbers(values.set ?? []),
    elsewhere: values.elsewhere,
    seed: values.seed === undefined ? undefined : Number(values.seed),
    keep: values.keep,
    reuse: values.reuse,
    results: values.results,
  });
  if (values.json) console.log(JSON.stringify({ bench: name, results }));
  else console.table(results.map((result) => ({ of: '', ratio: '', ...result })));
}
