import { sql } from 'kysely';
import type { ConnectorCount, CopyLag, Figures, WaitingWork } from '../contract/figures.ts';
import type { Database } from '../database.ts';
import { countWorkers } from './instances.ts';

/** Of the connectors of a kind in a state. */
interface KindState extends ConnectorCount {
  /** Seconds that the copy is behind which is so most; null where none is to be copied. */
  readonly lagSeconds: number | null;
}

/** One statement after another: figures wait for each other, and for nobody else's connection. */
export async function readFigures(database: Database): Promise<Figures> {
  const states = await readConnectors(database);
  return {
    connectors: states.map(({ kind, state, count }) => ({ kind, state, count })),
    lags: lagsOf(states),
    work: await countWork(database),
    workers: await countWorkers(database),
  };
}

/** Goes through all connectors, once: nothing else here takes longer the more of them there are. */
async function readConnectors(database: Database): Promise<readonly KindState[]> {
  const { rows } = await sql<KindState>`
    select c.kind, c.state, count(*) as count,
      extract(epoch from now() - min(coalesce(c.last_synced_at, c.created_at)) filter (
        where not c.is_paused and not c.is_disabled and c.state <> 'reauth_required'
          and a.revoked_at is null
      ))::float8 as "lagSeconds"
    from patchbay.connectors as c
    join patchbay.applications as a on a.id = c.application_id
    where c.deleted_at is null
    group by c.kind, c.state
  `.execute(database);
  return rows;
}

function lagsOf(states: readonly KindState[]): readonly CopyLag[] {
  return states.flatMap(({ kind, state, lagSeconds }) =>
    lagSeconds === null ? [] : [{ kind, state, seconds: Math.max(0, lagSeconds) }],
  );
}

/** What is due is found through one index of what was asked for, and one of what is scheduled. */
async function countWork(database: Database): Promise<WaitingWork> {
  const { rows } = await sql<WaitingWork>`
    select
      queued.*,
      (
        select count(*) from patchbay.sync_runs
        where finished_at is null and state = 'running'
      ) as "runningSyncs",
      (
        select count(*) from patchbay.sync_queue where is_clearing
      ) as clearings,
      (
        select count(*) from patchbay.connectors as c
        join patchbay.applications as a on a.id = c.application_id
        where c.renew_at <= now() and c.deleted_at is null
          and c.state <> 'reauth_required' and a.revoked_at is null
      ) as renewals,
      (select count(*) from patchbay.revocations) as revocations
    from (
      select count(*) as "queuedSyncs",
        coalesce(greatest(0, extract(epoch from now() - min(look_at))), 0)::float8
          as "oldestQueuedSeconds"
      from (
        select look_at from patchbay.sync_queue
        where look_at <= now() and not is_clearing and not is_urgent
        union all
        select look_at from patchbay.sync_queue
        where look_at <= now() and not is_clearing and is_urgent
      ) as due
    ) as queued
  `.execute(database);
  const [work] = rows;
  // An aggregate without groups is one row.
  if (work === undefined) throw new Error('a count came without a row');
  return work;
}
