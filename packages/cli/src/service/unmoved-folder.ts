import { folderState } from '@patchbay/store';
import { COMMAND_NAME } from '../command-name.ts';

/** What to tell of an embedded database beside the one of `DATABASE_URL`; nothing where there is none. */
export function unmovedFolderWarning(dataFolder: string): string | undefined {
  if (folderState(dataFolder) !== 'present') return undefined;
  return (
    `There is an embedded database in ${dataFolder}, too, which is not used: DATABASE_URL is set. ` +
    `\`${COMMAND_NAME} move --to …\` takes its applications and connectors along, into an empty database; ` +
    'to hear no more of it, remove the folder, or set PATCHBAY_DATA to another one.'
  );
}
