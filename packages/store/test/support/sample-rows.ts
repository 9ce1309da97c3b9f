import { randomUUID } from 'node:crypto';
import type { Application } from '../../src/contract/applications.ts';
import type { NewConnectSession } from '../../src/contract/connect-sessions.ts';
import type { Begun } from '../../src/contract/consents.ts';
import type { ConnectorQuotas, ConnectorRow, Intent, Store } from '../../src/contract/store.ts';
import type { TestStore } from './open-test-store.ts';

type NewConnector = Parameters<Store['connectors']['create']>[0];

/** The intent of a process's first call, with the key `key` unless another one is given. */
export function sampleIntent(parts: Partial<Intent> & Pick<Intent, 'scope'>): Intent {
  return {
    key: 'key',
    fingerprint: 'fingerprint',
    instanceId: 'instance',
    callNumber: 1,
    replacesOwn: false,
    ...parts,
  };
}

/** Stores an application in an organization of its own. */
export async function addApplication(store: Store): Promise<Application> {
  const organization = { id: randomUUID(), name: 'Harbour Works' };
  await store.organizations.create(organization);
  const application = {
    id: randomUUID(),
    organizationId: organization.id,
    clientId: `client-${randomUUID()}`,
    name: 'Agents',
  };
  return await store.applications.create(application, { id: randomUUID(), secretHash: 'hash' });
}

/** Stores a connector, in an application of its own unless one is given. */
export async function addConnector(
  store: Store,
  parts: Partial<NewConnector> = {},
  most?: ConnectorQuotas,
  begun?: Begun,
): Promise<ConnectorRow> {
  const connector = {
    id: randomUUID(),
    applicationId: parts.applicationId ?? (await addApplication(store)).id,
    externalUserId: 'user-1',
    kind: 'chat-workspace',
    name: 'Team chat',
    config: {},
    replicationConfig: null,
    authMethod: 'api_token',
    sealedCredentials: 'header..iv.text.tag',
    credentialsDigest: 'digest',
    ...parts,
  };
  return await store.connectors.create(connector, most, begun);
}

/** A connect session as it is begun, of an application that is there. */
export function sampleConnectSession(
  parts: Partial<NewConnectSession> & Pick<NewConnectSession, 'applicationId'>,
): NewConnectSession {
  return {
    id: randomUUID(),
    externalUserId: 'user-1',
    userLabel: null,
    kinds: ['chat-workspace'],
    connectorId: randomUUID(),
    isReconnection: false,
    config: {},
    replicationConfig: null,
    returnUrl: null,
    origin: null,
    branding: null,
    needsConfirmation: true,
    ...parts,
  };
}

/** Stores a connector as the first migration had it; the next one makes its syncs. */
export async function addOldConnector(
  store: Pick<TestStore, 'query'>,
  id: string,
  sealedCredentials = 'header..iv.text.tag',
): Promise<void> {
  await store.query(
    `with o as (insert into patchbay.organizations values (gen_random_uuid(), 'o') returning id),
    a as (
      insert into patchbay.applications (id, organization_id, client_id, secret_hash, name)
      select gen_random_uuid(), id, 'c-' || id, 'h', 'a' from o
      returning id, organization_id
    )
    insert into patchbay.connectors (id, application_id, organization_id, external_user_id, kind,
      name, config, auth_method, sealed_credentials)
    select $1, id, organization_id, 'u', 'chat-workspace', 'n', '{}', 'm', $2 from a`,
    [id, sealedCredentials],
  );
}
