/**
 * The first tables: tenants, connectors, keys, write intents, running processes, settings.
 *
 * Older processes: none exist.
 *
 * Instants have milliseconds only, like `Date`: a position (created_at, id) that went out and came
 * back must compare exactly. Text is `collate "C"`: ordered by code point, alike on every machine.
 */
export const sql = `
create table patchbay.organizations (
  id uuid primary key,
  name text collate "C" not null,
  created_at timestamptz(3) not null default now()
);

create table patchbay.applications (
  id uuid primary key,
  organization_id uuid not null references patchbay.organizations (id),
  client_id text collate "C" not null unique,
  secret_hash text collate "C" not null,
  name text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  unique (id, organization_id)
);

create table patchbay.connectors (
  id uuid primary key,
  application_id uuid not null,
  organization_id uuid not null,
  external_user_id text collate "C" not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  state text collate "C" not null default 'pending'
    check (state in ('pending', 'active', 'degraded', 'reauth_required')),
  is_paused boolean not null default false,
  config json not null,
  replication_config json,
  auth_method text collate "C" not null,
  sealed_credentials text collate "C",
  revision bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_synced_at timestamptz(3),
  deleted_at timestamptz(3),
  deletion_job_id uuid,
  foreign key (application_id, organization_id)
    references patchbay.applications (id, organization_id),
  constraint credentials_end_with_the_connector
    check ((deleted_at is null) = (sealed_credentials is not null)),
  constraint deletion_has_a_job check ((deleted_at is null) = (deletion_job_id is null))
);

create index connectors_by_application
  on patchbay.connectors (application_id, created_at, id)
  where deleted_at is null;

-- A hash, since an external user id of 4,096 characters does not fit into an index entry.
create index connectors_by_external_user
  on patchbay.connectors (application_id, hashtextextended(external_user_id, 0), created_at, id)
  where deleted_at is null;

create table patchbay.signing_keys (
  id text collate "C" primary key,
  sealed_key text collate "C" not null,
  created_at timestamptz(3) not null default now()
);

create table patchbay.idempotency_keys (
  connector_id uuid not null references patchbay.connectors (id),
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  instance_id text collate "C" not null,
  answer_status integer,
  answer_body text collate "C",
  created_at timestamptz(3) not null default now(),
  primary key (connector_id, key),
  constraint an_answer_is_whole check ((answer_status is null) = (answer_body is null))
);

create index idempotency_keys_by_age on patchbay.idempotency_keys (created_at);

create table patchbay.instances (
  id text collate "C" primary key,
  beaten_at timestamptz(3) not null default now()
);

create table patchbay.settings (
  name text collate "C" primary key,
  value text collate "C" not null
);
`;
