import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileErrorCode } from './file-error.ts';
import { readRegularFile } from './regular-file.ts';
import { CommandError } from './terminal.ts';

/** An application's own credentials at a service. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Where a first start leaves the application's secret: beside the data folder. */
export function clientFilePath(dataFolder: string): string {
  return `${resolve(dataFolder)}.client.json`;
}

/**
 * Writes an application's secret where its owner alone can read it. A file that is there already is of
 * another database, and may hold its only secret: it is kept beside, with the time in its name.
 *
 * @returns Where the file that was there is now; `undefined` where there was none.
 * @throws ServiceError `client_file_unusable`, which names the settings that choose another place.
 */
export async function writeClientFile(
  path: string,
  credentials: ClientCredentials,
): Promise<string | undefined> {
  const { clientId, clientSecret } = credentials;
  const text = JSON.stringify({ client_id: clientId, client_secret: clientSecret }, null, 2);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
    const kept = keepEarlier(path);
    renameSync(draft, path);
    return kept;
  } catch (error) {
    if (existsSync(draft)) rmSync(draft);
    // Loaded late: it takes longer to load than most commands to run.
    const { ServiceError } = await import('@patchbay/server');
    throw new ServiceError(
      'client_file_unusable',
      `Cannot write ${path} (${fileErrorCode(error)}), where the secret of the first application goes, so none was made. Let PATCHBAY_DATA name a folder beside which this user may write, or give credentials of your own: PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET.`,
      { cause: error },
    );
  }
}

function keepEarlier(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const kept = `${path}.${new Date().toISOString().replaceAll(':', '-')}`;
  renameSync(path, kept);
  return kept;
}

/** The credentials in a client file; `undefined` where there is none. */
export function readClientFile(path: string): ClientCredentials | undefined {
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (fileErrorCode(error) === 'ENOENT') return undefined;
    throw new CommandError(`Cannot read ${path}.`, { cause: error });
  }
  try {
    // Whatever it is, the two members are checked below.
    const file = JSON.parse(text) as { client_id?: unknown; client_secret?: unknown } | null;
    if (typeof file?.client_id === 'string' && typeof file.client_secret === 'string')
      return { clientId: file.client_id, clientSecret: file.client_secret };
  } catch (error) {
    throw new CommandError(`${path} is no client file: it must be JSON.`, { cause: error });
  }
  throw new CommandError(`${path} is no client file: it needs client_id and client_secret.`);
}
