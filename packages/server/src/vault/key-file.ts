import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../service-error.ts';
import { MASTER_KEY_EXPECTS, parseMasterKey } from './master-key.ts';

/**
 * The master key in a file; where there is no such file and `mayCreate`, a new random key is
 * written there first, readable by the owner alone (mode 0600).
 *
 * @throws ServiceError `master_key_unusable` when the file is missing, unreadable or no key, or
 *   others than its owner may read or change it.
 */
export async function loadKeyFile(
  path: string,
  options: {
    readonly mayCreate: boolean;
    /** Told that others than the owner may read the file; without it, that is refused. */
    readonly onReadable?: (problem: string) => void;
  },
): Promise<Uint8Array> {
  const text = await readKeyText(path, options.mayCreate);
  const problem = await readableByOthers(path);
  if (problem !== undefined) {
    if (options.onReadable === undefined) throw new ServiceError('master_key_unusable', problem);
    options.onReadable(problem);
  }
  const key = parseMasterKey(text);
  if (key !== undefined) return key;
  throw new ServiceError(
    'master_key_unusable',
    `The file ${path} holds no master key: it must be ${MASTER_KEY_EXPECTS}.`,
  );
}

async function readKeyText(path: string, mayCreate: boolean): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw unusable(path, 'cannot be read', error);
    if (!mayCreate)
      throw unusable(path, 'is missing, but the database was sealed with a key: restore it', error);
    return createKeyFile(path);
  }
}

/** Whoever reads the key can open every credential of a stolen database. */
async function readableByOthers(path: string): Promise<string | undefined> {
  // There modes say nothing.
  if (process.platform === 'win32') return undefined;
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  return `The master key file ${path} has mode 0${mode.toString(8)}: others than its owner may use the key. Run: chmod 600 ${path}`;
}

async function createKeyFile(path: string): Promise<string> {
  const text = `${randomBytes(32).toString('base64')}\n`;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeDurably(draft, text);
    try {
      // Unlike a rename, this takes the place of nothing, and nobody sees half a key.
      await link(draft, path);
    } finally {
      await unlink(draft);
    }
    return text;
  } catch (error) {
    // Another process made it in the same moment: its key is the key.
    if (hasCode(error, 'EEXIST')) return readFile(path, 'utf8');
    throw unusable(path, 'cannot be created', error);
  }
}

/** Credentials sealed with a key that a power cut takes away would be lost. */
async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

function unusable(path: string, problem: string, cause: unknown): ServiceError {
  return new ServiceError(
    'master_key_unusable',
    `The master key file ${path} ${problem}. PATCHBAY_MASTER_KEY_FILE names another file, PATCHBAY_MASTER_KEY gives the key itself.`,
    { cause },
  );
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
