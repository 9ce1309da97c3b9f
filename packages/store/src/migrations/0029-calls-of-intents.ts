/**
 * Which call an intent is of: the statement that forgets one may arrive late, when a later call with its key is under way.
 *
 * Older processes survive it; an intent of theirs is of no known call.
 */
export const sql = `
alter table patchbay.idempotency_keys add column call_id text collate "C";
alter table patchbay.creations add column call_id text collate "C";
`;
