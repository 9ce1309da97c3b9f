/**
 * A process of its own that reads an entity: `node sync-process.ts <options as JSON> <connector id>`.
 * It goes on with the read that it finds, page by page until it is killed, and prints the number of
 * each page once that is committed.
 */
import { argv } from 'node:process';
import { openStore, type StoreOptions } from '../../src/index.ts';
import { FULL, numberedPage, takeLease } from './sample-syncs.ts';

const [, , options = '{}', connectorId = ''] = argv;
// Proof: only startProcess starts this file, with `StoreOptions` as JSON.
const store = await openStore(JSON.parse(options) as StoreOptions);
const lease = await takeLease(store, { connectorId });
const { position } = await store.syncs.beginRead(lease, FULL);
for (let number = Number(position) + 1; ; number += 1) {
  await store.syncs.commitBatch(lease, numberedPage(number));
  process.stdout.write(`${number}\n`);
}
