import { parseArgs } from 'node:util';
import { benchExecute } from './execute.ts';
import { benchLibrary } from './library.ts';
import type { BenchResult } from './support/measure.ts';

const BENCHES: Readonly<Record<string, () => Promise<readonly BenchResult[]>>> = {
  library: benchLibrary,
  execute: benchExecute,
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
