import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isStoreError, StoreError } from '../store-error.ts';

/** The longest socket path that macOS takes; Linux takes 107 bytes. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Two pieces of PostgreSQL's log: what is cut off is recovered into one, and the next may be begun. */
const OPENING_BYTES = 33_554_432;

const RUN_FOLDER_PREFIX = 'patchbay-';
const RUN_FOLDER_RECORD = 'run-folder';
const LINK_NAME = 'data';

/** Longest name that is put into a run folder, or reached through its link. */
const LONGEST_NAME = `${LINK_NAME}/draft-0123456789ab`;

/** Whether the folder holds a whole database: it gets this name once it is one. */
export function hasDatabase(databaseFolder: string): boolean {
  return existsSync(databaseFolder);
}

/**
 * Makes the data folder if it is not there, for its owner alone.
 *
 * @returns Its real path, the same for every spelling of it.
 * @throws `folder_not_usable`
 */
export function ensureDataFolder(folder: string): string {
  try {
    makeFolders(resolve(folder));
    return realpathSync(folder);
  } catch (error) {
    throw new StoreError(
      'folder_not_usable',
      `Cannot make or enter the data folder ${resolve(folder)} (${codeOf(error)}); give a folder that this user may write to.`,
      { cause: error },
    );
  }
}

/**
 * Writes as much as the opening of a database may take, and removes it. Tried, since quotas are not told.
 *
 * @throws `folder_not_usable`
 */
export function requireRoom(dataFolder: string): void {
  const path = join(dataFolder, 'patchbay-trial');
  try {
    writeFileSync(path, Buffer.alloc(OPENING_BYTES), { mode: 0o600 });
  } catch (error) {
    throw folderNotWritable(dataFolder, error);
  } finally {
    rmSync(path, { force: true });
  }
}

/** One after another: what Node makes at once never ends where its parent is there and takes no folder, as `/proc`. */
function makeFolders(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolders(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A short private folder for the sockets of one running process. */
interface RunFolder {
  readonly path: string;
  /** A link to the data folder: the same folder under a short path. */
  readonly link: string;
}

/**
 * Makes a short folder for sockets, whose paths have at most 107 bytes however long the data
 * folder's is.
 *
 * @throws `folder_not_usable` when even the folder for temporary files has a long path.
 */
export function makeRunFolder(dataFolder: string): RunFolder {
  const parents = [tmpdir(), '/tmp'];
  const parent = parents.find((candidate) => fitsSockets(candidate));
  if (parent === undefined) {
    throw new StoreError(
      'folder_not_usable',
      `The folder for temporary files ${tmpdir()} has too long a path for Unix sockets; set TMPDIR to a shorter one.`,
    );
  }
  try {
    const path = mkdtempSync(join(parent, RUN_FOLDER_PREFIX));
    const link = join(path, LINK_NAME);
    symlinkSync(dataFolder, link);
    return { path, link };
  } catch (error) {
    throw new StoreError(
      'folder_not_usable',
      `Cannot make a folder for sockets in ${parent} (${codeOf(error)}); set TMPDIR to a folder that this user may write to.`,
      { cause: error },
    );
  }
}

export function removeRunFolder(runFolder: RunFolder): void {
  rmSync(runFolder.path, { recursive: true, force: true });
}

/**
 * Notes which run folder the data folder's owner uses, and removes the one that an owner who was
 * killed has left. Only for whoever holds the lock.
 */
export function replaceRunFolder(dataFolder: string, runFolder: RunFolder): void {
  const record = join(dataFolder, RUN_FOLDER_RECORD);
  try {
    const left = readIfPresent(record);
    if (left !== undefined && isRunFolder(left, dataFolder)) {
      rmSync(left, { recursive: true, force: true });
    }
    writeFileSync(record, runFolder.path, { mode: 0o600 });
  } catch (error) {
    throw folderNotWritable(dataFolder, error);
  }
}

/** Whether a noted path is what it should be: nothing else may ever be removed. */
function isRunFolder(path: string, dataFolder: string): boolean {
  if (!basename(path).startsWith(RUN_FOLDER_PREFIX)) return false;
  const link = join(path, LINK_NAME);
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  // It leads nowhere where the data folder was moved since.
  return isLink && existsSync(link) && realpathSync(link) === dataFolder;
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function fitsSockets(parent: string): boolean {
  const longest = join(parent, `${RUN_FOLDER_PREFIX}123456`, LONGEST_NAME);
  return Buffer.byteLength(longest) <= MAX_SOCKET_PATH_BYTES;
}

/** Of the process, or of the machine: too many files are open. */
const TOO_MANY_FILES = new Set(['EMFILE', 'ENFILE']);

function folderNotWritable(dataFolder: string, error: unknown): StoreError {
  const code = codeOf(error);
  const why = TOO_MANY_FILES.has(code)
    ? `since too many files are open (${code}): raise the limit (ulimit -n, or LimitNOFILE of systemd), then start again`
    : `since too little can be written there (${code}): see that its disk has free space and that this user may write there, then start again`;
  return new StoreError(
    'folder_not_usable',
    `The database in the data folder ${dataFolder} cannot be opened, ${why}. What is in it is not lost.`,
    { cause: error },
  );
}

/** Classes of SQLSTATE: too little of something, and what the system refuses. */
const SYSTEM_FAILED = /^5[38]/;

/**
 * What it means that the database could not begin with its files; `undefined` where that is not what went wrong. It
 * tries again where it may open no more files, and then says only that one is there already.
 */
export function databaseNotWritable(dataFolder: string, error: unknown): StoreError | undefined {
  const said = isStoreError(error) ? error.cause : error;
  if (!SYSTEM_FAILED.test(codeOf(said))) return undefined;
  return new StoreError(
    'folder_not_usable',
    `The database in the data folder ${dataFolder} cannot be opened: ${String(said)}. See that the process may open 1,024 files (ulimit -n, or LimitNOFILE of systemd) and that the disk has free space, then start again. What is in it is not lost.`,
    { cause: error },
  );
}

/** Of an error of the file system, such as `EACCES`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
