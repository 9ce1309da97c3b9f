import type { Command } from 'commander';
import type { Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addAppCreateCommand } from './create.ts';
import { addAppDeleteCommand } from './delete.ts';
import { addAppListCommand } from './list.ts';
import { addAppPurgeCommand } from './purge.ts';
import { addAppRevokeCommand } from './revoke.ts';
import { addAppSecretsCommand } from './secrets.ts';
import { addAppShowCommand } from './show.ts';
import { addAppUpdateCommand } from './update.ts';

const ADD_COMMANDS = [
  addAppCreateCommand,
  addAppListCommand,
  addAppShowCommand,
  addAppUpdateCommand,
  addAppDeleteCommand,
  addAppSecretsCommand,
  addAppRevokeCommand,
  addAppPurgeCommand,
];

/** `patchbay app …`: applications, at the running service or in the database itself. */
export function addAppCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const app = program.command('app').description('applications, the programs that use the service');
  addExamples(app, 'patchbay app list', 'patchbay app create --name "Support agent"');
  for (const add of ADD_COMMANDS) add(app, terminal, environment);
}
