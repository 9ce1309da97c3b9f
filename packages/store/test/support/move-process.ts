/**
 * A process of its own that moves a database: `node move-process.ts <data folder and database URL as JSON>`.
 * It prints how many rows are there each time that changes, and `moved` at the end.
 */
import { argv } from 'node:process';
import { moveDatabase, type MoveOptions } from '../../src/index.ts';

const [, , options = '{}'] = argv;
await moveDatabase({
  // Proof: only startProcess starts this file, with both as JSON.
  ...(JSON.parse(options) as Pick<MoveOptions, 'dataFolder' | 'databaseUrl'>),
  check: () => Promise.resolve(),
  onProgress: ({ done }) => process.stdout.write(`${done}\n`),
});
process.stdout.write('moved\n');
