import { sql } from 'kysely';
import { plannedTransaction } from '../copies/planned.ts';
import type { Database } from '../database.ts';
import type { DueConnector } from '../contract/syncs.ts';

/** The schedules that are due the longest are looked at whosesoever they are. */
const FIRST_SCHEDULES = 1_000;

/** Beyond those, so many applications at a time. */
const APPLICATIONS_AT_ONCE = 100;

/** The least that is read of each application. */
const LEAST_OF_EACH = 4;

/** Before every application. */
const BEGINNING = '00000000-0000-0000-0000-000000000000';

/** Whether a connector, whose application is not revoked, may be synced and nobody is at it. */
const IS_FREE = sql`
  s.deleted_at is null and s.discarded_at is null and not c.is_paused and not c.is_disabled
    and (s.lease_owner is null or s.lease_expires_at <= now())
`;

/** Looks for connectors to be synced, and remembers which applications come next. */
export class DueConnectors {
  readonly #database: Database;
  /** The application after which the next look begins. */
  #after = BEGINNING;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Connectors with something to do and no live lease: of each application the one that is first, then
   * of each the second. Refused credentials stop the schedule only: a run that somebody asked for may
   * find that they are accepted again.
   */
  async list(limit: number): Promise<readonly DueConnector[]> {
    return await plannedTransaction(this.#database, 'walk', async (transaction) => {
      const applications = await this.#findApplications(transaction);
      if (applications.length === 0) return [];
      return await listOf(transaction, applications, limit);
    });
  }

  async #findApplications(database: Database): Promise<readonly string[]> {
    const { ids, isAll } = await findFirstSchedules(database);
    const windows = [await listWindow(database, 'sync_runs', this.#after)];
    if (!isAll) windows.push(await listWindow(database, 'connector_syncs', this.#after));
    const ends = windows.flatMap((window) => window[APPLICATIONS_AT_ONCE - 1] ?? []);
    this.#after = ends.toSorted((a, b) => (a < b ? -1 : 1))[0] ?? BEGINNING;
    return [...new Set([...ids, ...windows.flat()])];
  }
}

/** The applications of the schedules that are due the longest, and whether no others are due. */
async function findFirstSchedules(
  database: Database,
): Promise<{ readonly ids: readonly string[]; readonly isAll: boolean }> {
  const { rows } = await sql<{ id: string; count: number }>`
    select application_id as id, count(*) as count
    from (
      select application_id from patchbay.connector_syncs
      where due_at <= now() order by due_at limit ${FIRST_SCHEDULES}
    ) as first
    group by application_id
  `.execute(database);
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return { ids: rows.map(({ id }) => id), isAll: count < FIRST_SCHEDULES };
}

/** What keeps the rows of an application together in its index, of each table. */
const HAS_WORK = {
  sync_runs: sql`finished_at is null`,
  connector_syncs: sql`due_at is not null`,
};

/** The applications after one, in order, that have rows with work: each is found by the one before it. */
async function listWindow(
  database: Database,
  table: keyof typeof HAS_WORK,
  after: string,
): Promise<readonly string[]> {
  const next = sql`
    select application_id from patchbay.${sql.id(table)}
    where ${HAS_WORK[table]} and application_id > found.id order by application_id limit 1
  `;
  const { rows } = await sql<{ id: string }>`
    with recursive found as (
      select ${after}::uuid as id, 0 as number
      union all
      select (${next}), number + 1 from found
      where id is not null and number < ${APPLICATIONS_AT_ONCE}
    )
    select id from found where id is not null and number > 0 order by number
  `.execute(database);
  return rows.map(({ id }) => id);
}

async function listOf(
  database: Database,
  applications: readonly string[],
  limit: number,
): Promise<readonly DueConnector[]> {
  const ofEach = Math.max(LEAST_OF_EACH, Math.ceil((2 * limit) / applications.length));
  const { rows } = await sql<DueConnector>`
    select connector_id as "connectorId", application_id as "applicationId", kind,
      is_scheduled as "isScheduled", is_urgent as "isUrgent"
    from (
      select *, row_number() over (
        partition by application_id order by is_urgent desc, since, connector_id
      ) as place
      from (
        select s.connector_id, s.application_id, c.kind, is_scheduled, is_urgent,
          least(
            case when s.due_at <= now() and c.state <> 'reauth_required' then s.due_at end,
            requested_at
          ) as since
        from patchbay.applications as a
        cross join lateral (
          (
            select s.connector_id
            from patchbay.connector_syncs as s
            join patchbay.connectors as c on c.id = s.connector_id
            where s.application_id = a.id and s.due_at <= now() and ${IS_FREE}
              and c.state <> 'reauth_required'
            order by s.due_at, s.connector_id limit ${ofEach}
          )
          union
          (
            select r.connector_id
            from patchbay.sync_runs as r
            join patchbay.connector_syncs as s on s.connector_id = r.connector_id
            join patchbay.connectors as c on c.id = r.connector_id
            where r.application_id = a.id and r.finished_at is null and ${IS_FREE}
            order by (r.cause = 'schedule'), r.requested_at, r.connector_id limit ${ofEach}
          )
        ) as first
        join patchbay.connector_syncs as s on s.connector_id = first.connector_id
        join patchbay.connectors as c on c.id = first.connector_id
        cross join lateral (
          select min(requested_at) as requested_at, count(*) = 0 as is_scheduled,
            coalesce(bool_or(cause <> 'schedule'), false) as is_urgent
          from patchbay.sync_runs
          where connector_id = first.connector_id and finished_at is null
        ) as asked
        where a.id = any(${applications}::uuid[]) and a.revoked_at is null
      ) as due
    ) as placed
    order by place, since, connector_id
    limit ${limit}
  `.execute(database);
  return rows;
}
