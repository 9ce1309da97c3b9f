/**
 * Runs tell what they did and why they failed, and more than the last one is kept. Connectors tell since
 * when they have been in their state. What happened is counted by the minute.
 *
 * Older processes survive it; each run that one of them ends is without figures, and the only one that is kept; nothing that
 * one of them does is counted.
 */
export const sql = `
alter table patchbay.sync_runs
  -- Those that it has read, or tried to.
  add column entities text[] collate "C" not null default '{}',
  add column records_read bigint not null default 0,
  add column records_written bigint not null default 0,
  add column records_deleted bigint not null default 0,
  add column problem_code text collate "C",
  add column problem_message text collate "C",
  add column problem_entity text collate "C",
  add constraint a_problem_is_whole check ((problem_code is null) = (problem_message is null));

create index sync_runs_by_request on patchbay.sync_runs (connector_id, requested_at, id);

alter table patchbay.connectors add column state_changed_at timestamptz(3);
update patchbay.connectors set state_changed_at = updated_at;
alter table patchbay.connectors
  alter column state_changed_at set default date_trunc('milliseconds', now()),
  alter column state_changed_at set not null;

create table patchbay.stats (
  -- A connector, an application, or 0 for all of the service.
  subject_id uuid not null,
  minute timestamptz(0) not null,
  calls integer not null,
  errors integer not null,
  -- Calls by how long they took; null where there were none.
  latency integer[],
  upstream_requests integer not null,
  upstream_wait_ms bigint not null,
  records bigint not null,
  primary key (subject_id, minute)
);

create index stats_by_minute on patchbay.stats (minute);
`;
