/**
 * What has been begun and led to no connector yet: the access token that waits in a connect session, which is asked for
 * before it is revoked; and that a consent is taken, which stays until its connector is made, so that whoever deletes
 * its user, or revokes its application, ends it.
 *
 * Older processes survive it: what one of them is given meanwhile is not known to be shared, and what it takes goes at once.
 */
export const sql = `
alter table patchbay.connect_sessions add column given_token_digest text collate "C";
create index connect_sessions_by_token on patchbay.connect_sessions (given_token_digest)
  where given_token_digest is not null;

alter table patchbay.consents add column taken_at timestamptz(3);
`;
