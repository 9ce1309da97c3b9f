import { folderState, isStoreError } from '@patchbay/store';
import { COMMAND_NAME } from '../command-name.ts';

/** What to tell of an embedded database beside the one of `DATABASE_URL`; nothing where there is none. */
export function unmovedFolderWarning(dataFolder: string): string | undefined {
  if (!hasDatabase(dataFolder)) return undefined;
  return (
    `There is an embedded database in ${dataFolder}, too, which is not used: DATABASE_URL is set. ` +
    `\`${COMMAND_NAME} move --to …\` takes its applications and connectors along, into an empty database; ` +
    'to hear no more of it, remove the folder, or set PATCHBAY_DATA to another one.'
  );
}

/** What this user may not see is nothing that it could move. */
function hasDatabase(dataFolder: string): boolean {
  try {
    return folderState(dataFolder) === 'present';
  } catch (error) {
    if (isStoreError(error, 'folder_not_usable')) return false;
    throw error;
  }
}
