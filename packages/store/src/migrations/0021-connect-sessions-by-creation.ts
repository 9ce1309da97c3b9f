/**
 * Finds the connect sessions of an application, newest first, however many there are of others.
 *
 * Older processes survive it, and list no sessions.
 */
export const sql = `
create index connect_sessions_by_creation
  on patchbay.connect_sessions (application_id, created_at, id);
`;
