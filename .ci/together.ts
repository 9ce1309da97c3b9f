/**
 * Test files in one process, since what a process of its own takes each of them is more than they do. Every one of them
 * passes by itself, too. `.ci/test` starts this under the name of a group, beside which a list names the group's files.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe } from 'node:test';

const [, entry = ''] = process.argv;
const files = readFileSync(entry.replace(/\.test\.ts$/, '.list'), 'utf8')
  .trim()
  .split('\n');

// Hooks of a file are those of the suite that it is loaded in: a database and a service go before the next file has
// its own. It is loaded at once: the runner knows what belongs to a suite only until that first waits for something.
const load = createRequire(import.meta.url);
for (const file of files) describe(file, () => void load(`../${file}`));
