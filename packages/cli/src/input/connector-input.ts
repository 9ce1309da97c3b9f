import { describeKind, findKind, type KindDescription } from '@patchbay/connectors/definitions';
import { CommandError, type Terminal } from '../terminal.ts';
import { ask, askHidden, choose } from './ask.ts';
import { valuesOf, type Assignment, type Schemas } from './assignments.ts';
import { readJsonInput } from './json-input.ts';

type Credentials = Readonly<Record<string, string>>;
type Setting = KindDescription['config'][number];

/** What is known of a kind, by its name or an alias. @throws `unknown_connector_type` */
export function describeKindNamed(name: string): KindDescription {
  return describeKind(findKind(name));
}

/**
 * Reads credentials from a JSON file or standard input (`-`), or asks for the fields of an auth
 * method without showing what is typed. They never come from the command line.
 *
 * @param source The path; `true` to ask a person.
 * @throws CommandError where nobody can be asked.
 */
export async function readCredentials(
  kind: KindDescription,
  source: string | true,
  terminal: Terminal,
): Promise<Credentials> {
  if (source !== true) return credentialsIn(await readJsonInput(source), source);
  if (!terminal.canAsk)
    throw new CommandError(
      'There is no terminal to ask for credentials on; give --credentials with a JSON file, or - for standard input.',
    );
  return askForCredentials(kind, terminal);
}

/**
 * The settings that assignments stand for, typed by the kind. A person is asked for required ones
 * that are missing; elsewhere, the service lists them.
 */
export async function completeSettings(
  settings: readonly Setting[],
  given: readonly Assignment[],
  terminal: Terminal,
): Promise<Readonly<Record<string, unknown>>> {
  const missing = settings.filter(
    ({ name, required, default: preset }) =>
      required && preset === undefined && !given.some((each) => each.name === name),
  );
  const asked: Assignment[] = [];
  if (terminal.canAsk)
    for (const { name, doc, expects } of missing) {
      const text = await ask(terminal, `${name} (${doc} It must be ${expects})`);
      if (text !== '') asked.push({ name, text });
    }
  return settingsOf(settings, [...given, ...asked]);
}

/** The settings that assignments stand for, typed by the kind. */
export function settingsOf(
  settings: readonly Setting[],
  given: readonly Assignment[],
): Readonly<Record<string, unknown>> {
  const schemas: Schemas = Object.fromEntries(settings.map(({ name, schema }) => [name, schema]));
  return valuesOf(given, schemas);
}

/** The service checks their names; here they only have to be texts. */
function credentialsIn(given: Readonly<Record<string, unknown>>, source: string): Credentials {
  const wrong = Object.entries(given).find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined)
    throw new CommandError(
      `${source === '-' ? 'Standard input' : source} must hold texts alone; ${wrong[0]} is none.`,
    );
  // Every value is a string, as just checked.
  return given as Credentials;
}

async function askForCredentials(
  { auth_methods: methods, display_name: displayName }: KindDescription,
  terminal: Terminal,
): Promise<Credentials> {
  const [first] = methods;
  if (first === undefined) return {};
  const choices = methods.map((method) => ({
    label: `${method.label}: ${method.doc}`,
    value: method,
  }));
  const method =
    methods.length === 1
      ? first
      : await choose(terminal, `How to log in at ${displayName}`, choices);
  const credentials: Record<string, string> = {};
  for (const { name, required, doc } of method.fields) {
    const answer = await askHidden(terminal, `${name} (${required ? doc : `optional: ${doc}`})`);
    if (answer !== '') credentials[name] = answer;
  }
  return credentials;
}
