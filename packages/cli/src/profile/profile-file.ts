import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isJsonObject } from '@patchbay/connectors/definitions';
import { CommandError } from '../terminal.ts';

/** Where a service is, and as whom it is used. */
export interface Profile {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly externalUserId: string;
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

/** Stores a profile where its owner alone can read it: file mode 0600, folder mode 0700. */
export function writeProfile(
  name: string,
  profile: Profile,
  environment: NodeJS.ProcessEnv,
): string {
  const path = profilePath(name, environment);
  const draft = `${path}.${process.pid}`;
  const text = JSON.stringify(
    {
      base_url: profile.baseUrl,
      client_id: profile.clientId,
      client_secret: profile.clientSecret,
      external_user_id: profile.externalUserId,
    },
    null,
    2,
  );
  try {
    const folder = profileFolder(environment);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The folder may have existed before, with rights for others.
    chmodSync(folder, 0o700);
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CommandError(`Cannot write ${path} (${codeOf(error)}).`, { cause: error });
  }
  return path;
}

/** A stored profile; `undefined` where there is none of that name. */
export function readProfile(name: string, environment: NodeJS.ProcessEnv): Profile | undefined {
  const path = profilePath(name, environment);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CommandError(`Cannot read ${path} (${codeOf(error)}).`, { cause: error });
  }
  const profile = parseProfile(text);
  if (profile !== undefined) return profile;
  throw new CommandError(`${path} is no profile; \`patchbay login\` writes it anew.`);
}

/** Removes a profile; says whether there was one. */
export function deleteProfile(name: string, environment: NodeJS.ProcessEnv): boolean {
  const path = profilePath(name, environment);
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw new CommandError(`Cannot remove ${path} (${codeOf(error)}).`, { cause: error });
  }
}

function profileFolder(environment: NodeJS.ProcessEnv): string {
  const given = environment['XDG_CONFIG_HOME'];
  // A relative one counts as not set, says the specification of base directories.
  const base = given !== undefined && isAbsolute(given) ? given : join(homedir(), '.config');
  return join(base, 'patchbay');
}

function parseProfile(text: string): Profile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { base_url, client_id, client_secret, external_user_id } = value;
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
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
