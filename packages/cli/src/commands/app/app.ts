import type { Command } from 'commander';
import type { Terminal } from '../../terminal.ts';
import { addAppCreateCommand } from './create.ts';
import { addAppListCommand } from './list.ts';
import { addAppPurgeCommand } from './purge.ts';
import { addAppRevokeCommand } from './revoke.ts';

/** `patchbay app …`: applications, in the database itself. */
export function addAppCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const app = program.command('app').description('applications, the programs that use the service');
  app.addHelpText('after', '\nExample:\n  $ patchbay app list');
  addAppCreateCommand(app, terminal, environment);
  addAppListCommand(app, terminal, environment);
  addAppRevokeCommand(app, terminal, environment);
  addAppPurgeCommand(app, terminal, environment);
}
