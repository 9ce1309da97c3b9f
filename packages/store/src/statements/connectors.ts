import { sql, type Expression, type NotNull, type Transaction } from 'kysely';
import type { Database, Tables } from '../database.ts';
import { checkStorable, isStorable } from '../storable-text.ts';
import type { Begun } from '../contract/consents.ts';
import type {
  ConnectorChange,
  ConnectorFilter,
  ConnectorQuotas,
  ConnectorRow,
  ConnectorStatus,
  Store,
} from '../contract/store.ts';
import { StoreError } from '../store-error.ts';
import { requireBegun } from './begun.ts';
import { containsText } from './contains-text.ts';
import { lockUndeleted, revokeThoseOf } from './delete-connectors.ts';
import { jsonOrNull } from './json-or-null.ts';
import { isOfExternalUser } from './of-external-user.ts';
import { isRenewalUnderWay, lockAgainstRenewal, renewalEndsBy } from './renewals.ts';
import { requireRoom } from './require-room.ts';
import { stateChangedAt } from './state-changed-at.ts';
import { isUuid } from '../uuid.ts';
import { queueRun } from '../queued-run.ts';
import { enqueue, queueClearing, wake } from '../sync-queue.ts';

type NewConnector = Parameters<Store['connectors']['create']>[0];
type ConnectorPage = Parameters<Store['connectors']['list']>[1];
type ExternalUserOptions = Parameters<Store['connectors']['externalUsers']>[1];

const COLUMNS = [
  'id',
  'application_id as applicationId',
  'organization_id as organizationId',
  'external_user_id as externalUserId',
  'kind',
  'name',
  'state',
  'is_paused as isPaused',
  'is_disabled as isDisabled',
  'config',
  'replication_config as replicationConfig',
  'auth_method as authMethod',
  'sealed_credentials as sealedCredentials',
  'credentials_epoch as credentialsEpoch',
  'credentials_digest as credentialsDigest',
  'account',
  'revision',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'last_synced_at as lastSyncedAt',
  'renew_at as renewAt',
  'token_ends_at as tokenEndsAt',
  'renewed_at as renewedAt',
  'state_reason as stateReason',
  'is_revocable as isRevocable',
  'is_renewable as isRenewable',
] as const;

/** A connector that is not deleted has credentials: a constraint of the table says so. */
interface Undeleted {
  readonly sealedCredentials: NotNull;
}

/**
 * Its first sync is due at once, and nobody finds that before the run that is asked for with it. Rejects when the id is
 * taken, the application absent or revoked, what it is made of has ended, or there are as many as `most` allows.
 */
export async function createConnector(
  database: Database,
  connector: NewConnector,
  {
    most,
    begun,
  }: { readonly most?: ConnectorQuotas | undefined; readonly begun?: Begun | undefined } = {},
): Promise<ConnectorRow> {
  checkStorable({
    'external user id': connector.externalUserId,
    'connector kind': connector.kind,
    'connector name': connector.name,
    'auth method': connector.authMethod,
    'sealed credentials': connector.sealedCredentials,
    'credentials digest': connector.credentialsDigest,
    'token digest': connector.tokenDigest ?? undefined,
  });
  return await database.transaction().execute(async (transaction) => {
    // The application first: whoever revokes it locks it before what people have begun for it.
    if (most !== undefined) await requireRoomFor(transaction, connector, most);
    if (begun !== undefined) await requireBegun(transaction, begun);
    const created = await insertConnector(transaction, connector);
    const { id: connectorId } = created;
    await enqueue(transaction, { ...created, connectorId });
    if (connector.firstRunId !== undefined)
      await queueRun(transaction, connectorId, { id: connector.firstRunId, cause: 'creation' });
    return created;
  });
}

async function insertConnector(
  transaction: Transaction<Tables>,
  connector: NewConnector,
): Promise<ConnectorRow> {
  const application = await transaction
    .selectFrom('applications')
    .select(['organization_id', 'revoked_at'])
    .where('id', '=', connector.applicationId)
    .executeTakeFirstOrThrow(() => new Error(`no application ${connector.applicationId}`));
  if (application.revoked_at !== null)
    throw new StoreError('application_revoked', 'nothing is made in it any more');
  const created = await transaction
    .insertInto('connectors')
    .values({
      id: connector.id,
      application_id: connector.applicationId,
      organization_id: application.organization_id,
      external_user_id: connector.externalUserId,
      kind: connector.kind,
      name: connector.name,
      config: JSON.stringify(connector.config),
      replication_config: jsonOrNull(connector.replicationConfig),
      auth_method: connector.authMethod,
      sealed_credentials: connector.sealedCredentials,
      credentials_digest: connector.credentialsDigest,
      account: jsonOrNull(connector.account ?? null),
      renew_at: connector.renewAt ?? null,
      token_ends_at: connector.tokenEndsAt ?? null,
      token_digest: connector.tokenDigest ?? null,
      is_revocable: connector.isRevocable ?? false,
      is_renewable: connector.isRenewable ?? null,
    })
    .returning(COLUMNS)
    .$narrowType<Undeleted>()
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto('connector_syncs')
    .values({ connector_id: connector.id, application_id: connector.applicationId })
    .execute();
  return created;
}

function requireRoomFor(
  transaction: Transaction<Tables>,
  { applicationId, externalUserId }: NewConnector,
  most: ConnectorQuotas,
): Promise<void> {
  const ofApplication = transaction
    .selectFrom('connectors')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('deleted_at', 'is', null);
  const ofUser = ofApplication.where(isOfExternalUser(externalUserId));
  return requireRoom(transaction, applicationId, {
    ofUser,
    ofApplication,
    most,
    what: 'connectors',
  });
}

export async function findConnector(
  database: Database,
  id: string,
): Promise<ConnectorRow | undefined> {
  if (!isUuid(id)) return undefined;
  return await database
    .selectFrom('connectors')
    .select(COLUMNS)
    .$narrowType<Undeleted>()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** By (createdAt, id) ascending, after the given position, at most `limit`. */
export async function listConnectors(
  database: Database,
  filter: ConnectorFilter,
  page: ConnectorPage,
): Promise<readonly ConnectorRow[]> {
  const { applicationId, externalUserId, kind, status, contains, ids } = filter;
  if (applicationId !== undefined && !isUuid(applicationId)) return [];
  if (![externalUserId, kind, contains].every((text) => isStorable(text ?? ''))) return [];
  const { after } = page;
  if (after !== undefined && !isUuid(after.id)) return [];
  let query = database
    .selectFrom('connectors')
    .select(COLUMNS)
    .$narrowType<Undeleted>()
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(page.limit);
  if (applicationId !== undefined) query = query.where('application_id', '=', applicationId);
  if (externalUserId !== undefined) query = query.where(isOfExternalUser(externalUserId));
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (status !== undefined) query = query.where(hasStatus(status));
  if (contains !== undefined) query = query.where(tells(contains));
  if (ids !== undefined) {
    query = query.where('id', '=', sql<string>`any(${ids.filter(isUuid)}::uuid[])`);
  }
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
    );
  }
  return await query.execute();
}

type ConditionalChange = ConnectorChange &
  NonNullable<Parameters<Store['connectors']['update']>[2]>;

/** Every change counts `revision` up by one, even one that sets what is already there. */
export async function updateConnector(
  database: Database,
  id: string,
  change: ConditionalChange,
): Promise<ConnectorRow | undefined> {
  if (!isUuid(id)) return undefined;
  const letsSync = isLetSync(change);
  const { replacesAccount, revokesReplaced, ifNotRenewed, begun } = change;
  const isOneStatement =
    replacesAccount !== true && revokesReplaced !== true && ifNotRenewed !== true && !letsSync;
  if (isOneStatement && begun === undefined) return await updateRow(database, id, change);
  return await database.transaction().execute(async (transaction) => {
    if (ifNotRenewed === true) {
      await lockAgainstRenewal(transaction, id);
      if (await isRenewalUnderWay(transaction, id)) return undefined;
    }
    const replaced = revokesReplaced === true ? await lockUndeleted(transaction, [id]) : [];
    // Connector before lease, in the order in which a deletion locks them.
    const updated = await updateRow(transaction, id, change);
    if (updated === undefined) return undefined;
    if (begun !== undefined) await requireBegun(transaction, begun);
    if (replacesAccount === true) await discardCopy(transaction, id);
    if (letsSync) await wake(transaction, id, { isUrgent: false });
    // Once they are gone from there, nothing tells that what a renewal under way brings is to be revoked, too.
    if (replaced.length > 0)
      await revokeThoseOf(transaction, replaced, await renewalEndsBy(transaction, id));
    return updated;
  });
}

/** Whether there may be something to sync, which nobody looked for as long as it was otherwise. */
function isLetSync({ isPaused, isDisabled, state }: ConnectorChange): boolean {
  return isPaused === false || isDisabled === false || state === 'pending' || state === 'active';
}

async function updateRow(
  database: Database,
  id: string,
  change: ConditionalChange,
): Promise<ConnectorRow | undefined> {
  const { credentials, sealedCredentials, credentialsDigest } = {
    ...change,
    ...change.credentials,
  };
  checkStorable({
    'reason of a state': change.stateReason,
    'connector name': change.name,
    'auth method': credentials?.authMethod,
    'sealed credentials': sealedCredentials,
    'credentials digest': credentialsDigest,
    'token digest': credentials?.tokenDigest ?? undefined,
  });
  let query = database
    .updateTable('connectors')
    .set({
      ...(change.name === undefined ? {} : { name: change.name }),
      // What led to a state says nothing of the next one.
      ...(change.state === undefined
        ? {}
        : {
            state: change.state,
            state_reason: change.stateReason ?? null,
            state_changed_at: stateChangedAt(change.state),
          }),
      ...(change.isPaused === undefined ? {} : { is_paused: change.isPaused }),
      ...(change.isDisabled === undefined ? {} : { is_disabled: change.isDisabled }),
      ...(change.config === undefined ? {} : { config: JSON.stringify(change.config) }),
      ...(change.replicationConfig === undefined
        ? {}
        : { replication_config: jsonOrNull(change.replicationConfig) }),
      ...(credentials === undefined
        ? {}
        : {
            auth_method: credentials.authMethod,
            renew_at: credentials.renewAt ?? null,
            token_ends_at: credentials.tokenEndsAt ?? null,
            token_digest: credentials.tokenDigest ?? null,
            renewed_at: null,
            is_revocable: credentials.isRevocable ?? false,
            is_renewable: credentials.isRenewable ?? null,
          }),
      ...(change.account === undefined ? {} : { account: jsonOrNull(change.account) }),
      ...(change.replacesAccount === true
        ? { credentials_epoch: sql<number>`credentials_epoch + 1`, last_synced_at: null }
        : {}),
      ...(sealedCredentials === undefined ? {} : { sealed_credentials: sealedCredentials }),
      ...(credentialsDigest === undefined ? {} : { credentials_digest: credentialsDigest }),
      revision: sql<number>`revision + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null);
  if (change.ifRevision !== undefined) query = query.where('revision', '=', change.ifRevision);
  if (change.ifEpoch !== undefined) query = query.where('credentials_epoch', '=', change.ifEpoch);
  return await query.returning(COLUMNS).$narrowType<Undeleted>().executeTakeFirst();
}

/** Hides the copy and ends its sync: what is known of its reads goes, and whoever holds the lease loses it. */
async function discardCopy(transaction: Transaction<Tables>, connectorId: string): Promise<void> {
  await transaction
    .updateTable('connector_syncs')
    .set({
      lease_owner: null,
      lease_epoch: sql<number>`lease_epoch + 1`,
      lease_expires_at: null,
      copy_number: sql<number>`copy_number + 1`,
      discarded_at: sql<Date>`now()`,
    })
    .where('connector_id', '=', connectorId)
    .execute();
  await transaction.deleteFrom('entity_syncs').where('connector_id', '=', connectorId).execute();
  await queueClearing(transaction, [connectorId]);
}

/** Distinct external users, by code point. `contains` is literal and heeds case. */
export async function listExternalUsers(
  database: Database,
  applicationId: string,
  options: ExternalUserOptions,
): Promise<readonly string[]> {
  const { contains, externalUserId, limit } = options;
  if (!isUuid(applicationId) || !isStorable(contains ?? '') || !isStorable(externalUserId ?? '')) {
    return [];
  }
  let query = database
    .selectFrom('connectors')
    .select('external_user_id as externalUserId')
    .distinct()
    .where('application_id', '=', applicationId)
    .where('deleted_at', 'is', null)
    .orderBy('external_user_id')
    .limit(limit);
  if (externalUserId !== undefined) query = query.where(isOfExternalUser(externalUserId));
  if (contains !== undefined) {
    query = query.where(sql<boolean>`strpos(external_user_id, ${contains}) > 0`);
  }
  const rows = await query.execute();
  return rows.map((row) => row.externalUserId);
}

function hasStatus(status: ConnectorStatus): Expression<boolean> {
  if (status === 'disabled') return sql<boolean>`is_disabled`;
  if (status === 'paused') return sql<boolean>`(is_paused and not is_disabled)`;
  return sql<boolean>`(state = ${status} and not is_paused and not is_disabled)`;
}

/** Without an index: it looks through the connectors of an application, of which there are so many at most. */
function tells(text: string): Expression<boolean> {
  const told = sql<string>`concat_ws(
    E'\\n', name, external_user_id, account->>'name', account->>'id', account->>'principal'
  )`;
  return containsText(told, text);
}
