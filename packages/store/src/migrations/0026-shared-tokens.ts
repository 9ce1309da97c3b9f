/**
 * Which connectors have the same access token: before one is revoked, the others are asked for. Null is not known, of
 * what is stored from before until it is renewed or given anew. Older processes survive it.
 */
export const sql = `
alter table patchbay.connectors add column token_digest text collate "C";
create index connectors_by_token on patchbay.connectors (token_digest)
  where token_digest is not null;
`;
