/**
 * Connectors that are disabled: they neither answer calls nor copy.
 *
 * Older processes survive it, but know no disabled connectors: they go on calling and copying. End
 * them before a connector is disabled.
 */
export const sql = `
alter table patchbay.connectors add column is_disabled boolean not null default false;
`;
