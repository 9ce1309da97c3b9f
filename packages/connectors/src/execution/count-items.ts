import { isJsonObject } from '../json-value.ts';
import type { RecordFields } from '../vocabulary/index.ts';

interface ItemsField {
  readonly name: string;
  readonly member: string | undefined;
  readonly fields: RecordFields;
}

const itemsFields = new WeakMap<RecordFields, readonly ItemsField[]>();

/**
 * How many values a record gets for the objects in its fields of items: each of them has all members that are declared,
 * also where the upstream sends none.
 */
export function countItemValues(
  fields: RecordFields,
  raw: Readonly<Record<string, unknown>>,
): number {
  let count = 0;
  for (const { name, member, fields: own } of itemsFieldsOf(fields)) {
    const value = member !== undefined && isJsonObject(raw[name]) ? raw[name][member] : raw[name];
    if (!Array.isArray(value)) continue;
    count += value.length * Object.keys(own).length;
    if (itemsFieldsOf(own).length === 0) continue;
    for (const item of value) if (isJsonObject(item)) count += countItemValues(own, item);
  }
  return count;
}

function itemsFieldsOf(fields: RecordFields): readonly ItemsField[] {
  let found = itemsFields.get(fields);
  if (found === undefined) {
    found = Object.entries(fields).flatMap(([name, field]) =>
      field['x-field'] === 'items'
        ? [{ name, member: field['x-member'], fields: field['x-items'] ?? {} }]
        : [],
    );
    itemsFields.set(fields, found);
  }
  return found;
}
