import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { isJsonObject } from '@patchbay/connectors/definitions';
import { fileErrorCode } from '../file-error.ts';
import { readRegularFile } from '../regular-file.ts';
import { CommandError } from '../terminal.ts';

/** Where a service is, and as whom it is used. */
export interface Profile {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly externalUserId: string;
  /** Absolute: of the service whose start left this login; absent in one of `patchbay login`. */
  readonly dataFolder?: string;
}

export const DEFAULT_PROFILE = 'default';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The file of a profile, in `$XDG_CONFIG_HOME/patchbay` or `~/.config/patchbay`.
 *
 * @throws CommandError for a name that is not valid.
 */
export function profilePath(name: string, environment: NodeJS.ProcessEnv): string {
  if (!NAME.test(name))
    throw new CommandError(
      `A profile is named by 1 to 64 letters, digits, "-" and "_", not ${JSON.stringify(name)}.`,
    );
  return join(profileFolder(environment), `${name}.json`);
}

/**
 * Stores a profile where its owner alone can read it: file mode 0600, folder mode 0700. One of that
 * name is replaced.
 *
 * @returns Its path.
 */
export function writeProfile(
  name: string,
  profile: Profile,
  environment: NodeJS.ProcessEnv,
): string {
  const path = profilePath(name, environment);
  try {
    storeProfile(path, profile, renameSync);
  } catch (error) {
    throw notWritten(path, error);
  }
  return path;
}

/** As `writeProfile`; `undefined` where a profile has that name, which stays as it is. */
export function writeNewProfile(
  name: string,
  profile: Profile,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const path = profilePath(name, environment);
  try {
    // Unlike a rename, a link takes the place of nothing.
    storeProfile(path, profile, linkSync);
  } catch (error) {
    if (fileErrorCode(error) === 'EEXIST') return undefined;
    throw notWritten(path, error);
  }
  return path;
}

/**
 * A stored profile; `undefined` where there is none of that name.
 *
 * @throws CommandError for one that cannot be read, or that others than its owner may read or change.
 */
export function readProfile(name: string, environment: NodeJS.ProcessEnv): Profile | undefined {
  const profile = readAnyProfile(name, environment);
  if (profile !== undefined) requirePrivate(profilePath(name, environment));
  return profile;
}

/**
 * The same, whoever may read or change it: to look for the one that is meant, which `readProfile` then reads.
 *
 * @throws CommandError for one that cannot be read.
 */
export function readAnyProfile(name: string, environment: NodeJS.ProcessEnv): Profile | undefined {
  const path = profilePath(name, environment);
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (fileErrorCode(error) === 'ENOENT') return undefined;
    throw new CommandError(`Cannot read ${path} (${fileErrorCode(error)}).`, { cause: error });
  }
  const profile = parseProfile(text);
  if (profile !== undefined) return profile;
  throw new CommandError(`${path} is no profile; \`patchbay login\` writes it anew.`);
}

/** The names of all profiles, in alphabetical order. */
export function profileNames(environment: NodeJS.ProcessEnv): readonly string[] {
  const folder = profileFolder(environment);
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .filter((name) => NAME.test(name))
      .toSorted();
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return [];
    throw new CommandError(`Cannot read ${folder} (${fileErrorCode(error)}).`, { cause: error });
  }
}

/** Removes a profile; says whether there was one. */
export function deleteProfile(name: string, environment: NodeJS.ProcessEnv): boolean {
  const path = profilePath(name, environment);
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return false;
    throw new CommandError(`Cannot remove ${path} (${fileErrorCode(error)}).`, { cause: error });
  }
}

/** @param put How the whole file gets its name. */
function storeProfile(
  path: string,
  profile: Profile,
  put: (draft: string, path: string) => void,
): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const text = JSON.stringify(
    {
      base_url: profile.baseUrl,
      client_id: profile.clientId,
      client_secret: profile.clientSecret,
      external_user_id: profile.externalUserId,
      // Left out where it is absent.
      data_folder: profile.dataFolder,
    },
    null,
    2,
  );
  try {
    const folder = dirname(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The folder may have existed before, with rights for others.
    chmodSync(folder, 0o700);
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
    if (wideModeOf(draft) !== undefined)
      throw new CommandError(
        `The profile ${path} cannot be kept from others, since its file system has no modes: let XDG_CONFIG_HOME name a folder elsewhere.`,
      );
    put(draft, path);
  } finally {
    if (existsSync(draft)) rmSync(draft);
  }
}

function notWritten(path: string, cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause;
  return new CommandError(`Cannot write ${path} (${fileErrorCode(cause)}).`, { cause });
}

function profileFolder(environment: NodeJS.ProcessEnv): string {
  const given = environment['XDG_CONFIG_HOME'];
  // A relative one counts as not set, says the specification of base directories.
  const base = given !== undefined && isAbsolute(given) ? given : join(homeFolder(), '.config');
  return join(base, 'patchbay');
}

function homeFolder(): string {
  try {
    return homedir();
  } catch (cause) {
    // As in a container, for a user whom its system does not know.
    throw new CommandError('This user has no home folder; XDG_CONFIG_HOME says where logins go.', {
      cause,
    });
  }
}

/** As the program treats the keys that it makes itself. */
function requirePrivate(path: string): void {
  const mode = wideModeOf(path);
  if (mode === undefined) return;
  throw new CommandError(
    `The profile ${path} has mode 0${mode.toString(8)}: others than its owner may use its secret. Run: chmod 600 ${path}`,
  );
}

/** The mode of a file that others than its owner may read or change. */
function wideModeOf(path: string): number | undefined {
  // There modes say nothing.
  if (process.platform === 'win32') return undefined;
  const mode = statSync(path).mode & 0o777;
  return (mode & 0o077) === 0 ? undefined : mode;
}

function parseProfile(text: string): Profile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { base_url, client_id, client_secret, external_user_id, data_folder } = value;
  if (
    typeof base_url !== 'string' ||
    typeof client_id !== 'string' ||
    typeof client_secret !== 'string' ||
    typeof external_user_id !== 'string'
  )
    return undefined;
  return {
    baseUrl: base_url,
    clientId: client_id,
    clientSecret: client_secret,
    externalUserId: external_user_id,
    ...(typeof data_folder === 'string' ? { dataFolder: data_folder } : {}),
  };
}
