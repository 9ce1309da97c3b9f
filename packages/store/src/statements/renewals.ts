import { sql, type UpdateObject } from 'kysely';
import type { Renewal, RenewalFailure, Renewals, RenewalTurn } from '../contract/renewals.ts';
import type { ConnectorState } from '../contract/store.ts';
import type { Database, Tables } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import { isUuid } from '../uuid.ts';
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
  const { rows } = await sql<{ isCurrent: boolean; unanswered: number | null; failures: number }>`
    with wanted as (
      select id from patchbay.connectors
      where id = ${connectorId} and deleted_at is null
        and credentials_epoch = ${credentialsEpoch} and sealed_credentials = ${sealedCredentials}
      for no key update
    ), taken as (
      insert into patchbay.credential_renewals as r
        (connector_id, of_credentials, owner, lease_ends_at, failures, unanswered)
      select id, ${hashOf(sealedCredentials)}, ${owner}, ${databaseNowPlus(leaseMs)}, 0, 1 from wanted
      on conflict (connector_id) do update set
        of_credentials = excluded.of_credentials,
        owner = excluded.owner,
        lease_ends_at = excluded.lease_ends_at,
        not_before = null,
        failures = case when r.of_credentials = excluded.of_credentials then r.failures else 0 end,
        unanswered =
          1 + case when r.of_credentials = excluded.of_credentials then r.unanswered else 0 end
      where coalesce(r.lease_ends_at <= ${DATABASE_NOW}, true)
        and (coalesce(r.not_before <= ${DATABASE_NOW}, true)
          or r.of_credentials <> excluded.of_credentials)
      returning r.unanswered, r.failures
    )
    select exists (select from wanted) as "isCurrent", unanswered, failures
    from (select 1) as always left join taken on true
  `.execute(database);
  const [row] = rows;
  if (row?.isCurrent !== true) return { turn: 'over' };
  if (row.unanswered === null) return { turn: 'busy' };
  return { turn: 'granted', unanswered: row.unanswered - 1, failures: row.failures };
}

export async function finishRenewal(
  database: Database,
  renewal: Renewal,
  renewed: Parameters<Renewals['finish']>[1],
): Promise<boolean> {
  const { sealedCredentials, renewAt, tokenEndsAt } = renewed;
  checkStorable({ 'sealed credentials': sealedCredentials });
  const isFinished = await endRenewal(database, renewal, {
    sealed_credentials: sealedCredentials,
    renew_at: renewAt,
    token_ends_at: tokenEndsAt,
    renewed_at: DATABASE_NOW,
    state: sql<ConnectorState>`case when state = 'reauth_required' then 'active' else state end`,
    state_changed_at: sql<Date>`case when state = 'reauth_required' then ${DATABASE_NOW} else state_changed_at end`,
    state_reason: null,
  });
  if (!isFinished) await revokeOfDeleted(database, renewal.connectorId, sealedCredentials);
  return isFinished;
}

/** What was issued too late for a connector to be deleted with the rest of its credentials goes after them. */
async function revokeOfDeleted(
  database: Database,
  connectorId: string,
  sealedCredentials: string,
): Promise<void> {
  if (!isUuid(connectorId)) return;
  await database
    .insertInto('revocations')
    .columns([
      'connector_id',
      'application_id',
      'kind',
      'auth_method',
      'config',
      'sealed_credentials',
    ])
    .expression((tombstone) =>
      tombstone
        .selectFrom('connectors')
        .select(['id', 'application_id', 'kind', 'auth_method', 'config'])
        .select(sql<string>`${sealedCredentials}::text`.as('sealed_credentials'))
        .where('id', '=', connectorId)
        .where('deleted_at', 'is not', null)
        .where('is_revocable', '=', true),
    )
    .execute();
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
  return await database.transaction().execute(async (transaction) => {
    // Whoever reseals the credentials notes it with the renewal: once that has ended, both are seen.
    await transaction
      .selectFrom('connectors')
      .select('id')
      .where('id', '=', renewal.connectorId)
      .forNoKeyUpdate()
      .execute();
    return await endLocked(transaction, renewal, change);
  });
}

async function endLocked(
  database: Database,
  { connectorId, credentialsEpoch, sealedCredentials, owner }: Renewal,
  change: UpdateObject<Tables, 'connectors'>,
): Promise<boolean> {
  const ended = await database
    .with('ended', (query) =>
      query
        .updateTable('connectors')
        .set({ ...change, revision: sql<number>`revision + 1`, updated_at: sql<Date>`now()` })
        .where('id', '=', connectorId)
        .where('deleted_at', 'is', null)
        .where('credentials_epoch', '=', credentialsEpoch)
        .where((row) =>
          row.or([
            row('sealed_credentials', '=', sealedCredentials),
            // The same, sealed with another key since.
            row.exists(
              row
                .selectFrom('credential_renewals as r')
                .select('r.owner')
                .whereRef('r.connector_id', '=', 'connectors.id')
                .where('r.owner', '=', owner)
                .where(
                  'r.of_credentials',
                  '=',
                  sql<Buffer>`sha256(convert_to(connectors.sealed_credentials, 'UTF8'))`,
                ),
            ),
          ]),
        )
        .returning('id'),
    )
    .with('forgotten', (query) =>
      query
        .deleteFrom('credential_renewals')
        .where('connector_id', 'in', (ofThem) => ofThem.selectFrom('ended').select('ended.id')),
    )
    .selectFrom('ended')
    .select('ended.id')
    .executeTakeFirst();
  return ended !== undefined;
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

export async function dueRenewals(database: Database, limit: number): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('connectors as c')
    .innerJoin('applications as a', 'a.id', 'c.application_id')
    .leftJoin('credential_renewals as r', 'r.connector_id', 'c.id')
    .select('c.id')
    .where('c.renew_at', '<=', DATABASE_NOW)
    .where('c.deleted_at', 'is', null)
    .where('c.state', '<>', 'reauth_required')
    .where('a.revoked_at', 'is', null)
    .where(sql<boolean>`coalesce(r.lease_ends_at <= ${DATABASE_NOW}, true)`)
    .where(sql<boolean>`coalesce(r.not_before <= ${DATABASE_NOW}, true)`)
    .orderBy('c.renew_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** What stands for sealed credentials where they need not be read again. */
function hashOf(sealedCredentials: string) {
  return sql<Buffer>`sha256(convert_to(${sealedCredentials}::text, 'UTF8'))`;
}
