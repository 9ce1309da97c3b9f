/** Keeps an embedded database busy while there is little memory, then tells how much it took at most. */
import { openStore } from '../../src/open-store.ts';
import { queryOnce } from './open-test-store.ts';
import { embeddedConnection } from './test-databases.ts';

const [dataFolder = '', availableBytes = '', busyMs = ''] = process.argv.slice(2);
process.availableMemory = () => Number(availableBytes);

const store = await openStore({ dataFolder });
const connection = await embeddedConnection(dataFolder);
const until = performance.now() + Number(busyMs);
while (performance.now() < until) {
  await queryOnce(
    connection,
    "select count(*) from generate_series(1, 5000) n where n % 7 = 3 and n::text like '%7%'",
  );
}
await store.close();
process.stdout.write(`${process.resourceUsage().maxRSS * 1024}\n`);
