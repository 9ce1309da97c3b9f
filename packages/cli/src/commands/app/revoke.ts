import type { Command } from 'commander';
import { requireYes } from '../../input/require-yes.ts';
import { jsonText } from '../../output/json-text.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples, addJsonOption, type OutputFlags } from '../options.ts';
import { DATABASE_NOTE, DELETE_NOTE } from './notes.ts';
import { withApplication } from './with-application.ts';

interface RevokeFlags extends OutputFlags {
  readonly yes?: true;
}

/** `patchbay app revoke`: ends an application, with its secret and its tokens. */
export function addAppRevokeCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = app
    .command('revoke')
    .argument('<client-id>', 'as `patchbay app list` shows it')
    .description('revoke an application: its secret and its tokens end, within 5 s')
    .option('--yes', 'do not ask')
    .addHelpText('after', DATABASE_NOTE + DELETE_NOTE)
    .action((clientId: string, flags: RevokeFlags) =>
      revoke(clientId, flags, { terminal, environment }),
    );
  addJsonOption(command);
  addExamples(command, 'patchbay app revoke 01970000-0000-7000-8000-000000000000');
}

async function revoke(
  clientId: string,
  { yes, json }: RevokeFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  await withApplication(environment, clientId, async ({ id, name }, store) => {
    await requireYes(terminal, yes, `Revoke the application "${name}" (${clientId})?`);
    await store.applications.revoke(id);
    if (json === true) terminal.out(jsonText({ client_id: clientId }, terminal.isInteractive));
    terminal.err('Revoked.\n');
  });
}
