import { sql, type NotNull, type Selectable, type Transaction, type UpdateObject } from 'kysely';
import type { Store } from '../contract/store.ts';
import type { Database, Tables } from '../database.ts';
import { isOneOf } from '../is-one-of.ts';
import { isStorable } from '../storable-text.ts';
import { queueClearing } from '../sync-queue.ts';
import { isUuid } from '../uuid.ts';
import { jsonOrNull } from './json-or-null.ts';
import { isOfExternalUser } from './of-external-user.ts';

type Filter = Parameters<Store['connectors']['deleteSome']>[0];
type Deleted = Awaited<ReturnType<Store['connectors']['deleteSome']>>;

interface Deletion {
  readonly jobId: string;
  readonly leavesCredentials?: boolean;
}

/** What revoking the credentials of a connector takes. */
type Revocable = Selectable<
  Pick<
    Tables['connectors'],
    'id' | 'application_id' | 'kind' | 'auth_method' | 'config' | 'account' | 'is_revocable'
  >
> & { readonly sealed_credentials: string };

export async function deleteConnector(
  database: Database,
  id: string,
  deletion: Deletion,
): Promise<string | undefined> {
  if (!isUuid(id)) return undefined;
  return (await deleteAll(database, [id], deletion)) > 0 ? deletion.jobId : undefined;
}

/** Of those on several nodes, each by itself: nobody can lock them together. */
export async function deleteSomeConnectors(
  database: Database,
  filter: Filter,
  options: Deletion & { readonly limit: number; readonly isDistributed: boolean },
): Promise<Deleted> {
  const ids = await findSome(database, filter, options.limit);
  if (ids.length === 0) return { ids, deleted: 0 };
  const together = options.isDistributed ? ids.map((id) => [id]) : [ids];
  let deleted = 0;
  for (const some of together) deleted += await deleteAll(database, some, options);
  return { ids, deleted };
}

async function findSome(
  database: Database,
  { applicationId, externalUserId }: Filter,
  limit: number,
): Promise<readonly string[]> {
  if (!isUuid(applicationId) || !isStorable(externalUserId ?? '')) return [];
  let query = database
    .selectFrom('connectors')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit);
  if (externalUserId !== undefined) query = query.where(isOfExternalUser(externalUserId));
  const rows = await query.execute();
  return rows.map(({ id }) => id);
}

/**
 * Leaves tombstones that say who owned the connectors and which job clears their records, and what their write intents
 * remember; returns how many there were. Their credentials go in the same transaction, to where they are revoked if they are
 * to be, and whoever syncs them loses the lease.
 */
async function deleteAll(
  database: Database,
  ids: readonly string[],
  { jobId, leavesCredentials = false }: Deletion,
): Promise<number> {
  return await database.transaction().execute(async (transaction) => {
    const present = await lockUndeleted(transaction, ids);
    if (present.length === 0) return 0;
    const presentIds = present.map(({ id }) => id);
    // It says from here on what becomes of what a renewal under way brings.
    const change = leavesCredentials ? { is_revocable: false } : {};
    await leaveTombstones(transaction, presentIds, { ...change, deletion_job_id: jobId });
    if (!leavesCredentials) await revokeThoseOf(transaction, present);
    await transaction
      .deleteFrom('credential_renewals')
      .where(isOneOf('connector_id', presentIds))
      .execute();
    await endSyncs(transaction, presentIds);
    await queueClearing(transaction, presentIds);
    return present.length;
  });
}

/**
 * Keeps connectors as they are until the transaction ends, in the order of their ids, so that of two which lock several
 * neither waits for the other. Gives the credentials that they have until then.
 */
export async function lockUndeleted(
  transaction: Transaction<Tables>,
  ids: readonly string[],
): Promise<readonly Revocable[]> {
  return await transaction
    .selectFrom('connectors')
    .select([
      'id',
      'application_id',
      'kind',
      'auth_method',
      'config',
      'account',
      'is_revocable',
      'sealed_credentials',
    ])
    .where(isOneOf('id', ids))
    .where('deleted_at', 'is', null)
    .$narrowType<{ readonly sealed_credentials: NotNull }>()
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/**
 * Those that are to be revoked, upstream.
 *
 * @param notBefore Until then, what is issued for them may still come; at once, unless said.
 */
export async function revokeThoseOf(
  transaction: Transaction<Tables>,
  connectors: readonly Revocable[],
  notBefore?: Date,
): Promise<void> {
  const revoked = connectors.filter((connector) => connector.is_revocable);
  if (revoked.length === 0) return;
  const rows = revoked.map(({ id, config, account, ...rest }) => ({
    application_id: rest.application_id,
    kind: rest.kind,
    auth_method: rest.auth_method,
    sealed_credentials: rest.sealed_credentials,
    connector_id: id,
    config: JSON.stringify(config),
    account: jsonOrNull(account),
    ...(notBefore === undefined ? {} : { due_at: notBefore }),
  }));
  await transaction.insertInto('revocations').values(rows).execute();
}

async function leaveTombstones(
  transaction: Transaction<Tables>,
  ids: readonly string[],
  change: UpdateObject<Tables, 'connectors'>,
): Promise<void> {
  await transaction
    .updateTable('connectors')
    .set({
      deleted_at: sql<Date>`now()`,
      sealed_credentials: null,
      credentials_digest: null,
      token_digest: null,
      account: null,
      renew_at: null,
      revision: sql<number>`revision + 1`,
      updated_at: sql<Date>`now()`,
      ...change,
    })
    .where(isOneOf('id', ids))
    .execute();
}

async function endSyncs(
  transaction: Transaction<Tables>,
  connectorIds: readonly string[],
): Promise<void> {
  await transaction
    .updateTable('connector_syncs')
    .set({
      lease_owner: null,
      lease_epoch: sql<number>`lease_epoch + 1`,
      lease_expires_at: null,
      due_at: null,
      deleted_at: sql<Date>`now()`,
    })
    .where(isOneOf('connector_id', connectorIds))
    .execute();
}
