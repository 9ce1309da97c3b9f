import { sql } from 'kysely';
import type { ConnectSession, ConnectSessions } from '../contract/connect-sessions.ts';
import type { Database } from '../database.ts';
import { isUuid } from '../uuid.ts';
import { sessionOf, SHOWN_STATUS, TOLD_BY_THE_CLOCK } from './connect-session-rows.ts';

type Filter = Parameters<ConnectSessions['list']>[0];
type Page = Parameters<ConnectSessions['list']>[1];

/** By (createdAt, id) descending. */
export async function listConnectSessions(
  database: Database,
  { applicationId, shownStatus }: Filter,
  { after, limit }: Page,
): Promise<readonly ConnectSession[]> {
  if (applicationId !== undefined && !isUuid(applicationId)) return [];
  if (after !== undefined && !isUuid(after.id)) return [];
  let query = database
    .selectFrom('connect_sessions')
    .selectAll()
    .select(TOLD_BY_THE_CLOCK)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (applicationId !== undefined) query = query.where('application_id', '=', applicationId);
  if (shownStatus !== undefined) query = query.where(SHOWN_STATUS, '=', shownStatus);
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
    );
  return (await query.execute()).map(sessionOf);
}
