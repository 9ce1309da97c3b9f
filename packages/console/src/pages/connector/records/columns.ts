import type { EntityDescription, KindDescription } from '@patchbay/client';

type Field = EntityDescription['searchable'][number];

/** As many columns a copy is shown with before anybody has chosen. */
const USUAL = 5;
/** Between the names of columns in the address; no field has it in its name. */
const SEPARATOR = ',';
const PLAIN_TYPES = new Set(['string', 'integer', 'number', 'boolean']);

/** The entities that a copy is kept of. */
export function copiedEntities({ entities }: KindDescription): readonly EntityDescription[] {
  return entities.filter(({ actions }) => actions.some(({ name }) => name === 'search'));
}

/**
 * The columns that an address names, in the order in which people read a record; the usual ones where it
 * names none.
 */
export function columnsIn(query: URLSearchParams, entity: EntityDescription): readonly string[] {
  const named = new Set((query.get('columns') ?? '').split(SEPARATOR));
  const chosen = namesOf(entity).filter((name) => named.has(name));
  return chosen.length === 0 ? usualColumns(entity) : chosen;
}

/** Columns as an address names them; empty for the usual ones. */
export function columnsText(columns: readonly string[], entity: EntityDescription): string {
  const text = columns.join(SEPARATOR);
  return text === usualColumns(entity).join(SEPARATOR) ? '' : text;
}

/** The fields that can be columns: as in a record, and behind those what only a copy has. */
export function columnFields({ record, searchable }: EntityDescription): readonly Field[] {
  const place = new Map(record.map(({ name }, index) => [name, index]));
  const placeOf = ({ name }: Field) => place.get(name) ?? record.length;
  return searchable.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** The first fields that fit into a cell; the key has a column of its own. */
function usualColumns(entity: EntityDescription): readonly string[] {
  const fields = columnFields(entity);
  const plain = fields.filter(({ name, type }) => name !== 'id' && PLAIN_TYPES.has(type));
  return (plain.length === 0 ? fields : plain).slice(0, USUAL).map(({ name }) => name);
}

function namesOf(entity: EntityDescription): readonly string[] {
  return columnFields(entity).map(({ name }) => name);
}
