/**
 * Access tokens that end are renewed: when one ends and is due is known with the connector, and who
 * renews it, and how often that was tried, has a row of its own as long as it goes on. Connectors from
 * before know nothing of their tokens' ends: those are renewed once they are refused.
 *
 * Older processes survive it; they renew nothing, and go on with what others renewed.
 */
export const sql = `
alter table patchbay.connectors
  add column renew_at timestamptz(3),
  add column token_ends_at timestamptz(3),
  add column renewed_at timestamptz(3),
  add column state_reason text collate "C";

create index connectors_by_renewal on patchbay.connectors (renew_at)
  where renew_at is not null and deleted_at is null;

create table patchbay.credential_renewals (
  connector_id uuid primary key references patchbay.connectors on delete cascade,
  -- A hash of the sealed credentials that are renewed: what is noted here holds for no others.
  of_credentials bytea not null,
  owner text collate "C" not null,
  -- Null where nobody is at it.
  lease_ends_at timestamptz(3),
  not_before timestamptz(3),
  failures integer not null,
  -- Requests whose outcome nobody knows, the one under way among them.
  unanswered integer not null
);
`;
