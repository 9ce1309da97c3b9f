import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EMBEDDED } from '@patchbay/store/testing';

/** Puts an empty, migrated database into a folder, seconds faster than a start makes one. */
export async function makeMigratedDatabase(folder: string): Promise<string> {
  const { options } = await EMBEDDED.make();
  const dataFolder = join(folder, 'data');
  await rename(options.dataFolder ?? '', dataFolder);
  return dataFolder;
}
