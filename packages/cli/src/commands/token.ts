import { Patchbay } from '@patchbay/client';
import { Option, type Command } from 'commander';
import { interruptible } from '../interruption.ts';
import { jsonText } from '../output/json-text.ts';
import { resolveSettings } from '../profile/service-settings.ts';
import type { Terminal } from '../terminal.ts';
import {
  addConnectionOptions,
  addExamples,
  addJsonOption,
  type OutputFlags,
  type ServiceFlags,
} from './options.ts';

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
}

async function printToken(
  { json, access, ...flags }: TokenFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const settings = resolveSettings(flags, environment);
  const { externalUserId } = settings;
  const patchbay = new Patchbay({ ...settings, access });
  const granted = await interruptible((signal) => patchbay.scopedToken({ signal }));
  if (json === true) {
    const told = { ...granted, external_user_id: externalUserId, access };
    return terminal.out(jsonText(told, terminal.isInteractive));
  }
  terminal.out(`${granted.token}\n`);
  const minutes = Math.round(granted.expires_in / 60);
  terminal.err(`For ${externalUserId}, ${access}, good for ${minutes} minutes.\n`);
}
