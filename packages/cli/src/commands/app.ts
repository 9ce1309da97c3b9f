import { createApplication, readConfiguration } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

/** `patchbay app create`: another application, made in the database itself. */
export function addAppCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const app = program.command('app').description('applications, the programs that use the service');
  app
    .command('create')
    .description('make an application and print its client id and secret, once')
    .option('--name <name>', 'what to call it', 'Application')
    .addHelpText(
      'after',
      '\nThe embedded database has one process at a time: stop the service first.\n' +
        'With DATABASE_URL the service may go on running.',
    )
    .action(async ({ name }: { readonly name: string }) => {
      const { databaseUrl, dataFolder } = readConfiguration(environment);
      await using store = await openStore(
        databaseUrl === undefined ? { dataFolder } : { databaseUrl },
      );
      const { clientId, clientSecret } = await createApplication(store, name);
      terminal.out(`PATCHBAY_CLIENT_ID=${clientId}\nPATCHBAY_CLIENT_SECRET=${clientSecret}\n`);
      terminal.err('The secret is shown this once; keep it.\n');
    });
}
