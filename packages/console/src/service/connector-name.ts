import { UNFIT } from '../parts/plain-text.ts';
import type { FieldSpec } from '../parts/values/field-spec.ts';

/** As the service judges it (docs/wire.md#create-a-connector): neither controls nor turns what is around it. */
const FIT = `[^${UNFIT}]`;
/** What people see of a name; it has to be among what fits, which is no line break either. */
const SEEN = String.raw`[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]`;

/** What a connector is called: asked for when it is made, and when it is changed. */
export const CONNECTOR_NAME: FieldSpec = {
  path: 'name',
  name: 'Name',
  doc: 'What you call the connector.',
  required: true,
  expects: 'a line of 1 to 255 characters that can be read: none is a control character',
  schema: { type: 'string', maxLength: 255, pattern: String.raw`^${FIT}*${SEEN}${FIT}*$` },
};
