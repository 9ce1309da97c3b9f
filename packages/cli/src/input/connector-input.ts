import {
  allKinds,
  findKind,
  isConnectorError,
  type ConnectorKind,
} from '@patchbay/connectors/definitions';
import { printable } from '../output/printable.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { askUntil, choose } from './ask.ts';
import { checkCredential, checkSetting, usualSettings, type SettingPart } from './answer-checks.ts';
import { valuesOf, type Assignment } from './assignments.ts';
import { readJsonInput } from './json-input.ts';

type Credentials = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, unknown>>;

/** The kinds there are, one a line, by the name to type and the other names. */
export function kindLines(): readonly string[] {
  return allKinds().map((kind) => `  ${kindText(kind)}`);
}

/**
 * The kind of a name or alias. A person who gives none, or one that is not known, is asked.
 *
 * @throws `unknown_connector_type`, and CommandError with the kinds there are, where nobody can be asked.
 */
export async function chooseKind(
  name: string | undefined,
  terminal: Terminal,
): Promise<ConnectorKind> {
  try {
    if (name !== undefined) return findKind(name);
  } catch (error) {
    if (!terminal.canAsk || !isConnectorError(error, 'unknown_connector_type')) throw error;
    terminal.err(`${printable(error.message)}\n`);
  }
  if (!terminal.canAsk)
    throw new CommandError(`Which kind? Give one of these:\n${kindLines().join('\n')}`);
  const choices = allKinds().map((kind) => ({
    label: kindText(kind),
    names: [kind.kind, ...kind.aliases],
    value: kind,
  }));
  return await choose(terminal, { text: 'Kind', choices });
}

/** What a person calls a connector. */
export async function askForName(
  { displayName }: ConnectorKind,
  terminal: Terminal,
): Promise<string> {
  if (!terminal.canAsk) return displayName;
  return await askUntil(terminal, {
    text: 'Name',
    preset: displayName,
    parse: (answer) => {
      if (answer.length <= MAX_NAME) return answer;
      throw new CommandError(`It must have at most ${MAX_NAME} characters.`);
    },
  });
}

/** As much as the service takes. */
const MAX_NAME = 255;

/**
 * Reads credentials from a JSON file or standard input (`-`), or asks for the fields of an auth
 * method; of secrets nothing is shown. They never come from the command line.
 *
 * @param source The path; `true` to ask a person.
 * @throws CommandError where nobody can be asked.
 */
export async function readCredentials(
  kind: ConnectorKind,
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

/** What is given of settings, and whom to ask for the rest. */
interface SettingsRequest {
  readonly given: readonly Assignment[] | undefined;
  readonly terminal: Terminal;
  /** Also for config that is not required: it says where the upstream is. */
  readonly asksForAllConfig: boolean;
}

/**
 * The settings that assignments stand for, typed by the kind. A person is asked for required ones
 * that are missing; elsewhere, the service lists them.
 */
export async function completeSettings(
  kind: ConnectorKind,
  part: SettingPart,
  { given = [], terminal, asksForAllConfig }: SettingsRequest,
): Promise<Values> {
  const asked: Assignment[] = [];
  if (terminal.canAsk) {
    const usual = await usualSettings(kind, part);
    for (const [name, { isRequired, doc, expects }] of Object.entries(kind[part])) {
      const isWanted = isRequired || (asksForAllConfig && part === 'config');
      if (!isWanted || given.some((each) => each.name === name)) continue;
      const preset = usual[name];
      const orNone = preset === undefined ? '; nothing leaves it out' : '';
      const text = await askUntil(terminal, {
        text: `${name} (${doc} It must be ${expects}${orNone})`,
        preset,
        parse: async (answer) => {
          const values = settingsOf(kind, part, [{ name, text: answer }]);
          if (answer !== '') await checkSetting(kind, part, { name, value: values[name] });
          return answer;
        },
      });
      if (text !== '') asked.push({ name, text });
    }
  }
  return settingsOf(kind, part, [...given, ...asked]);
}

/** The settings that assignments stand for, typed by the kind. */
export function settingsOf(
  kind: ConnectorKind,
  part: SettingPart,
  given: readonly Assignment[],
): Values {
  const schemas = Object.entries(kind[part]).map(([name, { schema }]) => [name, schema] as const);
  return valuesOf(given, Object.fromEntries(schemas));
}

function kindText({ kind, aliases, displayName }: ConnectorKind): string {
  return `${[...aliases, kind].join(', ')}: ${displayName}`;
}

/** The service checks their names; here they only have to be texts. */
function credentialsIn(given: Values, source: string): Credentials {
  const wrong = Object.entries(given).find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined)
    throw new CommandError(
      `${source === '-' ? 'Standard input' : source} must hold texts alone; ${wrong[0]} is none.`,
    );
  // Every value is a string, as just checked.
  return given as Credentials;
}

async function askForCredentials(kind: ConnectorKind, terminal: Terminal): Promise<Credentials> {
  const methods = Object.entries(kind.auth);
  const choices = methods.map(([name, { label, doc }]) => ({
    label: `${label}: ${doc}`,
    names: [name, label.toLowerCase()],
    value: name,
  }));
  const method =
    methods.length === 1
      ? methods[0]?.[0]
      : await choose(terminal, {
          text: `How to log in at ${kind.displayName}`,
          choices,
          preset: '1',
        });
  const credentials: Record<string, string> = {};
  if (method === undefined) return credentials;
  for (const [name, field] of Object.entries(kind.auth[method]?.fields ?? {})) {
    const { doc, isRequired, isShown = false } = field;
    const answer = await askUntil(terminal, {
      text: `${name} (${isRequired ? doc : `optional: ${doc}`})`,
      isHidden: !isShown,
      parse: async (given) => {
        if (given !== '' || isRequired)
          await checkCredential(kind, method, { name, value: given, others: credentials });
        return given;
      },
    });
    if (answer !== '') credentials[name] = answer;
  }
  return credentials;
}
