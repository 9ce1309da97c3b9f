import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { clientFilePath } from '../client-file.ts';
import { CommandError } from '../terminal.ts';
import { anyLeftLogin, leftLoginOf, type StoredProfile } from './left-login.ts';
import { DEFAULT_PROFILE, profilePath, readProfile } from './profile-file.ts';

/** What may name a profile, or make one needless. */
interface ProfileFlags {
  readonly baseUrl?: string;
  readonly profile?: string;
}

/** Settings of a service; with any of them, a login that nobody named is not asked. */
const OF_A_SERVICE = ['PATCHBAY_BASE_URL', 'PATCHBAY_CLIENT_ID', 'PATCHBAY_CLIENT_SECRET'] as const;

/**
 * The profile to use: the one that is named, else `default`, else a login that `patchbay start` has
 * left. `undefined` where there is none of them.
 *
 * @throws CommandError for a profile that is named and not there.
 */
export function findStoredProfile(
  flags: ProfileFlags,
  environment: NodeJS.ProcessEnv,
): StoredProfile | undefined {
  const named = flags.profile ?? (environment['PATCHBAY_PROFILE'] || undefined);
  const name = named ?? DEFAULT_PROFILE;
  const profile = readProfile(name, environment);
  if (profile !== undefined) return { name, profile };
  if (named === undefined) return findUnnamed(flags, environment);
  throw new CommandError(
    `There is no profile ${named} (${profilePath(named, environment)}); make it with \`patchbay login --profile ${named}\`.`,
  );
}

/**
 * The login of the service that was started here: in this folder, or else in any. Its secret goes to
 * its own address alone, so it does not count where another address or application is given.
 */
function findUnnamed(
  { baseUrl }: ProfileFlags,
  environment: NodeJS.ProcessEnv,
): StoredProfile | undefined {
  const isServiceGiven = OF_A_SERVICE.some((name) => (environment[name] ?? '') !== '');
  if (baseUrl !== undefined || isServiceGiven) return undefined;
  const givenFolder = environment['PATCHBAY_DATA'] || undefined;
  const dataFolder = resolve(givenFolder ?? 'data');
  const ofThisFolder = leftLoginOf(dataFolder, environment);
  if (ofThisFolder !== undefined) return ofThisFolder;
  // Its start left none, but it is nearer than a service of another folder.
  const isStartedHere = givenFolder !== undefined || existsSync(clientFilePath(dataFolder));
  return isStartedHere ? undefined : anyLeftLogin(environment);
}
