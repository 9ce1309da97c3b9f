import { Patchbay } from '@patchbay/client';
import { Option, type Command } from 'commander';
import { readStandardInput } from '../input/json-input.ts';
import { interruptible } from '../interruption.ts';
import { jsonText } from '../output/json-text.ts';
import { settingsToSend } from '../service/connect.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import {
  addAddressOptions,
  addConnectionOptions,
  addExamples,
  addJsonOption,
  type OutputFlags,
  type ServiceFlags,
} from './options.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface TokenFlags extends ServiceFlags, OutputFlags {
  readonly access: 'read' | 'write';
}

/** `patchbay token`: a scoped token from the running service, on standard output alone. */
export function addTokenCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('token')
    .description('print a scoped token, for an agent, a browser or curl')
    .addOption(
      new Option('--access <access>', 'what it allows').choices(['read', 'write']).default('write'),
    )
    .action((flags: TokenFlags) => printToken(flags, terminal, environment));
  addJsonOption(command);
  addConnectionOptions(command);
  addExamples(command, 'TOKEN=$(patchbay token --external-user alice --access read)');
  addRevokeCommand(command, terminal, environment);
}

function addRevokeCommand(
  token: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = token
    .command('revoke')
    .description('revoke one token of the application, in all processes within 1 s')
    .argument(
      '<which>',
      'the id of a token (its claim jti); "-" reads the token from standard input',
    )
    .action((which: string, _flags: unknown, self: Command) =>
      revokeToken(which, self.optsWithGlobals<ServiceFlags & OutputFlags>(), {
        terminal,
        environment,
      }),
    );
  addJsonOption(command);
  addAddressOptions(command);
  addExamples(command, 'echo "$TOKEN" | patchbay token revoke -');
}

async function revokeToken(
  which: string,
  { json, ...flags }: ServiceFlags & OutputFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  if (which !== '-' && !UUID.test(which))
    throw new CommandError(
      'Give the id of a token, a UUID; or "-", and the token itself on standard input, where nobody else sees it.',
    );
  // The client wants one, and no call of this command is for one.
  const settings = settingsToSend({ ...flags, externalUser: 'nobody' }, { terminal, environment });
  const patchbay = new Patchbay(settings);
  const given = which === '-' ? { token: (await readStandardInput()).trim() } : { jti: which };
  await interruptible((signal) => patchbay.revokeToken(given, { signal }));
  if (json === true) {
    // The service does not say what the token was, and a token belongs into no output.
    const told = which === '-' ? {} : { jti: which };
    return terminal.out(jsonText(told, terminal.isInteractive));
  }
  terminal.err('Revoked, where it was a token of the application that still lived.\n');
}

async function printToken(
  { access, ...flags }: TokenFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const settings = settingsToSend(flags, { terminal, environment });
  const { externalUserId } = settings;
  const patchbay = new Patchbay({ ...settings, access });
  const granted = await interruptible((signal) => patchbay.scopedToken({ signal }));
  if (flags.json === true) {
    const told = { ...granted, external_user_id: externalUserId, access };
    return terminal.out(jsonText(told, terminal.isInteractive));
  }
  terminal.out(`${granted.token}\n`);
  const minutes = Math.round(granted.expires_in / 60);
  terminal.err(`For ${externalUserId}, ${access}, good for ${minutes} minutes.\n`);
}
