/**
 * What the upstream sends of an entity that its copy does not take: as the last reads had it, and as the read
 * under way has had it so far.
 *
 * Older processes survive it; a read that one of them makes changes nothing about what is known.
 */
export const sql = `
alter table patchbay.entity_syncs
  add column drift jsonb,
  add column read_drift jsonb;
`;
