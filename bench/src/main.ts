import { parseArgs } from 'node:util';
import type { BenchResult } from './support/measure.ts';

/** Loaded when run: what one benchmark needs is not to weigh on the memory of another. */
const BENCHES: Readonly<Record<string, () => Promise<readonly BenchResult[]>>> = {
  library: async () => (await import('./library.ts')).benchLibrary(),
  execute: async () => (await import('./execute.ts')).benchExecute(),
  iterate: async () => (await import('./iterate.ts')).benchIterate(),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const name = positionals[0] ?? '';
const run = BENCHES[name];
if (run === undefined) {
  console.error(`Usage: npm run bench -- <${Object.keys(BENCHES).join('|')}> [--json]`);
  process.exitCode = 2;
} else {
  const results = await run();
  console.table(results.map((result) => ({ of: '', ratio: '', ...result })));
  if (values.json) console.log(JSON.stringify({ bench: name, results }));
}
