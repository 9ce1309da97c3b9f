import type { Command } from 'commander';
import { requireYes } from '../../input/require-yes.ts';
import { jsonText } from '../../output/json-text.ts';
import type { OperatorFlags } from '../../service/find-operator-service.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand } from './item.ts';
import { withService, type AppPlace } from './place.ts';

interface DeleteFlags extends OperatorFlags {
  readonly yes?: true;
}

/** `patchbay app delete`: ends an application with all that it had. */
export function addAppDeleteCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(
    app,
    'delete',
    'delete an application with its secrets, tokens, connectors, credentials and copies, for good',
  )
    .option('--yes', 'do not ask')
    .action((id: string, flags: DeleteFlags) =>
      deleteApplication(id, flags, { terminal, environment }),
    );
  addExamples(command, 'patchbay app delete 01970000-0000-7000-8000-000000000000');
}

async function deleteApplication(id: string, flags: DeleteFlags, place: AppPlace): Promise<void> {
  const { terminal } = place;
  await withService(flags, place, async (service) => {
    const { id: known, name, client_id: clientId } = await service.find(id);
    await requireYes(
      terminal,
      flags.yes,
      `Delete the application "${name}" (${clientId}) and all connectors, credentials and copies of it?`,
    );
    const deleted = {
      application_id: known,
      client_id: clientId,
      ...(await service.delete(known)),
    };
    if (flags.json === true) terminal.out(jsonText(deleted, terminal.isInteractive));
    else terminal.err(`Deleted ${clientId}; its connectors go in the background.\n`);
  });
}
