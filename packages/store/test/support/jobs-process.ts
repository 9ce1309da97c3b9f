/**
 * A process of its own that has jobs: `node jobs-process.ts <options as JSON> send <prefix> <count>`
 * sends so many and prints `sent`; `... hold` takes jobs, prints the key of each, and never ends one.
 * Both close when their input ends.
 */
import { argv, stdin } from 'node:process';
import { openStore, type Store, type StoreOptions } from '../../src/index.ts';

const [, , options = '{}', act = '', prefix = '', count = '0'] = argv;
// Proof: only startProcess starts this file, with `StoreOptions` as JSON.
await using store = await openStore(JSON.parse(options) as StoreOptions);
await (act === 'send' ? send(store) : hold(store));
for await (const input of stdin) void input;

async function send({ jobs }: Store): Promise<void> {
  const keys = Array.from({ length: Number(count) }, (_, index) => `${prefix}-${index}`);
  await Promise.all(keys.map((key) => jobs.send('sync-connector', key)));
  say('sent');
}

async function hold({ jobs }: Store): Promise<void> {
  await jobs.work('sync-connector', { concurrency: 1, pollMs: 20 }, async ({ key, signal }) => {
    say(key);
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
