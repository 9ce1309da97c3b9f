/**
 * A process of its own that opens a store: `node store-process.ts <options as JSON> [organizations]`.
 * It prints `opened`, or the code of the error; then stores that many organizations, printing each
 * id once it is acknowledged; then closes when its input ends.
 */
import { randomUUID } from 'node:crypto';
import { argv, stdin } from 'node:process';
import { isStoreError, openStore, type StoreOptions } from '../../src/index.ts';

const [, , options = '{}', organizations = '0'] = argv;
try {
  // Proof: only startStoreProcess starts this file, with `StoreOptions` as JSON.
  await run(JSON.parse(options) as StoreOptions, Number(organizations));
} catch (error) {
  if (!isStoreError(error)) throw error;
  say(error.code);
}

async function run(storeOptions: StoreOptions, count: number): Promise<void> {
  await using store = await openStore(storeOptions);
  say('opened');
  for (let stored = 0; stored < count; stored += 1) {
    const id = randomUUID();
    await store.organizations.create({ id, name: 'acknowledged' });
    say(id);
  }
  for await (const input of stdin) void input;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
