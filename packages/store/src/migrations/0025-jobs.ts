/** What became of the deletion of connectors is looked up by its job. Older processes survive it. */
export const sql = `
create index connectors_by_deletion on patchbay.connectors (deletion_job_id)
  where deletion_job_id is not null;
`;
