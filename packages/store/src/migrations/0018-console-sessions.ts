/**
 * Sessions of people who have signed in to the web console.
 *
 * Older processes survive it, and know no console.
 */
export const sql = `
create table patchbay.console_sessions (
  -- Of what the browser keeps.
  secret_hash text collate "C" primary key,
  -- Of an application: the secret that it was opened with, which takes its sessions along.
  client_secret_id uuid references patchbay.application_secrets (id) on delete cascade,
  -- Of the operator: which key is meant, so that another one ends them.
  operator_key_digest text collate "C",
  created_at timestamptz(3) not null,
  used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint of_an_application_or_the_operator
    check ((client_secret_id is null) <> (operator_key_digest is null))
);

create index console_sessions_by_secret on patchbay.console_sessions (client_secret_id);
`;
