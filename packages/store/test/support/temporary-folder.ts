import { rm } from 'node:fs/promises';
import { makeDataFolder, makeEmptyFolder } from './template-folder.ts';

/** A folder that goes at the end of the block that uses it. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function useEmptyFolder(): Promise<TemporaryFolder> {
  return disposable(await makeEmptyFolder());
}

/** With an empty, migrated database in it. */
export async function useDataFolder(): Promise<TemporaryFolder> {
  return disposable(await makeDataFolder());
}

function disposable(path: string): TemporaryFolder {
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
