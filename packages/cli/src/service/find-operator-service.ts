import { ConnectorError } from '@patchbay/connectors/definitions';
import { COMMAND_NAME } from '../command-name.ts';
import {
  findAddress,
  isLoopback,
  type Address,
  type AddressFlags,
} from '../profile/service-settings.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { findOperatorKey, type KnownOperatorKey } from './operator-key.ts';
import { isServiceAt, OperatorService } from './operator-service.ts';
import { warnOfClearText } from './warn-of-clear-text.ts';

/** What the flags of a command say of the service that the operator means. */
export interface OperatorFlags extends AddressFlags {
  /** Seconds. */
  readonly timeout?: number;
  readonly json?: true;
}

/** Where a command finds what it needs. */
export interface CommandPlace {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * The running service, where its operator's key is known; `undefined` where a command is to work on the
 * database itself, as it does where no key is known. A key and an address that were both given mean that
 * service: where it does not answer, that is an error of the call, and no other place is tried. Nor is
 * one after a service has answered, whatever it says.
 */
export async function findOperatorService(
  flags: OperatorFlags,
  place: CommandPlace,
): Promise<OperatorService | undefined> {
  const { terminal, environment, signal } = place;
  const address = findAddress(flags, environment);
  const key = await knownKey(place);
  const isMeant = address.from === 'flag' || (address.from !== 'default' && isGiven(key));
  if (isMeant) return await requireService(flags, { key, address }, place);
  if (key === undefined || !mayBeTold(key, address)) return undefined;
  const absence = await findAbsence({ key, address }, signal);
  if (absence === undefined) return serviceOf(flags, { key, address }, place);
  if (flags.json !== true) terminal.err(`${absence}: working on the database itself.\n`);
  return undefined;
}

/**
 * The service for what cannot be done on the database itself.
 *
 * @throws CommandError that says what is missing; `not_ready`. Whether a service that is given a key
 * answers, the first call tells.
 */
export async function requireOperatorService(
  flags: OperatorFlags,
  place: CommandPlace,
): Promise<OperatorService> {
  const address = findAddress(flags, place.environment);
  return await requireService(flags, { key: await knownKey(place), address }, place);
}

interface Found<Key> {
  readonly key: Key;
  readonly address: Address;
}

async function requireService(
  flags: OperatorFlags,
  { key, address }: Found<KnownOperatorKey | undefined>,
  place: CommandPlace,
): Promise<OperatorService> {
  const { baseUrl } = address;
  if (key === undefined)
    throw new CommandError(
      `This is asked of the service at ${baseUrl}, with its operator's key: set PATCHBAY_OPERATOR_KEY or PATCHBAY_OPERATOR_KEY_FILE. \`${COMMAND_NAME} start\` with the embedded database leaves one beside the data folder (PATCHBAY_DATA); there is none.`,
    );
  if (!mayBeTold(key, address))
    throw new CommandError(
      `The operator's key in ${key.source} is of a service on this machine, and is not sent to ${baseUrl}: set PATCHBAY_OPERATOR_KEY or PATCHBAY_OPERATOR_KEY_FILE to the key of that service.`,
    );
  // Nobody said that this key is for whoever listens there.
  const absence =
    key.dataFolder === undefined ? undefined : await findAbsence({ key, address }, place.signal);
  if (absence !== undefined) {
    const message = `${absence}. The operator's key in ${key.source} goes to the service that made it alone; PATCHBAY_OPERATOR_KEY_FILE gives it to another one.`;
    throw new ConnectorError('not_ready', {}, { message });
  }
  return serviceOf(flags, { key, address }, place);
}

/**
 * Why no service is there for the key; `undefined` where one answers. While no process has the data folder
 * of the key open, whoever listens is none, though any program of this machine can answer as one.
 */
async function findAbsence(
  { key: { dataFolder }, address: { baseUrl } }: Found<KnownOperatorKey>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (dataFolder !== undefined && !(await isOpen(dataFolder)))
    return `No process has the data folder ${dataFolder} open`;
  return (await isServiceAt(baseUrl, signal)) ? undefined : `No service answers at ${baseUrl}`;
}

async function isOpen(dataFolder: string): Promise<boolean> {
  // Loaded late: it takes longer to load than most commands to run.
  const { isFolderHeld } = await import('@patchbay/store');
  return await isFolderHeld(dataFolder);
}

function serviceOf(
  { timeout }: OperatorFlags,
  { key, address: { baseUrl } }: Found<KnownOperatorKey>,
  { signal, terminal }: CommandPlace,
): OperatorService {
  warnOfClearText("the operator's key", baseUrl, terminal);
  const timeoutMs = timeout === undefined ? {} : { timeoutMs: timeout * 1000 };
  return new OperatorService({ baseUrl, key, ...timeoutMs }, signal);
}

function knownKey({ environment, terminal }: CommandPlace): Promise<KnownOperatorKey | undefined> {
  return findOperatorKey(environment, (problem) => terminal.err(`Warning: ${problem}\n`));
}

function isGiven(key: KnownOperatorKey | undefined): boolean {
  return key !== undefined && key.dataFolder === undefined;
}

function mayBeTold({ dataFolder }: KnownOperatorKey, { baseUrl }: Address): boolean {
  return dataFolder === undefined || isLoopback(baseUrl);
}
