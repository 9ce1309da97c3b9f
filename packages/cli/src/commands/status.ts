import { isConnectorError } from '@patchbay/connectors/definitions';
import type { Command } from 'commander';
import { interruptible } from '../interruption.ts';
import { EXIT_CODES, exitNameOf, type ExitName } from '../output/exit-codes.ts';
import { jsonText } from '../output/json-text.ts';
import { showStatus, statusJson, type Status } from '../output/status-view.ts';
import { ToldFailure } from '../output/told-failure.ts';
import { findSettings, type FoundSettings } from '../profile/service-settings.ts';
import { connectAsApplication } from '../service/connect-as-application.ts';
import { connect, type ConnectPlace } from '../service/connect.ts';
import {
  needsSomebody,
  readConnectorStates,
  type ConnectorStates,
} from '../service/copies-state.ts';
import { readServiceState } from '../service/service-state.ts';
import type { Terminal } from '../terminal.ts';
import {
  addExamples,
  addJsonOption,
  addServiceOptions,
  type OutputFlags,
  type ServiceFlags,
} from './options.ts';

type StatusFlags = ServiceFlags & OutputFlags;

const { wait, operator, caller } = EXIT_CODES;

/** `patchbay status`: whether the service works, and how its connectors and their copies are. */
export function addStatusCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('status')
    .description('tell how the service, its connectors and their copies are')
    .addHelpText(
      'after',
      '\nIt shows the connectors of the external user, or all of the application where none is set, and\n' +
        'without credentials what everybody may know.\n\n' +
        `Ends with 0 where all is well, with ${wait.code} where the service does not answer or is not ready,\n` +
        `with ${operator.code} where no process copies records or a connector is degraded or needs new credentials,\n` +
        `with ${caller.code} where the service refuses the application.`,
    )
    .action((flags: StatusFlags) => tellStatus(flags, terminal, environment));
  addJsonOption(command);
  addServiceOptions(command);
  addExamples(command, 'patchbay status', 'patchbay status --json | jq .connectors.by_status');
}

async function tellStatus(
  flags: StatusFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const settings = findSettings(flags, environment);
  const status = await interruptible((signal) =>
    readStatus(settings, { flags, terminal, environment, signal }),
  );
  if (flags.json === true) terminal.out(jsonText(statusJson(status), terminal.isInteractive));
  else showStatus(status, terminal);
  const exit = exitOf(status);
  if (exit !== 'ok') throw new ToldFailure(exit);
}

interface StatusRequest extends ConnectPlace {
  readonly flags: StatusFlags;
  readonly signal: AbortSignal;
}

async function readStatus(settings: FoundSettings, request: StatusRequest): Promise<Status> {
  const { baseUrl } = settings.address;
  const service = await readServiceState({ baseUrl, signal: request.signal });
  const status = { settings, service, connectors: undefined, refusal: undefined };
  if (!service.ready || settings.application === undefined) return status;
  try {
    return { ...status, connectors: await readConnectors(settings, request) };
  } catch (error) {
    if (!isConnectorError(error)) throw error;
    return { ...status, refusal: error };
  }
}

async function readConnectors(
  settings: FoundSettings,
  request: StatusRequest,
): Promise<ConnectorStates> {
  const patchbay =
    settings.externalUser === undefined
      ? await connectAsApplication(settings, request)
      : connect(request.flags, request, 'read');
  return await readConnectorStates(patchbay, request.signal);
}

/** The first that is not well says how it ends. */
function exitOf({ service, connectors, refusal }: Status): ExitName {
  const error = service.error ?? refusal;
  if (error !== undefined) return exitNameOf(error);
  const isIll = connectors?.all.some(({ status }) => needsSomebody(status)) === true;
  return service.workers === 0 || isIll ? 'operator' : 'ok';
}
