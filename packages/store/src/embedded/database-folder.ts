import {
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../store-error.ts';
import { codeOf } from './data-folder.ts';
import { flush } from './flush.ts';
import { removeOurs, requireOurDatabase, requireOurRestoring } from './our-folders.ts';

/** In the data folder: the database. */
const DATABASE = 'postgres';
/** A whole database that is to take the place of that one: from now on nothing can go back. */
const RESTORED = 'postgres.restored';
const REPLACED = 'postgres.replaced';
/** In the database's own folder, so that it goes where that goes. */
const MOVED = 'patchbay-moved.json';

/** Where the database of a data folder is. */
export function databaseFolderOf(dataFolder: string): string {
  return join(dataFolder, DATABASE);
}

/** Where an empty database is made, before it gets its name. */
export function incompleteOf(databaseFolder: string): string {
  return `${databaseFolder}.incomplete`;
}

/** Where a restore makes its database: on the same disk, and out of everybody's way. */
export function restoringIn(dataFolder: string): string {
  return join(dataFolder, 'restoring');
}

/** What there is in a data folder. */
export type FolderState = 'absent' | 'present' | 'moved';

/**
 * Whether there is a database in a data folder, and whether it has been moved to a server.
 *
 * @throws `folder_not_usable` where this user cannot see what is there.
 */
export function folderState(dataFolder: string): FolderState {
  if (![DATABASE, RESTORED].some((name) => statOf(dataFolder, name) !== undefined)) return 'absent';
  return readMove(dataFolder) === undefined ? 'present' : 'moved';
}

/** `undefined` where there is nothing of that name. */
function statOf(dataFolder: string, name: string): Stats | undefined {
  try {
    return statSync(join(dataFolder, name), { throwIfNoEntry: false });
  } catch (error) {
    throw new StoreError(
      'folder_not_usable',
      `Cannot look into the data folder ${dataFolder} (${codeOf(error)}): run this as the user that it belongs to.`,
      { cause: error },
    );
  }
}

/** Where a database has been moved. */
export interface Move {
  /** In words that hold no password. */
  readonly to: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Marks the database as moved: it is not opened again. Only for whoever holds the lock. */
export function markMoved(dataFolder: string, move: Move): void {
  const folder = databaseFolderOf(dataFolder);
  const draft = join(folder, `${MOVED}.draft`);
  writeFileSync(draft, `${JSON.stringify(move)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, join(folder, MOVED));
  flush(folder);
}

/** Where the database has been moved; `undefined` where it has not. */
export function readMove(dataFolder: string): Move | undefined {
  const path = join(databaseFolderOf(dataFolder), MOVED);
  if (!existsSync(path)) return undefined;
  // Proof: only `markMoved` writes it, and under another name until it is whole.
  return JSON.parse(readFileSync(path, 'utf8')) as Move;
}

/** @throws `folder_moved` */
export function requireNotMoved(dataFolder: string): void {
  const move = readMove(dataFolder);
  if (move === undefined) return;
  throw new StoreError(
    'folder_moved',
    `The database of the data folder ${dataFolder} was moved to ${move.to} at ${move.at}: set DATABASE_URL to that one, or PATCHBAY_DATA to another folder. To use what is left here all the same, as it was then, delete ${join(databaseFolderOf(dataFolder), MOVED)}.`,
  );
}

/**
 * What one user writes there, another one cannot open; root, who may open everything, would lock its owner out.
 *
 * @throws `folder_not_usable`
 */
export function requireOwnDatabase(dataFolder: string): void {
  const owner = statOf(dataFolder, DATABASE)?.uid;
  const user = process.geteuid?.();
  if (owner === undefined || user === undefined || owner === user) return;
  throw new StoreError(
    'folder_not_usable',
    `The database in the data folder ${dataFolder} belongs to another user (${owner}; this is ${user}), who could not open any more what this one writes there: run this as that user.`,
  );
}

/**
 * Puts another database, closed and whole, in the place of the one that is there, if any, which is
 * deleted. A crash leaves either of them. Only for whoever holds the lock.
 *
 * @throws as `requireReplaceable`.
 */
export function replaceDatabase(dataFolder: string, replacement: string): void {
  requireReplaceable(dataFolder);
  renameSync(replacement, join(dataFolder, RESTORED));
  flush(dataFolder);
  finishReplacing(dataFolder);
}

/** @throws `folder_not_usable` where the database that is there, or what is in the way of another, is not ours. */
export function requireReplaceable(dataFolder: string): void {
  requireNoLink(databaseFolderOf(dataFolder));
  for (const name of [DATABASE, RESTORED, REPLACED]) requireOurDatabase(join(dataFolder, name));
  requireOurRestoring(restoringIn(dataFolder));
}

/** What a link leads to would stay where it is, with all that it holds, and the other database come to be elsewhere. */
function requireNoLink(database: string): void {
  if (lstatSync(database, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new StoreError(
    'folder_not_usable',
    `${database} is a link, so that its database cannot be replaced by another: make the data folder itself one (PATCHBAY_DATA), or restore into another one.`,
  );
}

/** Puts a database out of the way of a restored one. Where that cannot be, the restored one goes, and all is as it was. */
function moveAside(database: string, replaced: string, restored: string): void {
  try {
    renameSync(database, replaced);
  } catch (error) {
    removeOurs(restored);
    throw new StoreError(
      'folder_not_usable',
      `Another database cannot take the place of ${database} (${codeOf(error)}), which is still there as it was: where it is a mount point, mount the data folder above it instead, or restore into another one.`,
      { cause: error },
    );
  }
}

/**
 * Ends what a crash cut off. Only for whoever holds the lock.
 *
 * @throws `folder_not_usable` where what would have to go is not ours: nothing is deleted then.
 */
export function finishReplacing(dataFolder: string): void {
  const database = databaseFolderOf(dataFolder);
  const restored = join(dataFolder, RESTORED);
  const replaced = join(dataFolder, REPLACED);
  if (existsSync(restored)) requireReplaceable(dataFolder);
  requireOurRestoring(restoringIn(dataFolder));
  requireOurDatabase(replaced);
  removeOurs(restoringIn(dataFolder));
  if (existsSync(restored)) {
    if (existsSync(database)) {
      removeOurs(replaced);
      moveAside(database, replaced, restored);
    }
    renameSync(restored, database);
    flush(dataFolder);
  }
  removeOurs(replaced);
}

/**
 * Makes the place free where an empty database is made, where there is none yet. Only for whoever holds the lock.
 *
 * @throws as `finishReplacing`.
 */
export function removeIncomplete(dataFolder: string): void {
  const database = databaseFolderOf(dataFolder);
  if (existsSync(database)) return;
  requireOurDatabase(incompleteOf(database));
  removeOurs(incompleteOf(database));
}
