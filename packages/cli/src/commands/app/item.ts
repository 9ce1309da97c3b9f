import type { Command } from 'commander';
import { addJsonOption, addOperatorOptions } from '../options.ts';
import { SERVICE_NOTE } from './notes.ts';

/** A subcommand about one application of the running service. */
export function addItemCommand(group: Command, name: string, description: string): Command {
  const command = group
    .command(name)
    .argument('<id>', 'its client id, as `patchbay app list` shows it, or its id')
    .description(description)
    .addHelpText('after', SERVICE_NOTE);
  addJsonOption(command);
  return addOperatorOptions(command);
}
