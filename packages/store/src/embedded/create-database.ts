import { mkdirSync, renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { incompleteOf } from './database-folder.ts';
import { DurableFileSystem } from './durable-file-system.ts';
import { flush } from './flush.ts';
import { markOurs } from './our-folders.ts';
import type { WasmModules } from './wasm-modules.ts';

/** All but the one that turns `fsync` off; and `fdatasync` does nothing in PGlite. */
const START_PARAMETERS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
];

/**
 * Makes an empty database. It is made under another name and then renamed, so that a crash leaves
 * either a whole database or none.
 */
export async function createDatabase(folder: string, modules: WasmModules): Promise<void> {
  const draft = incompleteOf(folder);
  // For its owner alone, even inside a data folder that was there before with a laxer mode.
  mkdirSync(draft, { mode: 0o700 });
  const database = await openDatabase(draft, modules);
  await database.close();
  // Not before: it is made in an empty folder only.
  markOurs(draft);
  await flushTree(draft);
  renameSync(draft, folder);
  flush(dirname(folder));
}

export async function openDatabase(folder: string, modules: WasmModules): Promise<PGlite> {
  return await PGlite.create({
    fs: new DurableFileSystem(folder),
    startParams: [...START_PARAMETERS],
    pgliteWasmModule: modules.pglite,
    initdbWasmModule: modules.initdb,
  });
}

async function flushTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    flush(join(entry.parentPath, entry.name));
  }
}
