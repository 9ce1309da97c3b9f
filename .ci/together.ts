/**
 * Test files in one process, since what a process of its own takes each of them is more than they do. Every one of them
 * passes by itself, too. `.ci/test` starts this under the name of a group, beside which a list names the group's files.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';

const [, entry = ''] = process.argv;
const files = readFileSync(entry.replace(/\.test\.ts$/, '.list'), 'utf8')
  .trim()
  .split('\n');
const load = async (file: string) => void (await import(`../${file}`));

// Hooks of a file are those of what it is loaded in: a database and a service go before the next file has its own.
// The many small ones, which have none, cost less in a suite; a suite waits for what it imports.
if (basename(entry) === 'sources.test.ts')
  describe('sources', async () => {
    for (const file of files) await load(file);
  });
else for (const file of files) test(file, () => load(file));
