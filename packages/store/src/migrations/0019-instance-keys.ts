/**
 * Which master keys a running process has, by their ids, so that no key comes into force that some
 * process does not have.
 *
 * Older processes survive it; they do not say what they have, and no key is rotated while one runs.
 */
export const sql = `
alter table patchbay.instances add column master_keys text[] collate "C";
`;
