/**
 * Credentials have an identity apart from their sealed text: an epoch that other credentials raise, and
 * a keyed digest of them as they were last given, which is null until the program next sees them given.
 * The definition hashes of copies end with the epoch now, in place of a hash of the sealed text, and are
 * of fewer things. Those that matched become hashes of the settings alone, which the program takes for
 * its own until the next full read puts a new one there: so nothing is read anew, but for what no hash can
 * answer for: copies of connectors that are paused, and those whose read was under way or has failed.
 *
 * Older processes: stop them first. Other credentials that they store count as the same, what they read
 * is read anew, and they cannot delete a connector whose credentials have a digest.
 */
export const sql = `
alter table patchbay.connectors
  add column credentials_epoch integer not null default 1,
  add column credentials_digest text collate "C",
  add constraint the_digest_ends_with_the_connector
    check (deleted_at is null or credentials_digest is null);

-- Base64url of the first 132 bits of a hash, as the program makes them.
create function pg_temp.hash_of(content text) returns text language sql as $$
  select left(translate(encode(sha256(convert_to(content, 'UTF8')), 'base64'), '+/', '-_'), 22)
$$;

-- Whoever changed settings has a run queued, or has it run: what was read since it began has them.
update patchbay.entity_syncs as e
set definition_hash =
  'first-release-' || pg_temp.hash_of(c.config::text || coalesce(c.replication_config::text, 'null')) || '.1'
from patchbay.connectors as c
where c.id = e.connector_id
  and c.deleted_at is null
  and not c.is_paused
  and right(e.definition_hash, 23) = '.' || pg_temp.hash_of(c.sealed_credentials)
  and not exists (
    select from patchbay.sync_runs as r where r.connector_id = c.id and r.state = 'queued'
  )
  and e.as_of >= (select max(r.started_at) from patchbay.sync_runs as r where r.connector_id = c.id);

drop function pg_temp.hash_of;
`;
