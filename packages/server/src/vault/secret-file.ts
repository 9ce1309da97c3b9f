import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError, type ServiceErrorCode } from '../service-error.ts';

/** No key is as long; a device never ends. */
const MAX_BYTES = 65_536;

/** Where a secret key comes from: given in the environment, or read from a file of its own. */
export type SecretSource<Key> =
  | { readonly from: 'environment'; readonly key: Key }
  | {
      readonly from: 'file';
      readonly path: string;
      readonly mayCreate: boolean;
      /** A file that the operator names: its mode may be out of their hands, as that of a mounted secret is. */
      readonly isNamedByOperator?: boolean;
    };

/** A secret in a file of its own. */
export interface SecretFile {
  readonly path: string;
  /** What the secret is called, as in "the master key". */
  readonly noun: string;
  /** Of the failures. */
  readonly code: ServiceErrorCode;
  /** The variable that gives the secret itself; with `_FILE`, the one that names another file. */
  readonly variable: string;
  /** A new secret; absent where none may be made. */
  readonly make?: (() => string) | undefined;
  /** Why none may be made. */
  readonly missing: string;
  /** Told that others than the owner may read the file; without it, that is refused. */
  readonly onReadable?: ((problem: string) => void) | undefined;
}

/**
 * The text of a secret file; where there is none and a secret may be made, a new one is written there
 * first, readable by the owner alone (mode 0600).
 *
 * @throws ServiceError of the file's code when it is missing or unreadable, or others than its owner may
 *   read or change it.
 */
export async function readSecretFile(file: SecretFile): Promise<string> {
  const text = await readText(file);
  const problem = await readableByOthers(file);
  if (problem === undefined) return text;
  if (file.onReadable === undefined) throw new ServiceError(file.code, problem);
  file.onReadable(problem);
  return text;
}

async function readText(file: SecretFile): Promise<string> {
  try {
    if (await isNamedPipe(file.path)) throw unusable(file, 'is a named pipe: name a file');
    const bytes = await readBeginning(file.path);
    if (bytes.length <= MAX_BYTES) return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (!hasCode(error, 'ENOENT')) throw unusable(file, 'cannot be read', error);
    if (file.make === undefined) throw unusable(file, file.missing, error);
    return createFile(file, `${file.make()}\n`);
  }
  throw unusable(file, `is too large for a key (more than ${MAX_BYTES} bytes)`);
}

/** Its open waits for a writer, and nothing ends that; what a shell makes of `<(…)` has one already. */
async function isNamedPipe(path: string): Promise<boolean> {
  return (await stat(path)).isFIFO() && !/^\/(?:dev|proc)\//.test(path);
}

/** As far as it could be a secret, and one byte more; of a pipe, too. */
async function readBeginning(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const file: AsyncIterable<Buffer> = createReadStream(path, { end: MAX_BYTES });
  for await (const chunk of file) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readableByOthers({ path, noun }: SecretFile): Promise<string | undefined> {
  const mode = await wideModeOf(path);
  if (mode === undefined) return undefined;
  const file = `The ${noun} file ${path}`;
  return `${file} has mode 0${mode.toString(8)}: others than its owner may use the key. Run: chmod 600 ${path}`;
}

/** The mode of a file that others than its owner may read or change. */
async function wideModeOf(path: string): Promise<number | undefined> {
  // There modes say nothing.
  if (process.platform === 'win32') return undefined;
  const mode = (await stat(path)).mode & 0o777;
  return (mode & 0o077) === 0 ? undefined : mode;
}

async function createFile(file: SecretFile, text: string): Promise<string> {
  const { path } = file;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeDurably(draft, text);
    try {
      // Made with mode 0600, it has another one only where there are none, as on what Windows shares.
      if (file.onReadable === undefined && (await wideModeOf(draft)) !== undefined)
        throw unusable(
          file,
          'cannot be kept from others, since its file system has no modes: let PATCHBAY_DATA name a folder elsewhere',
        );
      // Unlike a rename, this takes the place of nothing, and nobody sees half a key.
      await link(draft, path);
    } finally {
      await unlink(draft);
    }
    await flushNames(dirname(path));
    return text;
  } catch (error) {
    // Another process made it in the same moment: its key is the key.
    if (hasCode(error, 'EEXIST')) return readFile(path, 'utf8');
    if (error instanceof ServiceError) throw error;
    throw unusable(file, 'cannot be created', error);
  }
}

/** What was sealed with a key that a power cut takes away would be lost. */
async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

/** What is on the disk without a name is gone after a power cut as well. */
async function flushNames(folder: string): Promise<void> {
  // There a folder cannot be flushed.
  if (process.platform === 'win32') return;
  await using names = await open(folder);
  try {
    await names.sync();
  } catch (error) {
    // Not every file system can.
    if (!hasCode(error, 'EINVAL')) throw error;
  }
}

function unusable(
  { path, noun, code, variable }: SecretFile,
  problem: string,
  cause?: unknown,
): ServiceError {
  return new ServiceError(
    code,
    `The ${noun} file ${path} ${problem}. ${variable}_FILE names another file, ${variable} gives the key itself.`,
    { cause },
  );
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
