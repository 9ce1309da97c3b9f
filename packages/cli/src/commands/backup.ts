import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BackupInfo } from '@patchbay/store';
import type { Command } from 'commander';
import { interruptible } from '../interruption.ts';
import { jsonText } from '../output/json-text.ts';
import { countsInWords, knownCounts } from '../output/row-counts.ts';
import { requireFree, writeWholeFile } from '../output/write-whole-file.ts';
import { showBytesProgress } from '../progress/bytes-progress.ts';
import {
  findOperatorService,
  type CommandPlace,
  type OperatorFlags,
} from '../service/find-operator-service.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { addAddressOptions, addExamples, addJsonOption } from './options.ts';

interface BackupFlags extends OperatorFlags {
  readonly force?: true;
}

const NOTE =
  '\nThe running service makes it, and goes on meanwhile; where none runs, the command opens the data\n' +
  'folder itself. The master key is not in it: keep that, too, in another place.';

/** `patchbay backup`: a file that `patchbay restore` makes a database of. */
export function addBackupCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('backup')
    .description('write a backup of the database into a file, while the service runs')
    .argument('<file>', 'file to be written, mode 0600')
    .option('--force', 'replace a file that is there')
    .addHelpText('after', NOTE)
    .action((file: string, flags: BackupFlags) =>
      interruptible((signal) => backUp(file, flags, { terminal, environment, signal })),
    );
  addJsonOption(command);
  addAddressOptions(command);
  addExamples(command, 'patchbay backup patchbay.backup');
}

async function backUp(file: string, flags: BackupFlags, place: CommandPlace): Promise<void> {
  const { terminal } = place;
  if (file === '-')
    throw new CommandError(
      'A backup is checked as a whole before it counts, so it goes into a file and not to standard output: name one.',
    );
  const path = resolve(file);
  const replaces = flags.force === true;
  requireFree(path, replaces);
  const { checkBackup } = await import('@patchbay/store');
  let info: BackupInfo | undefined;
  const check = async (draft: string) => {
    info = await checkBackup(createReadStream(draft));
  };
  const shown = (bytes: AsyncIterable<Uint8Array>) =>
    showBytesProgress({ bytes, sizeBytes: null }, path, terminal);
  const service = await findOperatorService(flags, place);
  if (service === undefined) {
    await using store = await openDatabaseItself(place);
    await writeWholeFile(shown(store.backup()), { path, replaces, check });
  } else await writeWholeFile(shown(service.backup()), { path, replaces, check });
  if (info === undefined) return;
  const { createdAt, counts } = info;
  const { size } = await stat(path);
  if (flags.json === true) {
    const told = { file: path, created_at: createdAt, bytes: size, ...knownCounts(counts) };
    return terminal.out(jsonText(told, terminal.isInteractive));
  }
  terminal.err(
    `${path}: ${countsInWords(counts)}, as of ${createdAt.toISOString()}.\n` +
      'The master key is not in it. Keep that, too, in another place: without it credentials are lost.\n',
  );
}

/** The database itself, where no service answers. */
async function openDatabaseItself({ environment, signal }: CommandPlace) {
  const { folderState, openStore } = await import('@patchbay/store');
  const { databasePlace } = await import('../service/open-database.ts');
  const { databaseUrl, dataFolder } = databasePlace(environment);
  if (databaseUrl !== undefined) return await openStore({ databaseUrl, signal });
  if (folderState(dataFolder) === 'absent')
    throw new CommandError(
      `There is no database in the data folder ${dataFolder}; PATCHBAY_DATA says where one is.`,
    );
  return await openStore({ dataFolder, signal });
}
