/**
 * Connect sessions: what stands behind a link by which a person connects something of theirs, and what
 * they have given until a backend has confirmed it.
 *
 * Older processes survive it; they know no sessions.
 */
export const sql = `
create table patchbay.connect_sessions (
  id uuid primary key,
  application_id uuid not null references patchbay.applications on delete cascade,
  external_user_id text collate "C" not null,
  user_label text collate "C",
  kinds text[] collate "C" not null,
  -- Of the connector that is given other credentials, or that will be made: no reference, since it may not be there yet.
  connector_id uuid not null,
  reconnects boolean not null,
  config json not null,
  replication_config json,
  return_url text collate "C",
  origin text collate "C",
  branding json,
  needs_confirmation boolean not null,
  -- Hashes of the secret in the link, and of that of the browser in which it was opened.
  secret_hash text collate "C" not null unique,
  browser_hash text collate "C",
  status text collate "C" not null default 'open' check (status in ('open', 'given', 'succeeded')),
  attempts integer not null default 0,
  error_code text collate "C",
  error_message text collate "C",
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- What was given, with credentials that are sealed for that connector.
  given_kind text collate "C",
  given_name text collate "C",
  given_config json,
  given_auth_method text collate "C",
  given_account json,
  given_by_consent boolean,
  sealed_credentials text collate "C",
  confirmed_at timestamptz(3),
  constraint credentials_wait_only_where_given check (sealed_credentials is null or status = 'given')
);

create index connect_sessions_by_application on patchbay.connect_sessions (application_id, expires_at)
  where status <> 'succeeded';

-- Whose credentials wait, where revoking another's would end these, too.
create index connect_sessions_by_account on patchbay.connect_sessions (given_kind, (given_account ->> 'id'))
  where sealed_credentials is not null;

create index connect_sessions_by_expiry on patchbay.connect_sessions (expires_at);
`;
