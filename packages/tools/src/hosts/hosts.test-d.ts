import type { Patchbay } from '@patchbay/client';
import { createConnector } from '@patchbay/connectors';
import { toTools } from '../agents/ai-sdk.ts';
import { hostedHost } from './hosted-host.ts';
import { libraryHost } from './library-host.ts';

/** What can be made a host of, and what cannot. */
export async function targets(patchbay: Patchbay): Promise<void> {
  const slack = createConnector('chat-workspace', { credentials: { api_token: 'x' } });
  const intercom = createConnector('customer-messaging', { credentials: { access_token: 'x' } });
  libraryHost(slack);
  libraryHost({ slack, intercom });
  await toTools(slack, { allowWrites: true });

  hostedHost(patchbay);
  const typed = await patchbay.connector('chat-workspace');
  hostedHost(typed);
  await toTools(typed);
  await toTools(await patchbay.connector(String(Math.random())));
  await toTools(patchbay);
  await toTools(libraryHost({ slack, intercom }), { prefix: 'patchbay_', only: ['execute'] });

  // @ts-expect-error -- a connector of the library has no service behind it
  hostedHost(slack);
  // @ts-expect-error -- a client is no connector
  libraryHost(patchbay);
  // @ts-expect-error -- there is no such tool
  await toTools(slack, { only: ['exceute'] });
}
