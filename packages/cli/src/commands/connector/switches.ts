import type { Command } from 'commander';
import type { ConnectorChange } from '@patchbay/client';
import type { Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand, changeConnector, type ItemFlags } from './item.ts';

/** Commands that turn one switch of a connector, by name. */
const SWITCHES: Readonly<Record<string, ConnectorSwitch>> = {
  pause: {
    description: 'stop the copying of a connector; calls and searches go on',
    change: { paused: true },
  },
  resume: {
    description: 'let the paused copying of a connector go on',
    change: { paused: false },
  },
  disable: {
    description:
      'stop calls, searches and copying of a connector; needs the credentials of its application',
    change: { disabled: true },
  },
  enable: {
    description: 'let a disabled connector answer again; its copying goes on unless it is paused',
    change: { disabled: false },
  },
};

interface ConnectorSwitch {
  readonly description: string;
  readonly change: ConnectorChange;
}

/** `patchbay connector pause`, `resume`, `disable` and `enable`. */
export function addConnectorSwitchCommands(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  for (const [name, { description, change }] of Object.entries(SWITCHES)) {
    const command = addItemCommand(group, name, description).action(
      (id: string | undefined, flags: ItemFlags) =>
        changeConnector(change, { id, flags, terminal, environment }),
    );
    addExamples(command, `patchbay connector ${name} --kind slack`);
  }
}
