import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Syncs } from '../contract/syncs.ts';

type DueConnector = Awaited<ReturnType<Syncs['dueConnectors']>>[number];

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
 * Connectors with something to do and no live lease, the longest due first. Refused credentials
 * stop the schedule only: a run that somebody asked for may find that they are accepted again.
 */
export async function listDueConnectors(
  database: Database,
  limit: number,
): Promise<readonly DueConnector[]> {
  // Each half with its own limit, so that an index is read no further than needed.
  const { rows } = await sql<DueConnector>`
    select due.connector_id as "connectorId",
      not exists (
        select from patchbay.sync_runs as r
        where r.connector_id = due.connector_id and r.finished_at is null
      ) as "isScheduled"
    from (
      (
        select s.connector_id, s.due_at as since
        from patchbay.connector_syncs as s
        join patchbay.connectors as c on c.id = s.connector_id
        where s.due_at <= now() and ${IS_FREE} and c.state <> 'reauth_required'
        order by s.due_at
        limit ${limit}
      )
      union all
      (
        select r.connector_id, r.requested_at
        from patchbay.sync_runs as r
        join patchbay.connector_syncs as s on s.connector_id = r.connector_id
        join patchbay.connectors as c on c.id = r.connector_id
        where r.finished_at is null and ${IS_FREE}
        order by r.requested_at
        limit ${limit}
      )
    ) as due
    group by due.connector_id
    order by min(due.since), due.connector_id
    limit ${limit}
  `.execute(database);
  return rows;
}
