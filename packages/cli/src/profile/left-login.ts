import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { clientFilePath } from '../client-file.ts';
import {
  profileNames,
  profilePath,
  readAnyProfile,
  readProfile,
  writeNewProfile,
  writeProfile,
  type Profile,
} from './profile-file.ts';

/** A profile, and what it is called. */
export interface StoredProfile {
  readonly name: string;
  readonly profile: Profile;
}

/** A login that a start has left, or brought up to date. */
export interface LeftLogin {
  readonly name: string;
  readonly path: string;
}

/** The login of the first service whose start left one; those of others are `local-2` and so on. */
export const LOCAL_PROFILE = 'local';

const LEFT_NAME = /^local(?:-\d+)?$/;

/**
 * Leaves a login for the service that keeps its secrets beside a data folder. It has a name of its
 * own: a profile of that name that is of another service, or of `patchbay login`, stays as it is.
 *
 * @param mayCreate Without it, only a login that an earlier start has left is brought up to date.
 * @returns `undefined` where there is none, and none was to be made.
 * @throws CommandError where it cannot be read or written.
 */
export function leaveLogin(
  profile: Profile & { readonly dataFolder: string },
  {
    environment,
    mayCreate,
  }: { readonly environment: NodeJS.ProcessEnv; readonly mayCreate: boolean },
): LeftLogin | undefined {
  const own = leftLoginOf(profile.dataFolder, environment);
  if (own !== undefined) {
    const { name } = own;
    // The port may be another one, or the database a new one.
    if (!isDeepStrictEqual(own.profile, profile)) writeProfile(name, profile, environment);
    return { name, path: profilePath(name, environment) };
  }
  if (!mayCreate) return undefined;
  for (let count = 1; ; count++) {
    const name = count === 1 ? LOCAL_PROFILE : `${LOCAL_PROFILE}-${count}`;
    const path = writeNewProfile(name, profile, environment);
    if (path !== undefined) return { name, path };
  }
}

/** The login of the service with that data folder (an absolute path). */
export function leftLoginOf(
  dataFolder: string,
  environment: NodeJS.ProcessEnv,
): StoredProfile | undefined {
  const login = leftLogins(environment).find(({ profile }) => profile.dataFolder === dataFolder);
  return login && readLogin(login, environment);
}

/** The login of whatever service was started here, in any folder: of one that is still there, if any. */
export function anyLeftLogin(environment: NodeJS.ProcessEnv): StoredProfile | undefined {
  const logins = leftLogins(environment);
  const login = logins.find(({ profile }) => isThere(profile.dataFolder)) ?? logins[0];
  return login && readLogin(login, environment);
}

/** The one that is meant has to be its owner's alone; of others that makes no difference. */
function readLogin(
  { name }: StoredProfile,
  environment: NodeJS.ProcessEnv,
): StoredProfile | undefined {
  const profile = readProfile(name, environment);
  return profile && { name, profile };
}

/** All of them; `local` is the first. */
function leftLogins(environment: NodeJS.ProcessEnv): readonly StoredProfile[] {
  return profileNames(environment).flatMap((name) => {
    const profile = LEFT_NAME.test(name) ? readAnyProfile(name, environment) : undefined;
    return profile?.dataFolder === undefined ? [] : [{ name, profile }];
  });
}

/** With a database of its own the service has no data folder, but its secret lies beside that. */
function isThere(dataFolder: string | undefined): boolean {
  if (dataFolder === undefined) return false;
  return existsSync(dataFolder) || existsSync(clientFilePath(dataFolder));
}
