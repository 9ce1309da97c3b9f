/**
 * Replication: who syncs a connector and when the next sync is due, runs, and what is known of the
 * copy of each entity.
 *
 * Older processes: stop them first. They go on, but a connector that one of them creates is never
 * synced, and the copies of one that it deletes stay.
 *
 * Every instant is truncated to milliseconds, not rounded: none may lie ahead of the clock.
 */
export const sql = `
create table patchbay.connector_syncs (
  connector_id uuid primary key references patchbay.connectors (id),
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_expires_at timestamptz(3),
  due_at timestamptz(3) default date_trunc('milliseconds', now()),
  -- The connector's own, here too: whoever locks this row must see it.
  deleted_at timestamptz(3),
  constraint a_lease_is_whole check ((lease_owner is null) = (lease_expires_at is null)),
  constraint nobody_syncs_what_is_deleted
    check (deleted_at is null or (lease_owner is null and due_at is null))
);

create index connector_syncs_by_due on patchbay.connector_syncs (due_at)
  where due_at is not null;

create index connector_syncs_uncleared on patchbay.connector_syncs (deleted_at, connector_id)
  where deleted_at is not null;

create table patchbay.sync_runs (
  id uuid primary key,
  connector_id uuid not null references patchbay.connector_syncs (connector_id) on delete cascade,
  cause text collate "C" not null
    check (cause in ('creation', 'schedule', 'demand', 'credentials', 'definition')),
  state text collate "C" not null default 'queued'
    check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  requested_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  constraint only_ended_runs_are_finished
    check ((finished_at is null) = (state in ('queued', 'running')))
);

create unique index sync_runs_unfinished on patchbay.sync_runs (connector_id, state)
  where finished_at is null;

create index sync_runs_finished on patchbay.sync_runs (connector_id, finished_at)
  where finished_at is not null;

create table patchbay.entity_syncs (
  connector_id uuid not null references patchbay.connector_syncs (connector_id) on delete cascade,
  entity text collate "C" not null,
  -- Counts full reads; a record bears the number of the last one that saw it.
  generation bigint not null default 0,
  has_page boolean not null default false,
  is_complete boolean not null default false,
  as_of timestamptz(3),
  last_full_at timestamptz(3),
  is_forbidden boolean not null default false,
  problem_code text collate "C",
  problem_message text collate "C",
  record_count bigint not null default 0,
  checkpoint json,
  definition_hash text collate "C",
  -- The read under way, or interrupted; all null where there is none.
  read_mode text collate "C" check (read_mode in ('full', 'increment')),
  read_definition_hash text collate "C",
  read_started_at timestamptz(3),
  read_records bigint,
  read_pages bigint,
  read_position json,
  -- The lease that goes on with it; null once it has failed.
  read_epoch bigint,
  updated_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  primary key (connector_id, entity),
  constraint a_problem_is_whole check ((problem_code is null) = (problem_message is null)),
  constraint a_read_is_whole check (
    num_nulls(read_mode, read_definition_hash, read_started_at, read_records, read_pages)
      in (0, 5)
  ),
  constraint only_a_read_goes_on check (read_epoch is null or read_mode is not null)
);

insert into patchbay.connector_syncs (connector_id)
select id from patchbay.connectors where deleted_at is null;
`;
