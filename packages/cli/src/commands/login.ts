import { Patchbay } from '@patchbay/client';
import type { Command } from 'commander';
import { ask, askHidden } from '../input/ask.ts';
import { readStandardInput } from '../input/json-input.ts';
import { interruptible } from '../interruption.ts';
import {
  DEFAULT_PROFILE,
  profilePath,
  writeProfile,
  type Profile,
} from '../profile/profile-file.ts';
import { checkBaseUrl, isLoopback, localUrl } from '../profile/service-settings.ts';
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
        'is missing is asked for. The profile is a file of mode 0600 in $XDG_CONFIG_HOME/patchbay or\n' +
        '~/.config/patchbay; PATCHBAY_BASE_URL, PATCHBAY_CLIENT_ID, PATCHBAY_CLIENT_SECRET and\n' +
        'PATCHBAY_EXTERNAL_USER_ID come before it.',
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
  const profile = await completeProfile(flags, terminal, environment);
  if (profile.baseUrl.startsWith('http:') && !isLoopback(profile.baseUrl))
    terminal.err('Beware: http sends the secret in clear; use https beyond this machine.\n');
  if (flags.verify)
    await interruptible((signal) => new Patchbay(profile).scopedToken({ access: 'read', signal }));
  const path = writeProfile(name, profile, environment);
  terminal.err(
    `Logged in at ${profile.baseUrl}, for ${profile.externalUserId}: ${path} (mode 0600).\n`,
  );
}

async function completeProfile(
  flags: LoginFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<Profile> {
  const given: Readonly<Record<(typeof ANSWERS)[number]['name'], string | undefined>> = {
    baseUrl: flags.baseUrl ?? nonEmpty(environment['PATCHBAY_BASE_URL']),
    clientId: flags.clientId ?? nonEmpty(environment['PATCHBAY_CLIENT_ID']),
    externalUserId: flags.externalUser ?? nonEmpty(environment['PATCHBAY_EXTERNAL_USER_ID']),
  };
  const missing = ANSWERS.filter(({ name }) => given[name] === undefined);
  if (missing.length > 0 && !terminal.canAsk)
    throw new CommandError(
      `There is no terminal to ask on; give ${missing.map(({ flag, variable }) => `${flag} or ${variable}`).join(', ')}.`,
    );
  const answers: Record<string, string> = {};
  for (const { name, question } of ANSWERS)
    answers[name] =
      given[name] ??
      (await askFor(terminal, question, name === 'baseUrl' ? localUrl(environment) : undefined));
  const { baseUrl = '', clientId = '', externalUserId = '' } = answers;
  return {
    baseUrl: checkBaseUrl(baseUrl),
    clientId,
    clientSecret: await readSecret(terminal, environment),
    externalUserId,
  };
}

async function askFor(terminal: Terminal, question: string, preset?: string): Promise<string> {
  const answer = await ask(terminal, question, preset);
  if (answer === '') throw new CommandError(`${question} must not be empty.`);
  return answer;
}

async function readSecret(terminal: Terminal, environment: NodeJS.ProcessEnv): Promise<string> {
  const secret =
    nonEmpty(environment['PATCHBAY_CLIENT_SECRET']) ??
    (terminal.canAsk ? await askHidden(terminal, 'Client secret') : await readStandardInput());
  if (secret === '') throw new CommandError('The client secret must not be empty.');
  if (/[\r\n]/.test(secret)) throw new CommandError('The client secret must be a single line.');
  return secret;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
