import { sql, type RawBuilder } from 'kysely';
import type { CopyStanding, Syncs } from '../contract/syncs.ts';
import type { Database } from '../database.ts';
import { SURELY_FUTURE, unlessFuture } from '../database-clock.ts';
import { isUuid } from '../uuid.ts';
import { TOLD_AS_OF } from './entity-syncs.ts';

interface StandingRow extends Omit<CopyStanding, 'problem'> {
  readonly code: string | null;
  readonly message: string | null;
  readonly failedAt: Date | null;
}

const AS_OF = unlessFuture(TOLD_AS_OF);

/**
 * One statement for however many connectors: of each, its rows of `entity_syncs` and the last of its runs
 * that was not cancelled, both through an index. One connector is named for every table, so that its statement
 * goes to the one node that has it; of several, PostgreSQL would look for all of them in place of each.
 */
export async function listStandings(
  database: Database,
  { connectorIds, entities }: Parameters<Syncs['standings']>[0],
): Promise<readonly CopyStanding[]> {
  const ids = connectorIds.filter(isUuid);
  const asked = sql`any(${ids}::uuid[])`;
  const named = (column: RawBuilder<unknown>) =>
    ids.length === 1 ? sql`and ${column} = ${asked}` : sql``;
  const { rows } = await sql<StandingRow>`
    select c.id as "connectorId", c.state_changed_at as "stateChangedAt",
      copies.as_of as "asOf", coalesce(copies.is_complete, false) as "isComplete",
      coalesce(copies.record_count, 0)::float8 as "recordCount",
      failure.code, failure.message, failure.at as "failedAt"
    from patchbay.connectors as c
    left join lateral (
      select
        case when count(${AS_OF}) = count(*) then min(${AS_OF}) end as as_of,
        bool_and(coalesce(e.is_complete, false)) as is_complete,
        sum(e.record_count) as record_count
      from unnest(
        ${entities.map(({ kind }) => kind)}::text[],
        ${entities.map(({ entity }) => entity)}::text[]
      ) as copied (kind, entity)
      left join patchbay.entity_syncs as e
        on e.connector_id = c.id ${named(sql`e.connector_id`)} and e.entity = copied.entity
      where copied.kind = c.kind and e.is_forbidden is not true
    ) as copies on true
    left join lateral (
      select problem_code as code, problem_message as message, finished_at as at, state
      from patchbay.sync_runs
      where connector_id = c.id ${named(sql`connector_id`)} and state <> 'cancelled'
        -- Not by a clock that was wrong, after which others may have ended.
        and finished_at <= ${SURELY_FUTURE}
      order by finished_at desc limit 1
    ) as failure on failure.state = 'failed'
    where c.id = ${asked} and c.deleted_at is null
  `.execute(database);
  return rows.map(toStanding);
}

function toStanding({ code, message, failedAt, ...standing }: StandingRow): CopyStanding {
  const isKnown = code !== null && message !== null && failedAt !== null;
  return { ...standing, problem: isKnown ? { code, message, at: failedAt } : null };
}
