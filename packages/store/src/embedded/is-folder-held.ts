import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StoreError } from '../store-error.ts';
import { codeOf, makeRunFolder, removeRunFolder } from './data-folder.ts';
import { isHeld } from './folder-lock.ts';

/**
 * Whether a process has the data folder open now: a service, or a command that works on its database.
 * Nothing is made or changed there.
 *
 * @throws `folder_not_usable` where this user cannot see what is there.
 */
export async function isFolderHeld(dataFolder: string): Promise<boolean> {
  if (!existsSync(dataFolder)) return false;
  const runFolder = makeRunFolder(resolve(dataFolder));
  try {
    return await isHeld(runFolder.link);
  } catch (error) {
    throw new StoreError(
      'folder_not_usable',
      `Cannot look into the data folder ${dataFolder} (${codeOf(error)}): run this as the user that it belongs to.`,
      { cause: error },
    );
  } finally {
    removeRunFolder(runFolder);
  }
}
