/**
 * A person's consent: the apps that applications have registered with vendors themselves, and the consents
 * that are under way, each for a few minutes. What identifies a consent, and the browser it is bound to, is
 * there as a hash only.
 *
 * Older processes survive it; they take part in no consent.
 */
export const sql = `
create table patchbay.oauth_apps (
  application_id uuid not null references patchbay.applications (id) on delete cascade,
  kind text collate "C" not null,
  id uuid not null unique,
  -- Compact JWE: client id, client secret, and what belongs to them.
  sealed_app text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (application_id, kind)
);

create table patchbay.consents (
  state_hash bytea primary key,
  -- Null until a browser goes on to the vendor.
  browser_hash bytea,
  application_id uuid not null references patchbay.applications (id) on delete cascade,
  external_user_id text collate "C" not null,
  kind text collate "C" not null,
  request json not null,
  -- Compact JWE of the PKCE verifier, where there is one.
  sealed_verifier text collate "C",
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);

-- A hash, since an external user id of 4,096 characters does not fit into an index entry.
create index consents_by_external_user
  on patchbay.consents (application_id, hashtextextended(external_user_id, 0), expires_at);

create index consents_by_expiry on patchbay.consents (expires_at);
`;
