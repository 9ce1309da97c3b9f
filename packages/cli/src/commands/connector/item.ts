import type { ConnectorChange, ConnectorInfo, Patchbay } from '@patchbay/client';
import type { Command } from 'commander';
import { interruptible } from '../../interruption.ts';
import { showConnector } from '../../output/connector-view.ts';
import type { ConnectPlace } from '../../service/connect.ts';
import { connectToConnector } from '../../service/connect-to-connector.ts';
import { CommandError } from '../../terminal.ts';
import {
  addConnectorOptions,
  addJsonOption,
  addServiceOptions,
  type ConnectorFlags,
  type OutputFlags,
  type ServiceFlags,
} from '../options.ts';

/** Flags of a command about one connector. */
export type ItemFlags = ServiceFlags & OutputFlags & ConnectorFlags;

/** A subcommand about one connector, which is named by its id, `--connector` or `--kind`. */
export function addItemCommand(group: Command, name: string, description: string): Command {
  const command = group
    .command(name)
    .argument('[id]', 'the same as --connector')
    .description(description);
  addConnectorOptions(command);
  addJsonOption(command);
  return addServiceOptions(command);
}

/** A connector, and the service to do something with it. */
export interface Item {
  readonly patchbay: Patchbay;
  readonly info: ConnectorInfo;
  readonly signal: AbortSignal;
}

/** Looks the connector up and does something with it, until Ctrl-C. */
export function withConnector<T>(
  id: string | undefined,
  flags: ItemFlags,
  {
    terminal,
    environment,
    work,
  }: ConnectPlace & {
    readonly work: (item: Item) => Promise<T>;
  },
): Promise<T> {
  const chosen = { ...flags, ...choiceOf(id, flags) };
  return interruptible(async (signal) => {
    const connection = await connectToConnector({ flags: chosen, terminal, environment, signal });
    return await work({ ...connection, signal });
  });
}

/** Changes one connector, and shows what it has become. */
export function changeConnector(
  change: ConnectorChange,
  {
    id,
    flags,
    terminal,
    environment,
  }: ConnectPlace & {
    readonly id: string | undefined;
    readonly flags: ItemFlags;
  },
): Promise<void> {
  return withConnector(id, flags, {
    terminal,
    environment,
    work: async ({ patchbay, info, signal }) => {
      const changed = await patchbay.connectors.update(info.id, change, { signal });
      showConnector(changed, flags, terminal);
    },
  });
}

/** @throws CommandError for a connector that is named twice. */
function choiceOf(id: string | undefined, flags: ConnectorFlags): ConnectorFlags {
  if (id === undefined) return flags;
  if (flags.connector === undefined && flags.kind === undefined) return { connector: id };
  throw new CommandError('Name the connector once: by its id, --connector or --kind.');
}
