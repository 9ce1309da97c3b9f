import { createConnector } from '@patchbay/connectors';
import { serve } from './serve.ts';

/** Iterates every contact of the given upstream, and tells how long it took and what it weighed. */
const intercom = createConnector('customer-messaging', {
  credentials: { access_token: 'bench' },
  baseUrl: process.env['BENCH_UPSTREAM'] ?? '',
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
const seconds = (performance.now() - startedAt) / 1000;
const result = {
  contacts: String(contacts),
  atStart: String(atStart),
  mostResident: String(mostResident),
  perSecond: String(contacts / seconds),
};
serve(result, () => undefined);
