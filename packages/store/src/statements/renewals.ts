import { createHash } from 'node:crypto';
import { sql, type UpdateObject } from 'kysely';
import type {
  DueRenewal,
  Renewal,
  RenewalFailure,
  Renewals,
  RenewalTurn,
} from '../contract/renewals.ts';
import type { ConnectorState } from '../contract/store.ts';
import type { Database, Tables } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import { wake } from '../sync-queue.ts';
import { isUuid } from '../uuid.ts';
import { jsonOrNull } from './json-or-null.ts';
import { stateChangedAt } from './state-changed-at.ts';

/**
 * The connector is locked for the moment: of two that begin at once one waits, and one that waits for the end of a
 * renewal sees what that has stored.
 */
export async function beginRenewal(
  database: Database,
  renewal: Renewal,
  leaseMs: number,
): Promise<RenewalTurn> {
  const { connectorId, credentialsEpoch, sealedCredentials, owner } = renewal;
  if (!isUuid(connectorId)) return { turn: 'over' };
  checkStorable({ owner });
  return await database.transaction().execute(async (transaction) => {
    const wanted = await transaction
      .selectFrom('connectors')
      .select('id')
      .where('id', '=', connectorId)
      .where('deleted_at', 'is', null)
      .where('credentials_epoch', '=', credentialsEpoch)
      .where('sealed_credentials', '=', sealedCredentials)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (wanted === undefined) return { turn: 'over' };
    const taken = await takeTurn(transaction, renewal, leaseMs);
    if (taken === undefined) return { turn: 'busy' };
    return { turn: 'granted', unanswered: taken.unanswered - 1, failures: taken.failures };
  });
}

/** `undefined` while somebody else is at it, or it has to wait. */
async function takeTurn(
  transaction: Database,
  { connectorId, sealedCredentials, owner }: Renewal,
  leaseMs: number,
): Promise<{ readonly unanswered: number; readonly failures: number } | undefined> {
  const { rows } = await sql<{ unanswered: number; failures: number }>`
    insert into patchbay.credential_renewals as r
      (connector_id, of_credentials, owner, lease_ends_at, not_before, failures, unanswered)
    -- Not before now, which is what a change of the row is decided by: none may hold a clock.
    values (${connectorId}, ${hashOf(sealedCredentials)}, ${owner}, ${databaseNowPlus(leaseMs)},
      ${DATABASE_NOW}, 0, 1)
    on conflict (connector_id) do update set
      of_credentials = excluded.of_credentials,
      owner = excluded.owner,
      lease_ends_at = excluded.lease_ends_at,
      not_before = null,
      failures = case when r.of_credentials = excluded.of_credentials then r.failures else 0 end,
      unanswered =
        1 + case when r.of_credentials = excluded.of_credentials then r.unanswered else 0 end
    where coalesce(r.lease_ends_at <= excluded.not_before, true)
      and (coalesce(r.not_before <= excluded.not_before, true)
        or r.of_credentials <> excluded.of_credentials)
    returning r.unanswered, r.failures
  `.execute(transaction);
  return rows[0];
}

export async function finishRenewal(
  database: Database,
  renewal: Renewal,
  renewed: Parameters<Renewals['finish']>[1],
): Promise<boolean> {
  const { sealedCredentials, renewAt, tokenEndsAt, tokenDigest } = renewed;
  checkStorable({
    'sealed credentials': sealedCredentials,
    'token digest': tokenDigest ?? undefined,
  });
  const isFinished = await endRenewal(database, renewal, {
    sealed_credentials: sealedCredentials,
    renew_at: renewAt,
    token_ends_at: tokenEndsAt,
    token_digest: tokenDigest,
    renewed_at: DATABASE_NOW,
    state: sql<ConnectorState>`case when state = 'reauth_required' then 'active' else state end`,
    // As in `stateChangedAt`.
    state_changed_at: sql<Date>`(array[${DATABASE_NOW}, state_changed_at])[1 + (state <> 'reauth_required')::integer]`,
    state_reason: null,
  });
  if (!isFinished) await revokeWithTheRest(database, renewal, sealedCredentials);
  return isFinished;
}

/** What was issued too late to be revoked with what it takes the place of, if that is to be, goes after it. */
async function revokeWithTheRest(
  database: Database,
  renewal: Renewal,
  sealedCredentials: string,
): Promise<void> {
  if (!isUuid(renewal.connectorId)) return;
  // A tombstone tells of what the connector had last, which may be another account's, by another auth method.
  const rest =
    (await takeReplaced(database, renewal)) ?? (await findRevocableTombstone(database, renewal));
  if (rest === undefined) return;
  const { config, account, ...of } = rest;
  await database
    .insertInto('revocations')
    .values({
      ...of,
      config: JSON.stringify(config),
      account: jsonOrNull(account),
      sealed_credentials: sealedCredentials,
    })
    .execute();
}

async function findRevocableTombstone(database: Database, { connectorId }: Renewal) {
  return await database
    .selectFrom('connectors')
    .select(['id as connector_id', 'application_id', 'kind', 'auth_method', 'config', 'account'])
    .where('id', '=', connectorId)
    .where('deleted_at', 'is not', null)
    .where('is_revocable', '=', true)
    .executeTakeFirst();
}

/** Those that were renewed, where those of another account have taken their place; they have waited for this. */
async function takeReplaced(
  database: Database,
  { connectorId, sealedCredentials }: Pick<Renewal, 'connectorId' | 'sealedCredentials'>,
) {
  return await database
    .updateTable('revocations')
    .set({
      // A distributed database takes no clock in a `case`.
      due_at: sql<Date>`(array[due_at, ${DATABASE_NOW}])[1 + (owner is null and failures = 0)::integer]`,
    })
    .where('connector_id', '=', connectorId)
    .where('sealed_credentials', '=', sealedCredentials)
    .returning(['connector_id', 'application_id', 'kind', 'auth_method', 'config', 'account'])
    .executeTakeFirst();
}

export async function refuseRenewal(
  database: Database,
  renewal: Renewal,
  reason: string,
): Promise<boolean> {
  checkStorable({ reason });
  return await endRenewal(database, renewal, {
    state: 'reauth_required',
    state_reason: reason,
    state_changed_at: stateChangedAt('reauth_required'),
    renew_at: null,
  });
}

async function endRenewal(
  database: Database,
  renewal: Renewal,
  change: UpdateObject<Tables, 'connectors'>,
): Promise<boolean> {
  if (!isUuid(renewal.connectorId)) return false;
  const { connectorId, credentialsEpoch } = renewal;
  return await database.transaction().execute(async (transaction) => {
    // Whoever reseals the credentials notes it with the renewal: once that has ended, both are seen.
    const held = await transaction
      .selectFrom('connectors')
      .select(['sealed_credentials as sealedCredentials', 'state'])
      .where('id', '=', connectorId)
      .where('deleted_at', 'is', null)
      .where('credentials_epoch', '=', credentialsEpoch)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (held === undefined || !(await isOf(transaction, renewal, held.sealedCredentials)))
      return false;
    await transaction
      .updateTable('connectors')
      .set({ ...change, revision: sql<number>`revision + 1`, updated_at: sql<Date>`now()` })
      .where('id', '=', connectorId)
      .execute();
    await transaction
      .deleteFrom('credential_renewals')
      .where('connector_id', '=', connectorId)
      .execute();
    // It may be accepted again, which the queue left it out for.
    if (held.state === 'reauth_required') await wake(transaction, connectorId, { isUrgent: false });
    return true;
  });
}

/** Whether a renewal is of those credentials, which may have been sealed with another key since. */
async function isOf(
  transaction: Database,
  { connectorId, sealedCredentials, owner }: Renewal,
  present: string | null,
): Promise<boolean> {
  if (present === null || present === sealedCredentials) return present !== null;
  const resealed = await transaction
    .selectFrom('credential_renewals')
    .select('owner')
    .where('connector_id', '=', connectorId)
    .where('owner', '=', owner)
    .where('of_credentials', '=', hashOf(present))
    .executeTakeFirst();
  return resealed !== undefined;
}

export async function failRenewal(
  database: Database,
  { connectorId, owner }: Renewal,
  { pauseMs, isCertain }: RenewalFailure,
): Promise<void> {
  if (!isUuid(connectorId)) return;
  await database
    .updateTable('credential_renewals')
    .set({
      lease_ends_at: null,
      not_before: databaseNowPlus(pauseMs),
      failures: sql<number>`failures + 1`,
      ...(isCertain ? { unanswered: sql<number>`unanswered - 1` } : {}),
    })
    .where('connector_id', '=', connectorId)
    .where('owner', '=', owner)
    .execute();
}

export async function isRenewalUnderWay(database: Database, connectorId: string): Promise<boolean> {
  return (await renewalEndsBy(database, connectorId)) !== undefined;
}

/** When the turn of the renewal under way ends; `undefined` where there is none. */
export async function renewalEndsBy(
  database: Database,
  connectorId: string,
): Promise<Date | undefined> {
  if (!isUuid(connectorId)) return undefined;
  const renewal = await database
    .selectFrom('credential_renewals')
    .select('lease_ends_at as endsAt')
    .where('connector_id', '=', connectorId)
    .where('lease_ends_at', '>', DATABASE_NOW)
    .executeTakeFirst();
  return renewal?.endsAt ?? undefined;
}

/** Lets no renewal begin until the transaction ends: one that waits for it sees what has changed. */
export async function lockAgainstRenewal(
  transaction: Database,
  connectorId: string,
): Promise<void> {
  await transaction
    .selectFrom('connectors')
    .select('id')
    .where('id', '=', connectorId)
    .forNoKeyUpdate()
    .execute();
}

/**
 * What cannot be renewed stays due: an application that has much of it must not keep the others waiting, nor what it has
 * besides.
 */
export async function dueRenewals(
  database: Database,
  limit: number,
  exceptKinds: readonly string[] = [],
): Promise<readonly DueRenewal[]> {
  return await database
    // Put together first, wherever connectors are: nodes of their own could not number what all of them have.
    .with(
      (cte) => cte('due').materialized(),
      (query) =>
        query
          .selectFrom('connectors as c')
          .innerJoin('applications as a', 'a.id', 'c.application_id')
          .leftJoin('credential_renewals as r', 'r.connector_id', 'c.id')
          .select(['c.id', 'c.kind', 'c.application_id', 'c.renew_at'])
          .select(sql<number>`coalesce(r.failures, 0)`.as('failures'))
          .where('c.renew_at', '<=', DATABASE_NOW)
          .where('c.deleted_at', 'is', null)
          .where('c.state', '<>', 'reauth_required')
          .where('a.revoked_at', 'is', null)
          .where(sql<boolean>`coalesce(r.lease_ends_at <= ${DATABASE_NOW}, true)`)
          .where(sql<boolean>`coalesce(r.not_before <= ${DATABASE_NOW}, true)`)
          .$if(exceptKinds.length > 0, (some) => some.where('c.kind', 'not in', exceptKinds)),
    )
    .selectFrom('due')
    .select(['id', 'kind'])
    .orderBy(sql`row_number() over (partition by application_id order by failures, renew_at)`)
    .orderBy('failures')
    .orderBy('renew_at')
    .limit(limit)
    .execute();
}

/** What stands for sealed credentials where they need not be read again. */
function hashOf(sealedCredentials: string): Buffer {
  return createHash('sha256').update(sealedCredentials).digest();
}
