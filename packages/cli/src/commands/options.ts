import { Option, type Command } from 'commander';
import type { ConnectorFlags } from '../service/choose-connector.ts';
import type { ServiceFlags } from '../service/connect.ts';
import { wholeNumber } from './arguments.ts';

export type { ConnectorFlags, ServiceFlags };

/** Whether a program reads the output. */
export interface OutputFlags {
  readonly json?: true;
}

const MAX_TIMEOUT_SECONDS = 86_400;
const SERVICE_GROUP = 'Service options:';

/** Options of every command that calls a service. */
export function addServiceOptions(command: Command): Command {
  return addTimeoutOption(addConnectionOptions(command));
}

/** Options of every command of the operator, who acts for no external user. */
export function addOperatorOptions(command: Command): Command {
  return addTimeoutOption(addAddressOptions(command));
}

/** Where the service is, and as whom it is called. */
export function addConnectionOptions(command: Command): Command {
  const user = new Option(
    '--external-user <id>',
    'whose connectors (PATCHBAY_EXTERNAL_USER_ID, the profile)',
  );
  return addAddressOptions(command.addOption(user.helpGroup(SERVICE_GROUP)));
}

/** Where the service is. */
export function addAddressOptions(command: Command): Command {
  const baseUrl = new Option(
    '--base-url <url>',
    'where the service is (PATCHBAY_BASE_URL, the profile)',
  );
  const profile = new Option(
    '--profile <name>',
    'a profile that `patchbay login` stored (PATCHBAY_PROFILE, default)',
  );
  return command
    .addOption(baseUrl.helpGroup(SERVICE_GROUP))
    .addOption(profile.helpGroup(SERVICE_GROUP));
}

function addTimeoutOption(command: Command): Command {
  return command.addOption(
    new Option('--timeout <seconds>', 'longest time of a call, 60 unless said')
      .argParser(wholeNumber(1, MAX_TIMEOUT_SECONDS))
      .helpGroup(SERVICE_GROUP),
  );
}

/** Which connector is meant. */
export function addConnectorOptions(command: Command): Command {
  return command
    .option('--connector <id>', 'the connector with this id')
    .addOption(
      new Option('--kind <kind>', 'the only connector of this kind, such as slack').conflicts(
        'connector',
      ),
    );
}

/** Output for programs. */
export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON, for programs');
}

/** Examples at the end of a command's help. */
export function addExamples(command: Command, ...examples: readonly string[]): Command {
  const heading = examples.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText(
    'after',
    `\n${heading}:\n${examples.map((each) => `  $ ${each}`).join('\n')}`,
  );
}
