/**
 * Tokens that were revoked one by one, until they would have ended.
 *
 * Older processes survive it, but take such tokens until they end by themselves.
 */
export const sql = `
create table patchbay.revoked_tokens (
  jti uuid not null,
  -- The id of the application whose tokens alone are meant, or 'operator': those of any.
  revoked_by text collate "C" not null,
  expires_at timestamptz not null,
  primary key (jti, revoked_by)
);
`;
