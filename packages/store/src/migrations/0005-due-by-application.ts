/**
 * What is to be synced is found by application, each of which has its turn: so schedules and runs say
 * whose they are, as their connectors do.
 *
 * Older processes: stop them first. They can neither create connectors nor ask for runs.
 */
export const sql = `
alter table patchbay.connector_syncs add column application_id uuid;
update patchbay.connector_syncs as s set application_id = c.application_id
from patchbay.connectors as c where c.id = s.connector_id;
alter table patchbay.connector_syncs alter column application_id set not null;

create index connector_syncs_by_application
  on patchbay.connector_syncs (application_id, due_at, connector_id)
  where due_at is not null;

alter table patchbay.sync_runs add column application_id uuid;
update patchbay.sync_runs as r set application_id = c.application_id
from patchbay.connectors as c where c.id = r.connector_id;
alter table patchbay.sync_runs alter column application_id set not null;

create index sync_runs_by_application
  on patchbay.sync_runs (application_id, (cause = 'schedule'), requested_at, connector_id)
  where finished_at is null;
`;
