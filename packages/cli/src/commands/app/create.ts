import type { Command } from 'commander';
import { jsonText } from '../../output/json-text.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples, addJsonOption, type OutputFlags } from '../options.ts';
import { DATABASE_NOTE } from './database-note.ts';

interface CreateFlags extends OutputFlags {
  readonly name: string;
}

/** `patchbay app create`: another application, made in the database itself. */
export function addAppCreateCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = app
    .command('create')
    .description('make an application and print its client id and secret, once')
    .option('--name <name>', 'what to call it', 'Application')
    .addHelpText('after', DATABASE_NOTE)
    .action((flags: CreateFlags) => create(flags, terminal, environment));
  addJsonOption(command);
  addExamples(command, 'patchbay app create --name "Support agent"');
}

async function create(
  { name, json }: CreateFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { createApplication } = await import('@patchbay/server');
  const { openDatabase } = await import('../../service/open-database.ts');
  const { store } = await openDatabase(environment);
  await using _ = store;
  const { applicationId, clientId, clientSecret } = await createApplication(store, name);
  if (json === true)
    terminal.out(
      jsonText(
        { application_id: applicationId, name, client_id: clientId, client_secret: clientSecret },
        terminal.isInteractive,
      ),
    );
  else terminal.out(`PATCHBAY_CLIENT_ID=${clientId}\nPATCHBAY_CLIENT_SECRET=${clientSecret}\n`);
  terminal.err('The secret is shown this once; keep it.\n');
}
