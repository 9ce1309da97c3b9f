/**
 * Which paths there are below the object and array fields of copies: names, types and counts, no values.
 * Of copies that are there already nothing is known until they have been read in full again.
 *
 * Older processes: stop them first. They go on, but of the records that they read no paths are observed,
 * so that searches may take what is there for a slip of the pen.
 */
export const sql = `
create table patchbay.copy_paths (
  connector_id uuid not null,
  entity text collate "C" not null,
  -- JSON of its names; empty where paths were left out for want of room.
  path text collate "C" not null,
  -- A bit for each type of JSON that was seen.
  types integer not null,
  -- Number of the last full read that saw it, or during or after which it came in.
  generation bigint not null,
  -- Records that have it, since that read began, and before.
  records bigint not null,
  earlier_records bigint not null default 0,
  primary key (connector_id, entity, path)
) with (fillfactor = 70);

alter table patchbay.entity_syncs
  -- The last full read that is complete has observed all paths.
  add column knows_paths boolean not null default false,
  -- The full read under way observes them from its beginning.
  add column observes_paths boolean not null default false;
`;
