import { Patchbay } from '@patchbay/client';
import type { Command } from 'commander';
import { askUntil } from '../input/ask.ts';
import { readStandardInput } from '../input/json-input.ts';
import { withoutEcho } from '../input/typed-line.ts';
import { interruptible } from '../interruption.ts';
import {
  DEFAULT_PROFILE,
  profilePath,
  readProfile,
  writeProfile,
  type Profile,
} from '../profile/profile-file.ts';
import { checkBaseUrl, localUrl } from '../profile/service-settings.ts';
import { warnOfClearText } from '../service/warn-of-clear-text.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { addExamples } from './options.ts';

interface LoginFlags {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly externalUser?: string;
  readonly profile?: string;
  readonly verify: boolean;
}

/** The members of a profile but the secret, and where each is looked for before asking for it. */
const ANSWERS = [
  {
    name: 'baseUrl',
    flag: '--base-url',
    variable: 'PATCHBAY_BASE_URL',
    question: 'Address of the service',
  },
  { name: 'clientId', flag: '--client-id', variable: 'PATCHBAY_CLIENT_ID', question: 'Client id' },
  {
    name: 'externalUserId',
    flag: '--external-user',
    variable: 'PATCHBAY_EXTERNAL_USER_ID',
    question: 'External user',
  },
] as const;

/** `patchbay login`: stores where the service is and as whom to use it, after trying both. */
export function addLoginCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('login')
    .description('store where the service is, and the application to use it as')
    .option('--base-url <url>', 'where the service is (PATCHBAY_BASE_URL)')
    .option('--client-id <id>', 'of the application (PATCHBAY_CLIENT_ID)')
    .option('--external-user <id>', 'whose connectors (PATCHBAY_EXTERNAL_USER_ID)')
    .option('--profile <name>', 'what to call it (PATCHBAY_PROFILE)')
    .option('--no-verify', 'store it without trying it')
    .addHelpText(
      'after',
      '\nThe client secret comes from PATCHBAY_CLIENT_SECRET, from a prompt that shows nothing, or from\n' +
        'standard input; never from the command line, where others could read it. Everything else that\n' +
        'is missing is asked for: the address, the client id, the secret, the external user. The profile is a file of mode 0600 in $XDG_CONFIG_HOME/patchbay or\n' +
        '~/.config/patchbay; PATCHBAY_BASE_URL, PATCHBAY_CLIENT_ID, PATCHBAY_CLIENT_SECRET and\n' +
        'PATCHBAY_EXTERNAL_USER_ID come before it; where --profile names it, the last alone does. Its secret\n' +
        'goes to its own address alone.',
    )
    .action((flags: LoginFlags) => logIn(flags, terminal, environment));
  addExamples(
    command,
    'patchbay login',
    'patchbay login --base-url https://patchbay.example.com --client-id 0197… --external-user alice < secret.txt',
  );
}

async function logIn(
  flags: LoginFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const name = flags.profile ?? nonEmpty(environment['PATCHBAY_PROFILE']) ?? DEFAULT_PROFILE;
  // Refuses the name of a profile before the user is asked to type anything.
  profilePath(name, environment);
  const known = storedProfile(name, environment);
  const profile = await withoutEcho(terminal, () =>
    completeProfile(flags, { known, terminal, environment }),
  );
  warnOfClearText('the secret', profile.baseUrl, terminal);
  if (flags.verify)
    await interruptible((signal) => new Patchbay(profile).scopedToken({ access: 'read', signal }));
  const path = writeProfile(name, profile, environment);
  terminal.err(
    `Logged in at ${profile.baseUrl}, for ${profile.externalUserId}: ${path} (mode 0600).\n`,
  );
}

/** The profile that is about to be replaced; one that cannot be read is no better than none. */
function storedProfile(name: string, environment: NodeJS.ProcessEnv): Profile | undefined {
  try {
    return readProfile(name, environment);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

interface LoginPlace {
  /** Its values are offered again. */
  readonly known: Profile | undefined;
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
}

/** Asks for what is missing, in the order in which docs/cli.md tells it. */
async function completeProfile(flags: LoginFlags, place: LoginPlace): Promise<Profile> {
  const { known, terminal, environment } = place;
  const given = givenAnswers(flags, environment);
  const missing = ANSWERS.filter(({ name }) => given[name] === undefined);
  if (missing.length > 0 && !terminal.canAsk)
    throw new CommandError(
      `There is no terminal to ask on; give ${missing.map(({ flag, variable }) => `${flag} or ${variable}`).join(', ')}.`,
    );
  const settle = async (
    { name, question }: (typeof ANSWERS)[number],
    preset = known?.[name],
  ): Promise<string> => {
    const parse = name === 'baseUrl' ? checkBaseUrl : notEmpty(question);
    const value = given[name];
    if (value !== undefined) return parse(value);
    return await askUntil(terminal, { text: question, preset, parse });
  };
  const [address, client, user] = ANSWERS;
  const baseUrl = await settle(address, known?.baseUrl ?? localUrl(environment));
  const clientId = await settle(client);
  const isSameClient = known?.baseUrl === baseUrl && known.clientId === clientId;
  const clientSecret = await readSecret(isSameClient ? known.clientSecret : undefined, place);
  return { baseUrl, clientId, clientSecret, externalUserId: await settle(user) };
}

function givenAnswers(
  { baseUrl, clientId, externalUser }: LoginFlags,
  environment: NodeJS.ProcessEnv,
): Readonly<Record<(typeof ANSWERS)[number]['name'], string | undefined>> {
  return {
    baseUrl: baseUrl ?? nonEmpty(environment['PATCHBAY_BASE_URL']),
    clientId: clientId ?? nonEmpty(environment['PATCHBAY_CLIENT_ID']),
    externalUserId: externalUser ?? nonEmpty(environment['PATCHBAY_EXTERNAL_USER_ID']),
  };
}

/** @param known What an empty answer leaves as it is. */
async function readSecret(
  known: string | undefined,
  { terminal, environment }: LoginPlace,
): Promise<string> {
  const given = nonEmpty(environment['PATCHBAY_CLIENT_SECRET']);
  if (given !== undefined) return checkSecret(given);
  if (!terminal.canAsk) return checkSecret(await readStandardInput());
  return await askUntil(terminal, {
    text: known === undefined ? 'Client secret' : 'Client secret [as it is]',
    isHidden: true,
    parse: (answer) => checkSecret(answer === '' ? (known ?? '') : answer),
  });
}

function checkSecret(secret: string): string {
  if (secret === '') throw new CommandError('The client secret must not be empty.');
  if (/[\r\n]/.test(secret)) throw new CommandError('The client secret must be a single line.');
  return secret;
}

function notEmpty(what: string): (text: string) => string {
  return (text) => {
    if (text === '') throw new CommandError(`${what} must not be empty.`);
    return text;
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
