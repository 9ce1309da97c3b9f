import { randomUUID } from 'node:crypto';
import type { Application, ConnectorRow, Store } from '../../src/contract/store.ts';

type NewConnector = Parameters<Store['connectors']['create']>[0];

/** Stores an application in an organization of its own. */
export async function addApplication(store: Store): Promise<Application> {
  const organization = { id: randomUUID(), name: 'Harbour Works' };
  await store.organizations.create(organization);
  return await store.applications.ensure({
    id: randomUUID(),
    organizationId: organization.id,
    clientId: `client-${randomUUID()}`,
    secretHash: 'hash',
    name: 'Agents',
  });
}

/** Stores a connector, in an application of its own unless one is given. */
export async function addConnector(
  store: Store,
  parts: Partial<NewConnector> = {},
): Promise<ConnectorRow> {
  return await store.connectors.create({
    id: randomUUID(),
    applicationId: parts.applicationId ?? (await addApplication(store)).id,
    externalUserId: 'user-1',
    kind: 'chat-workspace',
    name: 'Team chat',
    config: {},
    replicationConfig: null,
    authMethod: 'api_token',
    sealedCredentials: 'header..iv.text.tag',
    ...parts,
  });
}
