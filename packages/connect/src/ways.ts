import type { ConnectKind, ConnectMethod, ConnectSetting } from '@patchbay/connectors/wire';
import type { FieldSpec } from './parts/field.tsx';
import { texts } from './texts/texts.ts';

/** One way to connect a kind: consent at the vendor, or what is entered here. */
export interface Way {
  readonly key: string;
  readonly label: string;
  readonly doc: string;
  readonly method: ConnectMethod;
  readonly isConsent: boolean;
  readonly fields: readonly FieldSpec[];
}

/** The ways there are; those by consent come first, since they ask least of the person. */
export function waysOf(kind: ConnectKind): readonly Way[] {
  const config = kind.config.map(configSpec);
  const consents = kind.methods
    .filter(({ has_consent: hasConsent }) => hasConsent)
    .map((method) => ({
      key: `consent ${method.name}`,
      label: texts.signIn(kind.display_name),
      doc: texts.signInDoc(kind.display_name),
      method,
      isConsent: true,
      fields: config,
    }));
  const entries = kind.methods.map((method) => ({
    key: `entry ${method.name}`,
    label: method.label,
    doc: method.doc,
    method,
    isConsent: false,
    fields: [...config, ...method.fields.map(credentialSpec)],
  }));
  return [...consents, ...entries];
}

/** What is in the fields before anybody enters anything, by path. */
export function defaultsOf(kind: ConnectKind): Readonly<Record<string, string>> {
  return Object.fromEntries(
    kind.config
      .filter((field) => typeof field.default === 'string')
      .map((field) => [`config.${field.name}`, String(field.default)]),
  );
}

/** What was entered below a prefix, without what is empty; nobody means the blanks around it. */
export function enteredBelow(
  prefix: 'config' | 'credentials',
  { fields }: Pick<Way, 'fields'>,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields
      .filter(({ path }) => path.startsWith(`${prefix}.`))
      .map(({ path }) => [path.slice(prefix.length + 1), (values[path] ?? '').trim()] as const)
      .filter(([, value]) => value !== ''),
  );
}

function configSpec({ name, doc, required, allowed }: ConnectSetting): FieldSpec {
  return {
    path: `config.${name}`,
    label: texts.nameOf(name),
    doc,
    required,
    secret: false,
    allowed,
  };
}

function credentialSpec({
  name,
  doc,
  required,
  secret,
}: ConnectMethod['fields'][number]): FieldSpec {
  return {
    path: `credentials.${name}`,
    label: texts.nameOf(name),
    doc,
    required,
    secret,
    allowed: null,
  };
}
