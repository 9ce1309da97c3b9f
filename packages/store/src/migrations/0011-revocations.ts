/**
 * Credentials that an authorization server issued are revoked upstream once nobody needs them: what is to be
 * revoked waits, sealed, in a table of its own. Which credentials those are, and whether anything renews
 * them, is known with the connector from when they are stored; of credentials from before nothing is known,
 * so that they are not revoked, nor warned about, until others are given.
 *
 * Older processes survive it; connectors that they delete are not revoked, and credentials that they store
 * count as those that were there before.
 */
export const sql = `
alter table patchbay.connectors
  add column is_revocable boolean not null default false,
  add column is_renewable boolean;

create table patchbay.revocations (
  id uuid primary key default gen_random_uuid(),
  -- Its id binds the sealed credentials: no reference, since a connector that was promised may never have been made.
  connector_id uuid not null,
  application_id uuid not null references patchbay.applications (id) on delete cascade,
  kind text collate "C" not null,
  auth_method text collate "C" not null,
  config json not null,
  -- Whose the credentials are, where that is known.
  account json,
  sealed_credentials text collate "C" not null,
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  -- Whoever is at it has until then.
  due_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  owner text collate "C",
  failures integer not null default 0
);

create index revocations_by_due on patchbay.revocations (due_at);
create index revocations_by_age on patchbay.revocations (created_at);

-- Who else has credentials of an account, where revoking one's would end all.
create index connectors_by_account on patchbay.connectors (kind, (account ->> 'id'))
  where account is not null and deleted_at is null;
`;
