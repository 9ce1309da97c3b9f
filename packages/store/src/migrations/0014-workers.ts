/**
 * Which running processes copy records, so that others can say when none does.
 *
 * Older processes survive it; they do not say what they are, and count as workers: nobody is told that
 * nothing is copied while one of them may be at it.
 */
export const sql = `
alter table patchbay.instances add column is_worker boolean not null default true;
`;
