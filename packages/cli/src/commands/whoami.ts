import type { Application } from '@patchbay/connectors/wire';
import type { Command } from 'commander';
import { interruptible } from '../interruption.ts';
import { jsonText } from '../output/json-text.ts';
import { sourcedSettings } from '../output/setting-source.ts';
import { renderRecord } from '../output/table.ts';
import { profilePath } from '../profile/profile-file.ts';
import {
  findSettings,
  requireApplication,
  type FoundSettings,
} from '../profile/service-settings.ts';
import { logIn, readApplication, readReach } from '../service/application-service.ts';
import { timeoutOf, warnOfSecret, type ConnectPlace } from '../service/connect.ts';
import type { Terminal } from '../terminal.ts';
import {
  addExamples,
  addJsonOption,
  addServiceOptions,
  type OutputFlags,
  type ServiceFlags,
} from './options.ts';

type WhoamiFlags = ServiceFlags & OutputFlags;

/** `patchbay whoami`: which application and external user commands act for, and who says so. */
export function addWhoamiCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('whoami')
    .description('tell as which application, and for which external user, commands act')
    .addHelpText(
      'after',
      '\nIt logs in, and shows no secret. What is said by several counts in this order: the flag, the\n' +
        'environment, the profile, a service that was started in this folder. A profile that a flag names\n' +
        'comes before the environment with its address and application.',
    )
    .action((flags: WhoamiFlags) => whoami(flags, terminal, environment));
  addJsonOption(command);
  addServiceOptions(command);
  addExamples(command, 'patchbay whoami', 'patchbay whoami --profile staging --json');
}

async function whoami(
  flags: WhoamiFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const settings = findSettings(flags, environment);
  const identity = await interruptible((signal) =>
    identify(settings, { flags, terminal, environment, signal }),
  );
  const { profile } = settings;
  const told = {
    ...identity,
    profile:
      profile === undefined ? null : { name: profile, path: profilePath(profile, environment) },
  };
  if (flags.json === true) return terminal.out(jsonText(told, terminal.isInteractive));
  terminal.out(renderRecord(rowsOf(told, settings), terminal));
  if (identity.external_user_id === null)
    terminal.err(
      'No external user is set: give --external-user or PATCHBAY_EXTERNAL_USER_ID, or name a connector by its id.\n',
    );
}

interface Identity {
  readonly base_url: string;
  readonly base_url_from: string;
  readonly client_id: string;
  readonly client_id_from: string;
  readonly application: Pick<Application, 'id' | 'name'> | null;
  readonly external_user_id: string | null;
  readonly external_user_id_from: string | null;
  readonly access: string | null;
}

async function identify(
  settings: FoundSettings,
  {
    flags,
    terminal,
    environment,
    signal,
  }: ConnectPlace & {
    readonly flags: WhoamiFlags;
    readonly signal: AbortSignal;
  },
): Promise<Identity> {
  const application = requireApplication(settings, environment);
  const { address, externalUser } = settings;
  warnOfSecret(address.baseUrl, flags, terminal);
  const place = { baseUrl: address.baseUrl, signal, ...timeoutOf(flags) };
  const { access_token: token, application_id: id } = await logIn(application, place);
  const known = id === undefined ? undefined : await readApplication(id, token, place);
  const reach = externalUser && (await readReach(externalUser.id, token, place));
  return {
    base_url: address.baseUrl,
    base_url_from: address.from,
    client_id: application.clientId,
    client_id_from: application.from,
    application: known === undefined ? null : { id: known.id, name: known.name },
    external_user_id: externalUser?.id ?? null,
    external_user_id_from: externalUser?.from ?? null,
    access: reach?.access ?? null,
  };
}

type Told = Identity & {
  readonly profile: { readonly name: string; readonly path: string } | null;
};

function rowsOf(told: Told, settings: FoundSettings): Readonly<Record<string, string>> {
  const { application, profile } = told;
  const { service, clientId = 'none', externalUser = 'none' } = sourcedSettings(settings);
  return {
    service,
    profile: profile === null ? 'none' : `${profile.name} (${profile.path})`,
    application:
      application === null ? 'not told by this service' : `${application.name} (${application.id})`,
    client_id: clientId,
    external_user: externalUser,
    may: mayText(told),
  };
}

/** What the tokens of commands allow. */
function mayText({ access, external_user_id: user }: Identity): string {
  if (user === null) return 'read and write, with any connector that is named by its id';
  const acts = access === 'write' ? 'read and write' : 'read';
  return `${acts}, with the connectors of ${user}`;
}
