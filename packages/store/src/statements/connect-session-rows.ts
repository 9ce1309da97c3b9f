import { sql, type Selectable } from 'kysely';
import type { ConnectSession, GivenInSession } from '../contract/connect-sessions.ts';
import type { Tables } from '../database.ts';
import { DATABASE_NOW } from '../database-clock.ts';

type Row = Selectable<Tables['connect_sessions']> &
  Pick<ConnectSession, 'isExpired' | 'shownStatus'>;

/** Its time is over. */
export const IS_EXPIRED = sql<boolean>`expires_at <= ${DATABASE_NOW}`;

/** What was given before the end, and confirmed, is used after it, too. */
export const SHOWN_STATUS = sql<ConnectSession['shownStatus']>`(case
  when status = 'succeeded' then 'succeeded'
  when ${IS_EXPIRED} and (confirmed_at is null or sealed_credentials is null) then 'expired'
  when status = 'given' and needs_confirmation then 'unconfirmed'
  else 'open'
end)`;

/** What the columns of a session say by the database's clock: every statement that gives sessions selects it. */
export const TOLD_BY_THE_CLOCK = [
  IS_EXPIRED.as('isExpired'),
  SHOWN_STATUS.as('shownStatus'),
] as const;

/** A session as its columns have it. */
export function sessionOf(row: Row): ConnectSession {
  return {
    id: row.id,
    applicationId: row.application_id,
    externalUserId: row.external_user_id,
    userLabel: row.user_label,
    kinds: row.kinds,
    connectorId: row.connector_id,
    isReconnection: row.reconnects,
    config: row.config,
    replicationConfig: row.replication_config,
    returnUrl: row.return_url,
    origin: row.origin,
    branding: row.branding,
    needsConfirmation: row.needs_confirmation,
    status: row.status,
    isExpired: row.isExpired,
    shownStatus: row.shownStatus,
    browserHash: row.browser_hash,
    problem:
      row.error_code === null
        ? null
        : { code: row.error_code, message: row.error_message ?? row.error_code },
    given: givenOf(row),
    confirmedAt: row.confirmed_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function givenOf(row: Row): GivenInSession | null {
  const { given_kind: kind, given_name: name, given_auth_method: authMethod } = row;
  if (row.status === 'open' || kind === null || name === null || authMethod === null) return null;
  return {
    kind,
    name,
    config: row.given_config ?? {},
    authMethod,
    sealedCredentials: row.sealed_credentials,
    tokenDigest: row.given_token_digest,
    account: row.given_account,
    isConsented: row.given_by_consent === true,
  };
}
