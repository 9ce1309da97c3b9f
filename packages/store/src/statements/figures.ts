import { sql } from 'kysely';
import type { ConnectorCount, CopyLag, Figures, WaitingWork } from '../contract/figures.ts';
import type { Database } from '../database.ts';
import { countWorkers } from './instances.ts';

/** One statement after another: figures wait for each other, and for nobody else's connection. */
export async function readFigures(database: Database): Promise<Figures> {
  return {
    connectors: await countConnectors(database),
    lags: await findLags(database),
    work: await countWork(database),
    workers: await countWorkers(database),
  };
}

async function countConnectors(database: Database): Promise<readonly ConnectorCount[]> {
  return await database
    .selectFrom('connectors')
    .select(['kind', 'state'])
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .groupBy(['kind', 'state'])
    .execute();
}

async function findLags(database: Database): Promise<readonly CopyLag[]> {
  const { rows } = await sql<CopyLag>`
    select c.kind, greatest(0, extract(epoch from
      now() - min(coalesce(c.last_synced_at, c.created_at))))::float8 as seconds
    from patchbay.connectors as c
    join patchbay.applications as a on a.id = c.application_id
    where c.deleted_at is null and not c.is_paused and not c.is_disabled
      and c.state <> 'reauth_required' and a.revoked_at is null
    group by c.kind
  `.execute(database);
  return rows;
}

async function countWork(database: Database): Promise<WaitingWork> {
  const { rows } = await sql<WaitingWork>`
    select
      runs.*,
      (
        select count(*) from patchbay.connector_syncs
        where deleted_at is not null or discarded_at is not null
      ) as clearings,
      (
        select count(*) from patchbay.connectors as c
        join patchbay.applications as a on a.id = c.application_id
        where c.renew_at <= now() and c.deleted_at is null
          and c.state <> 'reauth_required' and a.revoked_at is null
      ) as renewals,
      (select count(*) from patchbay.revocations) as revocations
    from (
      select
        count(*) filter (where state = 'queued') as "queuedSyncs",
        count(*) filter (where state = 'running') as "runningSyncs",
        coalesce(greatest(0, extract(epoch from
          now() - min(requested_at) filter (where state = 'queued'))), 0)::float8
          as "oldestQueuedSeconds"
      from patchbay.sync_runs where finished_at is null
    ) as runs
  `.execute(database);
  const [work] = rows;
  // An aggregate without groups is one row.
  if (work === undefined) throw new Error('a count came without a row');
  return work;
}
