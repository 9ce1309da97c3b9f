/**
 * When each connector is to be looked at next is in one narrow table, which is all that workers ask to find what
 * there is to do. The queue of pg-boss, which said that something might be, goes; so do the indexes that only a
 * search for due work needed.
 *
 * Older processes: stop them first. What one of them creates, or asks for, is looked at by nobody, and their
 * queue is gone.
 */
export const sql = `
create table patchbay.sync_queue (
  -- No foreign keys: where tables of connectors are spread over machines, this one is not.
  connector_id uuid primary key,
  application_id uuid not null,
  kind text collate "C" not null,
  -- Null while there is nothing to do that a clock could tell.
  look_at timestamptz(3),
  -- Somebody asked for a sync, and may wait for it.
  is_urgent boolean not null default false,
  -- Somebody is at it, and looks at it before giving it back; look_at is when the lease ends otherwise.
  is_taken boolean not null default false,
  -- Its records are to be deleted.
  is_clearing boolean not null default false,
  -- Counts what may have changed, so that whoever finds nothing to do overwrites nothing that came meanwhile.
  wakes bigint not null default 0
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

create index sync_queue_urgent on patchbay.sync_queue (look_at)
  where is_urgent and not is_clearing and look_at is not null;
create index sync_queue_scheduled on patchbay.sync_queue (look_at)
  where not is_urgent and not is_clearing and look_at is not null;
create index sync_queue_by_application
  on patchbay.sync_queue (application_id, is_urgent, look_at, connector_id)
  where not is_clearing and look_at is not null;
create index sync_queue_clearing on patchbay.sync_queue (look_at)
  where is_clearing;

insert into patchbay.sync_queue (connector_id, application_id, kind, look_at, is_urgent, is_clearing)
select connector_id, application_id, kind,
  case
    when is_clearing then date_trunc('milliseconds', now())
    when since is not null then greatest(since, lease_expires_at)
  end,
  is_urgent, is_clearing
from (
  select s.connector_id, s.application_id, c.kind, s.lease_expires_at,
    s.deleted_at is not null or s.discarded_at is not null as is_clearing,
    coalesce(asked.is_urgent, false) as is_urgent,
    case when not c.is_paused and not c.is_disabled and a.revoked_at is null then
      least(case when c.state <> 'reauth_required' then s.due_at end, asked.requested_at)
    end as since
  from patchbay.connector_syncs as s
  join patchbay.connectors as c on c.id = s.connector_id
  join patchbay.applications as a on a.id = c.application_id
  left join (
    select connector_id, min(requested_at) as requested_at,
      bool_or(cause <> 'schedule') as is_urgent
    from patchbay.sync_runs where finished_at is null group by connector_id
  ) as asked on asked.connector_id = s.connector_id
) as known;

drop index patchbay.connector_syncs_by_due;
drop index patchbay.connector_syncs_by_application;
drop index patchbay.sync_runs_by_application;
drop index patchbay.connector_syncs_uncleared;
drop index patchbay.connector_syncs_discarded;

drop schema if exists patchbay_jobs cascade;
`;
