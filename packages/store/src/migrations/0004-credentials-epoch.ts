/**
 * Credentials have an identity apart from their sealed text: an epoch that other credentials raise, and
 * a keyed digest of them as they were last given, which is null until the program next sees them given.
 * The definition hashes of copies end with the epoch now, in place of a hash of the sealed text; those
 * that matched still match, so that nothing is read anew.
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

-- Base64url of the first 132 bits, as the program made them of the sealed text.
update patchbay.entity_syncs as e
set definition_hash = replace(e.definition_hash, sealed.hash, '.1'),
  read_definition_hash = replace(e.read_definition_hash, sealed.hash, '.1')
from (
  select id, '.' || left(
    translate(encode(sha256(convert_to(sealed_credentials, 'UTF8')), 'base64'), '+/', '-_'),
    22
  ) as hash
  from patchbay.connectors
  where deleted_at is null
) as sealed
where sealed.id = e.connector_id
  and (strpos(e.definition_hash, sealed.hash) > 0 or strpos(e.read_definition_hash, sealed.hash) > 0);
`;
