import { createConnector } from '@patchbay/connectors';
import { startServerProcess } from './support/child.ts';
import { rounded, type BenchResult } from './support/measure.ts';

const CONTACTS = 1_000_000;

/** Iterates a million contacts with `.all()`; what counts is that memory stays flat. */
export async function benchIterate(): Promise<readonly BenchResult[]> {
  await using sandbox = await startServerProcess('sandbox-process.ts', {
    BENCH_SCALE: String(CONTACTS),
  });
  const intercom = createConnector('customer-messaging', {
    credentials: { access_token: 'bench' },
    baseUrl: sandbox.ready['intercom'] ?? '',
    upstreamLimits: 'reactive',
  });
  const atStart = process.memoryUsage.rss();
  const startedAt = performance.now();
  let contacts = 0;
  let mostResident = 0;
  for await (const contact of intercom.contacts.list.all({ per_page: 150 })) {
    if (contact.id === '') throw new Error('a contact without an id');
    contacts++;
    if (contacts % 10_000 === 0) mostResident = Math.max(mostResident, process.memoryUsage.rss());
  }
  if (contacts !== CONTACTS) throw new Error(`${contacts} contacts instead of ${CONTACTS}`);
  const seconds = (performance.now() - startedAt) / 1000;
  return [
    { name: 'contacts iterated', value: contacts, unit: 'records' },
    { name: 'memory resident before', value: rounded(atStart / 2 ** 20), unit: 'MiB' },
    { name: 'most memory resident', value: rounded(mostResident / 2 ** 20), unit: 'MiB' },
    { name: 'speed', value: rounded(contacts / seconds), unit: 'records/s' },
  ];
}
