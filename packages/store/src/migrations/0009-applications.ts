/**
 * An application has several secrets at a time, the origins and return URLs that it may use, and a rate
 * limit of its own. Its one secret from before moves over. One that is deleted is revoked, and stays as a tombstone once its connectors have gone.
 *
 * Older processes: stop them first. They look for the secret where it no longer is.
 */
export const sql = `
create table patchbay.application_secrets (
  id uuid primary key,
  application_id uuid not null references patchbay.applications (id),
  secret_hash text collate "C" not null,
  -- It was made with the application, or given by the settings of a start: the next one that is given
  -- so takes its place, as it always has.
  is_first boolean not null,
  created_at timestamptz(3) not null default now()
);

create index application_secrets_by_application
  on patchbay.application_secrets (application_id, created_at, id);

-- A revoked application has none: no secret leads to it again.
insert into patchbay.application_secrets
    (id, application_id, secret_hash, is_first, created_at)
  select gen_random_uuid(), id, secret_hash, true, created_at
  from patchbay.applications where revoked_at is null;

alter table patchbay.applications
  drop column secret_hash,
  add column allowed_origins json not null default '[]',
  add column allowed_return_urls json not null default '[]',
  add column calls_per_minute integer check (calls_per_minute > 0),
  add column updated_at timestamptz(3) not null default now(),
  add column deleted_at timestamptz(3),
  add column deletion_job_id uuid,
  add constraint deletion_revokes check (deleted_at is null or revoked_at is not null),
  add constraint deletion_has_a_job check ((deleted_at is null) = (deletion_job_id is null));

update patchbay.applications set updated_at = coalesce(revoked_at, created_at);

create index applications_by_age on patchbay.applications (created_at, id)
  where deleted_at is null;

-- For lists of the connectors of all applications.
create index connectors_by_age on patchbay.connectors (created_at, id) where deleted_at is null;
`;
