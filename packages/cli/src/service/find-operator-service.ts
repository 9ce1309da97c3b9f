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
  if (await isServiceAt(address.baseUrl, signal)) return serviceOf(flags, { key, address }, place);
  if (flags.json !== true)
    terminal.err(`No service answers at ${address.baseUrl}: working on the database itself.\n`);
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
  if (key.isOfServiceHere && !(await isServiceAt(baseUrl, place.signal)))
    throw new ConnectorError(
      'not_ready',
      {},
      { message: `No Patchbay service answers at ${baseUrl}.` },
    );
  return serviceOf(flags, { key, address }, place);
}

function serviceOf(
  { timeout }: OperatorFlags,
  { key, address: { baseUrl } }: Found<KnownOperatorKey>,
  { signal, terminal }: CommandPlace,
): OperatorService {
  if (baseUrl.startsWith('http:') && !isLoopback(baseUrl))
    terminal.err(
      "Beware: http sends the operator's key in clear; use https beyond this machine.\n",
    );
  const timeoutMs = timeout === undefined ? {} : { timeoutMs: timeout * 1000 };
  return new OperatorService({ baseUrl, key, ...timeoutMs }, signal);
}

function knownKey({ environment, terminal }: CommandPlace): Promise<KnownOperatorKey | undefined> {
  return findOperatorKey(environment, (problem) => terminal.err(`Warning: ${problem}\n`));
}

function isGiven(key: KnownOperatorKey | undefined): boolean {
  return key?.isOfServiceHere === false;
}

function mayBeTold({ isOfServiceHere }: KnownOperatorKey, { baseUrl }: Address): boolean {
  return !isOfServiceHere || isLoopback(baseUrl);
}
