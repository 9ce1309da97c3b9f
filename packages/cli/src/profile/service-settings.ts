import { clientFilePath, readClientFile } from '../client-file.ts';
import { CommandError } from '../terminal.ts';
import type { StoredProfile } from './left-login.ts';
import type { Profile } from './profile-file.ts';
import { findStoredProfile } from './stored-profile.ts';

/** What the flags of a command say of where the service is. */
export interface AddressFlags {
  readonly baseUrl?: string;
  readonly profile?: string;
}

/** What the flags of a command say of the service. */
export interface SettingFlags extends AddressFlags {
  readonly externalUser?: string;
}

/** Where the service is, and who says so. */
export interface Address {
  readonly baseUrl: string;
  readonly from: 'flag' | 'environment' | 'profile' | 'default';
}

/** An application, and who says which. */
export interface FoundApplication extends Credentials {
  /** `file`: the one that a service which was started in this folder made first. */
  readonly from: Exclude<Address['from'], 'default' | 'flag'> | 'file';
}

/** An external user, and who says which. */
export interface FoundUser {
  readonly id: string;
  readonly from: Address['from'];
}

/** All that is known of which service to call, as whom. */
export interface FoundSettings {
  readonly address: Address;
  /** The name of the profile that was read, whether or not all of it counts. */
  readonly profile: string | undefined;
  readonly application: FoundApplication | undefined;
  /** Why a secret that is stored does not go to the address; absent where it does, or none is stored. */
  readonly withheld: string | undefined;
  readonly externalUser: FoundUser | undefined;
}

const MAX_PORT = 65_535;

/** Whom a service that was started here makes its first token for. */
const LOCAL_EXTERNAL_USER = 'demo-user';

/**
 * Which service to call, as whom. Each setting comes from the first of these that has it: the flag,
 * the environment, the profile, which may be the login that a start has left; and what is left, from
 * a service that was started in this folder. A profile that a flag names comes before the environment
 * with address and application. A secret that is stored goes to the address that it was stored for.
 *
 * @throws CommandError that says what is missing.
 */
export function resolveSettings(flags: SettingFlags, environment: NodeJS.ProcessEnv): Profile {
  const found = findSettings(flags, environment);
  const { clientId, clientSecret } = requireApplication(found, environment);
  const { address, externalUser } = found;
  if (externalUser === undefined)
    throw new CommandError(
      'For which external user? Set PATCHBAY_EXTERNAL_USER_ID, or give --external-user.',
    );
  return { baseUrl: address.baseUrl, clientId, clientSecret, externalUserId: externalUser.id };
}

/** Of the environment: which service, as whom. */
const NAMING = [
  'PATCHBAY_BASE_URL',
  'PATCHBAY_CLIENT_ID',
  'PATCHBAY_EXTERNAL_USER_ID',
  'PATCHBAY_PROFILE',
];

/** Whether the command itself names a service: not a login that was stored once, nor one that was started here. */
export function isServiceNamed(flags: SettingFlags, environment: NodeJS.ProcessEnv): boolean {
  const { baseUrl, externalUser, profile } = flags;
  return (
    [baseUrl, externalUser, profile].some((flag) => flag !== undefined) ||
    NAMING.some((name) => nonEmpty(environment[name]) !== undefined)
  );
}

/**
 * The application to call the service as.
 *
 * @throws CommandError where nothing says which, or the one that is stored is of another service.
 */
export function requireApplication(
  { application, withheld, profile }: FoundSettings,
  environment: NodeJS.ProcessEnv,
): FoundApplication {
  if (application !== undefined) return application;
  if (withheld !== undefined) throw new CommandError(withheld);
  const isSecretMissing = nonEmpty(environment['PATCHBAY_CLIENT_ID']) !== undefined;
  const which = `Which application? Set PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET${isSecretMissing ? ' (the secret is missing)' : ''}, or log in: patchbay login.`;
  throw new CommandError(`${which} ${unusedText(profile, environment)}`);
}

/**
 * The same as `resolveSettings`, with who says so, as far as anybody does.
 *
 * @throws CommandError as `findAddress`.
 */
export function findSettings(flags: SettingFlags, environment: NodeJS.ProcessEnv): FoundSettings {
  const address = findAddress(flags, environment);
  const stored = findStoredProfile(flags, environment);
  return {
    address,
    profile: stored?.name,
    ...findApplication(flags, { stored, address, environment }),
    externalUser: findExternalUser(flags, { profile: stored?.profile, address, environment }),
  };
}

/**
 * Where the service is: the flag, a profile that a flag names, the environment and another profile say
 * so, in this order; else it is where `patchbay start` serves.
 *
 * @throws CommandError as `checkBaseUrl` and `localUrl`, and for a profile that is named and not there.
 */
export function findAddress(flags: AddressFlags, environment: NodeJS.ProcessEnv): Address {
  const variable = nonEmpty(variablesBeside(flags, environment)['PATCHBAY_BASE_URL']);
  if (flags.baseUrl !== undefined) return { baseUrl: checkBaseUrl(flags.baseUrl), from: 'flag' };
  if (variable !== undefined) return { baseUrl: checkBaseUrl(variable), from: 'environment' };
  const profile = findStoredProfile(flags, environment)?.profile;
  return profile === undefined
    ? { baseUrl: localUrl(environment), from: 'default' }
    : { baseUrl: checkBaseUrl(profile.baseUrl), from: 'profile' };
}

/**
 * Where `patchbay start` serves when nobody tells it otherwise.
 *
 * @throws CommandError for a port at which no start serves.
 */
export function localUrl(environment: NodeJS.ProcessEnv): string {
  const port = nonEmpty(environment['PORT']) ?? '8080';
  if (/^\d{1,9}$/.test(port) && Number(port) <= MAX_PORT) return `http://127.0.0.1:${port}`;
  throw new CommandError(
    `PORT must be an integer from 0 to ${MAX_PORT}, got ${JSON.stringify(port)}: mend it, or say where the service is with --base-url or PATCHBAY_BASE_URL.`,
  );
}

/** @throws CommandError for what is no http or https URL. */
export function checkBaseUrl(text: string): string {
  const url = URL.parse(text);
  const isUsable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  if (isUsable) return text.replace(/\/+$/, '');
  throw new CommandError(
    'The address of the service must be an http or https URL, such as https://patchbay.example.com, without credentials or a query.',
  );
}

/** Whether what is sent to an address stays on this machine. */
export function isLoopback(baseUrl: string): boolean {
  const hostname = URL.parse(baseUrl)?.hostname ?? '';
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function findExternalUser(
  { externalUser: flag }: SettingFlags,
  {
    profile,
    address,
    environment,
  }: {
    readonly profile: Profile | undefined;
    readonly address: Address;
    readonly environment: NodeJS.ProcessEnv;
  },
): FoundUser | undefined {
  const variable = nonEmpty(environment['PATCHBAY_EXTERNAL_USER_ID']);
  if (flag === '') throw new CommandError('--external-user is empty; leave it out, or name one.');
  if (flag !== undefined) return { id: flag, from: 'flag' };
  if (variable !== undefined) return { id: variable, from: 'environment' };
  if (profile !== undefined) return { id: profile.externalUserId, from: 'profile' };
  return address.from === 'default' ? { id: LOCAL_EXTERNAL_USER, from: 'default' } : undefined;
}

type Credentials = Pick<Profile, 'clientId' | 'clientSecret'>;

/** The variables that count for address and application: none beside a profile that a flag names. */
function variablesBeside({ profile }: AddressFlags, environment: NodeJS.ProcessEnv) {
  return profile === undefined ? environment : {};
}

/** Id and secret of one application; they may come from two places, but have to belong together. */
function findApplication(
  flags: AddressFlags,
  {
    stored,
    address,
    environment,
  }: {
    readonly stored: StoredProfile | undefined;
    readonly address: Address;
    readonly environment: NodeJS.ProcessEnv;
  },
): Pick<FoundSettings, 'application' | 'withheld'> {
  const variables = variablesBeside(flags, environment);
  const clientId = nonEmpty(variables['PATCHBAY_CLIENT_ID']);
  const clientSecret = nonEmpty(variables['PATCHBAY_CLIENT_SECRET']);
  if (clientId !== undefined && clientSecret !== undefined)
    return { application: { clientId, clientSecret, from: 'environment' }, withheld: undefined };
  const known = stored === undefined ? localSecret(environment) : secretOf(stored);
  if (known === undefined || (clientId !== undefined && clientId !== known.clientId))
    return { application: undefined, withheld: undefined };
  if (!known.isFor(address.baseUrl))
    return { application: undefined, withheld: withheldText(known, address, flags) };
  const application: FoundApplication = {
    clientId: known.clientId,
    clientSecret: clientSecret ?? known.clientSecret,
    from: clientId === undefined ? known.from : 'environment',
  };
  return { application, withheld: undefined };
}

/** Credentials that are kept in a file. */
interface StoredSecret extends Credentials {
  readonly from: 'profile' | 'file';
  readonly isFor: (baseUrl: string) => boolean;
  /** What it is, and where it goes, in the words of an error. */
  readonly whose: string;
}

function secretOf({ name, profile }: StoredProfile): StoredSecret {
  const { baseUrl, clientId, clientSecret } = profile;
  return {
    clientId,
    clientSecret,
    from: 'profile',
    isFor: (address) => isSameAddress(address, baseUrl),
    whose: `The secret of profile ${name} is for ${baseUrl} alone`,
  };
}

/** Its file says no address: the service was started on this machine, on whatever port. */
function localSecret(environment: NodeJS.ProcessEnv): StoredSecret | undefined {
  const path = clientFilePath(dataFolder(environment));
  const credentials = readClientFile(path);
  if (credentials === undefined) return undefined;
  const whose = `The secret in ${path} is of a service on this machine`;
  return { ...credentials, from: 'file', isFor: isLoopback, whose };
}

/** Whatever its spelling; another path may lead to another service. */
function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => URL.parse(text)?.href.replace(/\/+$/, ''));
  return first !== undefined && first === second;
}

/** What says where the service is. */
const SAYS_ADDRESS: Readonly<Record<Address['from'], string>> = {
  flag: '--base-url',
  environment: 'PATCHBAY_BASE_URL',
  profile: 'the profile',
  default: 'PORT',
};

function withheldText(
  { whose }: StoredSecret,
  { baseUrl, from }: Address,
  { profile }: AddressFlags,
): string {
  const first = profile === undefined ? 'set' : 'leave --profile out and set';
  return `${whose}, and is not sent to ${baseUrl} (${SAYS_ADDRESS[from]}): ${first} both PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET, for an application there, or log in there: patchbay login.`;
}

/** Why nothing that is stored says which application, though its secret may go to the address. */
function unusedText(profile: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (profile !== undefined) return `The secret of profile ${profile} is of another one.`;
  const path = clientFilePath(dataFolder(environment));
  return readClientFile(path) === undefined
    ? `There is no ${path} of a service started here either.`
    : `The secret in ${path} is of another one.`;
}

function dataFolder(environment: NodeJS.ProcessEnv): string {
  return nonEmpty(environment['PATCHBAY_DATA']) ?? './data';
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
