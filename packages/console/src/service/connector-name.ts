import type { FieldSpec } from '../parts/values/field-spec.ts';

/** What a connector is called: asked for when it is made, and when it is changed. */
export const CONNECTOR_NAME: FieldSpec = {
  path: 'name',
  name: 'Name',
  doc: 'What you call the connector.',
  required: true,
  expects: 'a text of 1 to 255 characters',
  schema: { type: 'string', maxLength: 255 },
};
