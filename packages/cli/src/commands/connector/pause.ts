import type { Command } from 'commander';
import { showConnector } from '../../output/connector-view.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand, withConnector, type ItemFlags } from './item.ts';

/** `patchbay connector pause`: its copies stay as they are; calls and searches go on. */
export function addConnectorPauseCommand(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(
    group,
    'pause',
    'stop the syncs of a connector; calls and searches go on',
  ).action((id: string | undefined, flags: ItemFlags) =>
    setPaused(true, { id, flags, terminal, environment }),
  );
  addExamples(command, 'patchbay connector pause --kind slack');
}

/** `patchbay connector resume`: syncs go on where they stopped. */
export function addConnectorResumeCommand(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(
    group,
    'resume',
    'let the syncs of a paused connector go on',
  ).action((id: string | undefined, flags: ItemFlags) =>
    setPaused(false, { id, flags, terminal, environment }),
  );
  addExamples(command, 'patchbay connector resume --kind slack');
}

interface PauseRequest {
  readonly id: string | undefined;
  readonly flags: ItemFlags;
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
}

function setPaused(
  paused: boolean,
  { id, flags, terminal, environment }: PauseRequest,
): Promise<void> {
  return withConnector(id, flags, {
    environment,
    work: async ({ patchbay, info, signal }) => {
      const changed = await patchbay.connectors.update(info.id, { paused }, { signal });
      showConnector(changed, flags, terminal);
    },
  });
}
