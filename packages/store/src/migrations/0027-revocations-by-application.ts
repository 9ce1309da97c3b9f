/** What is to be revoked is taken in turns by application. Older processes survive it. */
export const sql = `
create index revocations_by_application on patchbay.revocations (application_id, due_at);
drop index patchbay.revocations_by_due;
`;
