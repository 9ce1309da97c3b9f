import type { KindDescription } from '@patchbay/client';
import { specsBelow, type Entered, type FieldSpec } from '../../parts/values/field-spec.ts';
import { textOf } from '../../parts/values/read-value.ts';
import { CONNECTOR_NAME } from '../../service/connector-name.ts';
import { credentialFields, type AuthMethod } from '../../service/kinds.ts';
import { serverNow } from '../../service/server-clock.ts';

/** The fields of the form, by the member of the request that they are of. */
export interface ConnectorFields {
  readonly own: readonly FieldSpec[];
  readonly credentials: readonly FieldSpec[];
  readonly config: readonly FieldSpec[];
  readonly replication: readonly FieldSpec[];
  readonly all: readonly FieldSpec[];
}

/** From so long ago on things are copied unless somebody says otherwise. */
const USUAL_DAYS = 90;

const OWN: readonly FieldSpec[] = [
  {
    path: 'external_user_id',
    name: 'External user',
    doc: 'Whose account it is: the name that your application has for its user.',
    required: true,
    expects: 'a text of 1 to 4,096 characters',
    schema: { type: 'string', maxLength: 4_096 },
  },
  CONNECTOR_NAME,
];

/** What is asked for to make a connector of a kind with one of its methods. */
export function fieldsOf(kind: KindDescription, method: AuthMethod | undefined): ConnectorFields {
  const config = specsBelow('config', kind.config);
  const replication = specsBelow('replication_config', kind.replication_config.fields);
  const credentials = credentialFields(method);
  return {
    own: OWN,
    credentials,
    config,
    replication,
    all: [...OWN, ...credentials, ...config, ...replication],
  };
}

/** What is in the fields before anybody enters anything. */
export function initialTexts(kind: KindDescription): Entered {
  return {
    name: kind.display_name,
    ...Object.fromEntries([
      ...textsBelow('config', kind.config),
      ...textsBelow('replication_config', kind.replication_config.fields),
    ]),
  };
}

function textsBelow(prefix: string, settings: KindDescription['config']) {
  return settings.map((setting) => [`${prefix}.${setting.name}`, initialText(setting)] as const);
}

/** Its default; of an instant that has to be said and has none, one that brings enough to look at. */
function initialText({
  default: value,
  required,
  schema,
}: KindDescription['config'][number]): string {
  const isInstant = 'format' in schema && schema.format === 'date-time';
  if (value !== undefined || !required || !isInstant) return textOf(value);
  return `${new Date(serverNow() - USUAL_DAYS * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
}
