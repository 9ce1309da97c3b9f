/**
 * What a database that is spread over several nodes needs of its schema: every key begins with what rows are
 * spread by, and the clock is a function that a node may compute for all others.
 *
 * Older processes survive it.
 */
export const sql = `
alter table patchbay.sync_runs
  drop constraint sync_runs_pkey,
  add primary key (connector_id, id);

-- Declared stable, though it goes on: so Citus computes it once, on the node that was asked, and a change
-- of rows may hold it. Truncated like a Date: a column would round it, at times into the future.
create function patchbay.clock() returns timestamptz language plpgsql stable
  as 'begin return date_trunc(''milliseconds'', clock_timestamp()); end';
`;
