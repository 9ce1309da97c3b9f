import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityDescription } from '@patchbay/connectors/definitions';
import { bytesOf } from '../results/budget.ts';
import { nestedFields } from './nested-fields.ts';

function entityWith(paths: readonly string[]): EntityDescription {
  const observed = paths.map((path, index) => ({
    path,
    types: ['string' as const],
    count: 1_000 - index,
  }));
  const field = { name: 'custom_attributes', type: 'object', doc: 'What the customer adds.' };
  return {
    name: 'contacts',
    doc: 'People.',
    actions: [],
    record: [],
    searchable: [{ ...field, observed }],
  } as unknown as EntityDescription;
}

test('names as long as others like leave room for the rest of the answer', () => {
  const long = Array.from(
    { length: 150 },
    (_, index) => `custom_attributes.${index}${'é'.repeat(450)}`,
  );
  const told = nestedFields(entityWith(['custom_attributes.plan', ...long]));
  assert.ok(bytesOf(told) <= 17_000, `${bytesOf(told)} bytes`);
  const names = Object.keys(told['nested_fields'] as object);
  assert.equal(names[0], 'custom_attributes.plan');
  assert.ok(names.length > 10);
  assert.equal(told['nested_fields_left_out'], 151 - names.length);
});
