import type { Command } from 'commander';
import type { Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addKeysRotateCommand } from './rotate.ts';
import { addKeysStatusCommand } from './status.ts';

/** `patchbay keys …`: the master key and the keys that sign tokens, at the running service. */
export function addKeysCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const keys = program
    .command('keys')
    .description('the master key, and the keys that sign tokens: what is in use, and rotation');
  addExamples(keys, 'patchbay keys status', 'patchbay keys rotate');
  addKeysStatusCommand(keys, terminal, environment);
  addKeysRotateCommand(keys, terminal, environment);
}
