import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../store-error.ts';
import { codeOf } from './data-folder.ts';

/** In each folder of ours that is deleted whole one day. */
const MARK = 'patchbay-made-this';

/** What an earlier version, which left no mark, may have left of a restore: a data folder. */
const RESTORING_NAME =
  /^(?:postgres(?:\.incomplete)?|run-folder|(?:patchbay-)?trial|(?:lock|draft)-[0-9a-f]{12})$/;
const DATABASE_NAME =
  /^(?:PG_VERSION|pg_\w+(?:\.conf)?|postgresql(?:\.auto)?\.conf|postmaster\.pid|base|global)$/;
/** Within those of its folders whose names others give folders, too. */
const NAMES_WITHIN = {
  base: /^(?:\d+|pgsql_tmp)$/,
  global: /^(?:\d+(?:_\w+)?(?:\.\d+)?|pg_\w+(?:\.\w+)*)$/,
};
/** What a server leaves in its folder when it starts; PGlite never does. */
const LEFT_BY_SERVER = 'postmaster.opts';

/** In `pg_control`: a number that is the same everywhere, and how far behind it stands whether 8 bytes are passed by value. */
const KNOWN_NUMBER = Buffer.alloc(8);
KNOWN_NUMBER.writeDoubleLE(1_234_567);
const BY_VALUE_BEHIND = 40;

/** Marks a folder as made by this program, which may delete it with all that is in it then. */
export function markOurs(folder: string): void {
  if (existsSync(join(folder, MARK))) return;
  const mark =
    'Made by Patchbay, which deletes this folder with all that is in it after a restore.\n';
  writeFileSync(join(folder, MARK), mark, { mode: 0o600, flush: true });
}

/** @throws `folder_not_usable` unless what is there, if anything, is a database that this program made, whole or not. */
export function requireOurDatabase(folder: string): void {
  requireOurs(folder, isDatabase);
}

/** @throws `folder_not_usable` unless what is there, if anything, is what a restore was made in. */
export function requireOurRestoring(folder: string): void {
  requireOurs(folder, isRestoring);
}

/** Deletes what has been found to be ours, if it is there; of a link, the link alone. */
export function removeOurs(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true)
    for (const name of readdirSync(folder))
      // The mark comes last, so that what a crash leaves is still known.
      if (name !== MARK) rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

function requireOurs(folder: string, isOurs: (folder: string) => boolean): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  try {
    if (isOurs(folder)) return;
  } catch (error) {
    // What is no folder is not ours, either.
    if (codeOf(error) !== 'ENOTDIR')
      throw new StoreError(
        'folder_not_usable',
        `Cannot look into ${folder} (${codeOf(error)}): run this as the user that it belongs to.`,
        { cause: error },
      );
  }
  throw new StoreError(
    'folder_not_usable',
    `Patchbay needs the name ${folder} for itself, and what is there does not look like its own: move it elsewhere, or delete it if it is of no use, or give another data folder. Nothing of it was deleted.`,
  );
}

function isRestoring(folder: string): boolean {
  const names = readdirSync(folder);
  if (names.includes(MARK)) return true;
  return names.every(
    (name) =>
      RESTORING_NAME.test(name) && (!name.startsWith('postgres') || isDatabase(join(folder, name))),
  );
}

/** One of an earlier version has no mark; and one that was cut off in the making, or in its removal, may lack anything. */
function isDatabase(folder: string): boolean {
  const names = readdirSync(folder);
  if (names.includes(MARK)) return true;
  if (names.includes(LEFT_BY_SERVER)) return false;
  const control = join(folder, 'global', 'pg_control');
  const isOfPglite = existsSync(control) ? passesByReference(readFileSync(control)) : undefined;
  return isOfPglite ?? hasNamesOfDatabase(folder, names);
}

function hasNamesOfDatabase(folder: string, names: readonly string[]): boolean {
  if (!names.every((name) => DATABASE_NAME.test(name))) return false;
  return Object.entries(NAMES_WITHIN)
    .filter(([name]) => names.includes(name))
    .every(([name, within]) => readdirSync(join(folder, name)).every((each) => within.test(each)));
}

/**
 * WebAssembly has 32 bits, so PGlite passes nothing of 8 bytes by value; servers, which have 64, do.
 *
 * @returns `undefined` where it does not say: it may have been written half, or not at all.
 * @see https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_control.h
 */
function passesByReference(control: Buffer): boolean | undefined {
  const at = control.indexOf(KNOWN_NUMBER);
  return at === -1 ? undefined : control[at + BY_VALUE_BEHIND] === 0;
}
