import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { DueConnector } from '../contract/syncs.ts';

/** Whether a connector may be synced and nobody is at it. */
const IS_FREE = sql`
  s.deleted_at is null and not c.is_paused
    and not exists (
      select from patchbay.applications as a
      where a.id = c.application_id and a.revoked_at is not null
    )
    and (s.lease_owner is null or s.lease_expires_at <= now())
`;

/**
 * Connectors with something to do and no live lease: of each application the one that is first, then
 * of each the second. Refused credentials stop the schedule only: a run that somebody asked for may
 * find that they are accepted again.
 */
export async function listDueConnectors(
  database: Database,
  limit: number,
): Promise<readonly DueConnector[]> {
  const { rows } = await sql<DueConnector>`
    select connector_id as "connectorId", application_id as "applicationId", kind,
      is_scheduled as "isScheduled", is_urgent as "isUrgent"
    from (
      select *, row_number() over (
        partition by application_id order by is_urgent desc, since, connector_id
      ) as place
      from (
        select connector_id, application_id, kind, min(since) as since,
          bool_and(cause is null) as is_scheduled,
          coalesce(bool_or(cause <> 'schedule'), false) as is_urgent
        from (
          select s.connector_id, c.application_id, c.kind, s.due_at as since, null as cause
          from patchbay.connector_syncs as s
          join patchbay.connectors as c on c.id = s.connector_id
          where s.due_at <= now() and ${IS_FREE} and c.state <> 'reauth_required'
          union all
          select r.connector_id, c.application_id, c.kind, r.requested_at, r.cause
          from patchbay.sync_runs as r
          join patchbay.connector_syncs as s on s.connector_id = r.connector_id
          join patchbay.connectors as c on c.id = r.connector_id
          where r.finished_at is null and ${IS_FREE}
        ) as something_to_do
        group by connector_id, application_id, kind
      ) as due
    ) as placed
    order by place, since, connector_id
    limit ${limit}
  `.execute(database);
  return rows;
}
