/**
 * Connectors know whose their credentials are: the vendor's account, and the person or bot in it; null
 * until the upstream has said so. A copy that was another account's is hidden, and deleted before anybody
 * syncs the connector again; copies are counted, so that what is remembered of one is not taken for
 * another's.
 *
 * Older processes: stop them first. They would sync a connector whose copy is being deleted.
 */
export const sql = `
alter table patchbay.connectors
  add column account json,
  add constraint the_account_ends_with_the_connector check (deleted_at is null or account is null);

alter table patchbay.connector_syncs
  add column copy_number integer not null default 1,
  add column discarded_at timestamptz(3),
  add constraint nobody_syncs_what_is_discarded
    check (discarded_at is null or lease_owner is null);

create index connector_syncs_discarded on patchbay.connector_syncs (discarded_at, connector_id)
  where discarded_at is not null;
`;
