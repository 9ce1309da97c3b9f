/**
 * What the copy of an entity has to do with those of its parents, the records that its lists are read for.
 *
 * How many records have left the copy so far, and of its parents, how many had when what belonged to them was deleted
 * last: while those differ, records may be there that have no parent any more. Null is not known.
 * And as of when the parents were copied when the last complete read, and the one under way, began.
 *
 * Older processes survive it. Of what they delete, they delete the children in the same run; and a read that one of
 * them completes counts as being as of its beginning.
 */
export const sql = `
alter table patchbay.entity_syncs
  add column losses bigint not null default 0,
  add column settled_losses bigint,
  add column parents_as_of timestamptz(3),
  add column read_parents_as_of timestamptz(3);
`;
