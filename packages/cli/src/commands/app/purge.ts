import { randomUUID } from 'node:crypto';
import type { Store } from '@patchbay/store';
import type { Command } from 'commander';
import { requireYes } from '../../input/require-yes.ts';
import { jsonText } from '../../output/json-text.ts';
import { COMMAND_NAME } from '../../command-name.ts';
import { CommandError, type Terminal } from '../../terminal.ts';
import { addExamples, addJsonOption, type OutputFlags } from '../options.ts';
import { DATABASE_NOTE, DELETE_NOTE } from './notes.ts';
import { withApplication } from './with-application.ts';

interface PurgeFlags extends OutputFlags {
  readonly yes?: true;
}

/** `patchbay app purge`: deletes what a revoked application had. */
export function addAppPurgeCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = app
    .command('purge')
    .argument('<client-id>', 'as `patchbay app list` shows it')
    .description(
      'delete a revoked application with its connectors, credentials and copies, for good',
    )
    .option('--yes', 'do not ask')
    .addHelpText('after', DATABASE_NOTE + DELETE_NOTE)
    .action((clientId: string, flags: PurgeFlags) =>
      purge(clientId, flags, { terminal, environment }),
    );
  addJsonOption(command);
  addExamples(command, 'patchbay app purge 01970000-0000-7000-8000-000000000000');
}

async function purge(
  clientId: string,
  { yes, json }: PurgeFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  await withApplication(environment, clientId, async ({ id, name, revokedAt }, store) => {
    if (revokedAt === null)
      throw new CommandError(
        `The application is in use; first: ${COMMAND_NAME} app revoke ${clientId}`,
      );
    await requireYes(
      terminal,
      yes,
      `Delete all connectors, credentials and copies of "${name}" (${clientId})?`,
    );
    const deleted = await deleteConnectors(store, id);
    // Not before: running services delete what a deleted application has, and those connectors would be missing in the count.
    await store.applications.delete(id, randomUUID());
    await clearDeleted(store);
    if (json === true)
      terminal.out(jsonText({ client_id: clientId, connectors: deleted }, terminal.isInteractive));
    terminal.err(
      `Deleted ${deleted} connectors, with their credentials and copies. OAuth tokens among them are revoked upstream by a service that runs on this database within a day.\n`,
    );
  });
}

const AT_ONCE = 100;
const RECORDS_AT_ONCE = 1_000;

async function deleteConnectors(
  { connectors }: Pick<Store, 'connectors'>,
  applicationId: string,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const some = await connectors.deleteSome({ applicationId }, randomUUID(), { limit: AT_ONCE });
    if (some.ids.length === 0) return deleted;
    deleted += some.deleted;
  }
}

/** Also what an earlier purge left behind that did not come to its end. */
async function clearDeleted({ syncs }: Pick<Store, 'syncs'>): Promise<void> {
  for (;;) {
    const some = await syncs.uncleared(AT_ONCE);
    if (some.length === 0) return;
    for (const connector of some) while (await syncs.clearSome(connector, RECORDS_AT_ONCE));
  }
}
