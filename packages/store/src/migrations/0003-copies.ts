/**
 * What the tables of copies have in common; those themselves, one per searchable entity, follow
 * from the definitions (copies/reconcile.ts).
 *
 * Older processes: go on. They know nothing of copies.
 */
export const sql = `
-- Definitions that tables have been brought up to. Several of one table: processes of several versions.
create table patchbay.copy_tables (
  name text collate "C" not null,
  definition_hash text collate "C" not null,
  reconciled_at timestamptz(3) not null default now(),
  primary key (name, definition_hash)
);

-- Records that a full read found unchanged, with its number. They are not marked in their own tables:
-- there every mark would write a row of kilobytes, and all its index entries.
create table patchbay.copy_sightings (
  connector_id uuid not null,
  entity text collate "C" not null,
  record_key text collate "C" not null,
  generation bigint not null,
  primary key (connector_id, entity, record_key)
) with (fillfactor = 70);

-- Words of letters alone, for fuzzy.
create table patchbay.copy_words (
  connector_id uuid not null,
  entity text collate "C" not null,
  word text collate "C" not null,
  -- One bit for each letter, for a first comparison.
  letters integer not null,
  -- Hashes of what is left of the word, or of its halves, without some letter.
  keys integer[] not null,
  primary key (connector_id, entity, word)
);

create index copy_words_by_keys on patchbay.copy_words using gin (keys)
  with (fastupdate = off);
`;
