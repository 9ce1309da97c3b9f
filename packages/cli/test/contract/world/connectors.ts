import { randomUUID } from 'node:crypto';
import { Patchbay, type ConnectorInfo, type NewConnector } from '@patchbay/client';
import { SURFACES, type Call, type SurfaceName } from '../call.ts';
import { tokenOf } from './tokens.ts';

/** On whose behalf a service is called. */
export interface User {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly externalUserId: string;
}

/** Ids of connectors, by what `nameOf` calls them. */
export type ConnectorIds = ReadonlyMap<string, string>;

/** Credentials that the sandbox takes, of the kinds that cannot be written to. */
const CREDENTIALS = {
  'customer-messaging': { access_token: 'test' },
  'support-chat': { access_token: 'test' },
  'support-ticketing': { email: 'agent@example.com', api_token: 'test' },
} as const;

type ReadOnlyKind = keyof typeof CREDENTIALS;

/** What the connector that a call is about is called among them all. */
export function nameOf(surface: SurfaceName, { kind, target }: Call): string {
  switch (target) {
    case 'own':
      return `own ${kind === 'chat-workspace' ? surface : kind}`;
    case 'rejected':
      return `rejected ${surface}`;
    case 'copied':
      return `copied ${kind}`;
    case 'paused':
    case 'foreign':
    case 'absent':
      return target;
  }
}

/** Makes connectors whose records are copied, and waits until they are. */
export async function makeCopied(baseUrl: string, user: User): Promise<ConnectorIds> {
  const { connectors } = new Patchbay({ baseUrl, ...user });
  const created: ConnectorInfo[] = [];
  for (const body of [
    slackWith(tokenOf('shared'), 'Copied'),
    readOnly('customer-messaging', 'Copied'),
    readOnly('support-chat', 'Copied'),
  ])
    created.push(await connectors.create(body));
  for (const { id, connector_type: kind } of created) {
    let last: string | undefined;
    for await (const status of connectors.sync.watch(id)) last = status.last?.state;
    if (last !== 'succeeded') throw new Error(`the sync of ${kind} ended as ${String(last)}`);
  }
  return new Map(created.map(({ id, connector_type: kind }) => [`copied ${kind}`, id]));
}

/** Makes the connectors that nothing is copied of. */
export async function makeOthers(baseUrl: string, user: User): Promise<ConnectorIds> {
  const { connectors } = new Patchbay({ baseUrl, ...user });
  const others = new Patchbay({ baseUrl, ...user, externalUserId: 'user-2' }).connectors;
  const ids = new Map<string, string>();
  for (const surface of SURFACES) {
    const own = await connectors.create(slackWith(tokenOf(surface), 'Own'));
    const rejected = await connectors.create(slackWith(tokenOf(surface, true), 'Rejected'));
    ids.set(`own ${surface}`, own.id).set(`rejected ${surface}`, rejected.id);
  }
  for (const kind of ['customer-messaging', 'support-chat', 'support-ticketing'] as const)
    ids.set(`own ${kind}`, (await connectors.create(readOnly(kind, 'Own'))).id);
  const paused = await connectors.create(slackWith(tokenOf('shared'), 'Paused'));
  await connectors.update(paused.id, { paused: true });
  const foreign = await others.create(slackWith(tokenOf('shared'), 'Foreign'));
  return ids.set('paused', paused.id).set('foreign', foreign.id).set('absent', randomUUID());
}

function slackWith(apiToken: string, name: string): NewConnector {
  return {
    connector_type: 'chat-workspace',
    name,
    credentials: { api_token: apiToken },
    replication_config: {
      start_date: '2025-12-01T00:00:00Z',
      lookback_window: 0,
      join_channels: false,
    },
  };
}

function readOnly(kind: ReadOnlyKind, name: string): NewConnector {
  return { connector_type: kind, name, credentials: CREDENTIALS[kind] };
}
