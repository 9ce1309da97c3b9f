import { clientFilePath, readClientFile } from '../client-file.ts';
import { CommandError } from '../terminal.ts';
import { DEFAULT_PROFILE, profilePath, readProfile, type Profile } from './profile-file.ts';

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

/** Whom a service that was started here makes its first token for. */
const LOCAL_EXTERNAL_USER = 'demo-user';

/**
 * Which service to call, as whom. Each setting comes from the first of these that has it: the flag,
 * the environment, the profile; and what is left, from a service that was started in this folder.
 *
 * @throws CommandError that says what is missing.
 */
export function resolveSettings(flags: SettingFlags, environment: NodeJS.ProcessEnv): Profile {
  const env = (name: string) => nonEmpty(environment[name]);
  const profile = findProfile(flags, environment);
  const baseUrl = flags.baseUrl ?? env('PATCHBAY_BASE_URL') ?? profile?.baseUrl;
  const externalUserId =
    flags.externalUser ?? env('PATCHBAY_EXTERNAL_USER_ID') ?? profile?.externalUserId;
  const credentials = clientCredentials(profile, environment);
  if (externalUserId === undefined && baseUrl !== undefined)
    throw new CommandError(
      'For which external user? Set PATCHBAY_EXTERNAL_USER_ID, or give --external-user.',
    );
  return {
    baseUrl: checkBaseUrl(baseUrl ?? localUrl(environment)),
    ...credentials,
    externalUserId: externalUserId ?? LOCAL_EXTERNAL_USER,
  };
}

/**
 * Where the service is: the flag, the environment and the profile say so, in this order; else it is
 * where `patchbay start` serves.
 *
 * @throws CommandError as `checkBaseUrl`, and for a profile that is named and not there.
 */
export function findAddress(flags: AddressFlags, environment: NodeJS.ProcessEnv): Address {
  const variable = nonEmpty(environment['PATCHBAY_BASE_URL']);
  if (flags.baseUrl !== undefined) return { baseUrl: checkBaseUrl(flags.baseUrl), from: 'flag' };
  if (variable !== undefined) return { baseUrl: checkBaseUrl(variable), from: 'environment' };
  const profile = findProfile(flags, environment);
  return profile === undefined
    ? { baseUrl: localUrl(environment), from: 'default' }
    : { baseUrl: checkBaseUrl(profile.baseUrl), from: 'profile' };
}

/** Where `patchbay start` serves when nobody tells it otherwise. */
export function localUrl(environment: NodeJS.ProcessEnv): string {
  return `http://127.0.0.1:${nonEmpty(environment['PORT']) ?? '8080'}`;
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
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function findProfile(
  { profile: flag }: AddressFlags,
  environment: NodeJS.ProcessEnv,
): Profile | undefined {
  const named = flag ?? nonEmpty(environment['PATCHBAY_PROFILE']);
  const profile = readProfile(named ?? DEFAULT_PROFILE, environment);
  if (profile !== undefined || named === undefined) return profile;
  throw new CommandError(
    `There is no profile ${named} (${profilePath(named, environment)}); make it with \`patchbay login --profile ${named}\`.`,
  );
}

type Credentials = Pick<Profile, 'clientId' | 'clientSecret'>;

/** Id and secret of one application; they may come from two places, but have to belong together. */
function clientCredentials(
  profile: Profile | undefined,
  environment: NodeJS.ProcessEnv,
): Credentials {
  const clientId = nonEmpty(environment['PATCHBAY_CLIENT_ID']);
  const clientSecret = nonEmpty(environment['PATCHBAY_CLIENT_SECRET']);
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  const known = profile ?? localCredentials(environment);
  if (known === undefined || (clientId !== undefined && clientId !== known.clientId))
    throw new CommandError(
      `Which application? Set PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET${clientId === undefined ? '' : ' (the secret is missing)'}, or log in: patchbay login. There is no ${clientFilePath(dataFolder(environment))} of a service started here either.`,
    );
  return { clientId: known.clientId, clientSecret: clientSecret ?? known.clientSecret };
}

function localCredentials(environment: NodeJS.ProcessEnv): Credentials | undefined {
  return readClientFile(clientFilePath(dataFolder(environment)));
}

function dataFolder(environment: NodeJS.ProcessEnv): string {
  return nonEmpty(environment['PATCHBAY_DATA']) ?? './data';
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
