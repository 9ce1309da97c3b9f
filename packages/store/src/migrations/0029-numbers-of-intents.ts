/**
 * Which call of its process an intent is of: the statement that stores or forgets one may arrive late, when a later call with
 * its key is under way.
 *
 * Older processes survive it; an intent of theirs has no number.
 */
export const sql = `
alter table patchbay.idempotency_keys add column call_number bigint;
alter table patchbay.creations add column call_number bigint;
`;
