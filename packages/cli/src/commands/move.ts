import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { interruptible } from '../interruption.ts';
import { jsonText } from '../output/json-text.ts';
import { countsInWords } from '../output/row-counts.ts';
import { shellWord } from '../output/shell-word.ts';
import { makeRowDisplay } from '../progress/row-display.ts';
import { readDatabasePlace, type DatabasePlace } from '../service/database-place.ts';
import type { CommandPlace } from '../service/find-operator-service.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { addExamples, addJsonOption, type OutputFlags } from './options.ts';

interface MoveFlags extends OutputFlags {
  readonly to?: string;
}

const NOTE =
  '\nThe service must be stopped. Until everything is there and has been compared, nothing is: an\n' +
  'interrupted move is begun anew by the same command. Afterwards the data folder opens no more.';

/** `patchbay move`: from the embedded database to a PostgreSQL server. */
export function addMoveCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('move')
    .description('move the embedded database to an empty one of a PostgreSQL server')
    .option(
      '--to <url>',
      'postgres:// URL of that database (DATABASE_URL). Other users of this machine can see a flag while it runs, but not DATABASE_URL',
    )
    .addHelpText('after', NOTE)
    .action((flags: MoveFlags) =>
      interruptible((signal) => move(flags, { terminal, environment, signal })),
    );
  addJsonOption(command);
  addExamples(command, 'DATABASE_URL=postgres://… patchbay move');
}

async function move(
  { to, json }: MoveFlags,
  { terminal, environment, signal }: CommandPlace,
): Promise<void> {
  const databaseUrl = to ?? environment['DATABASE_URL'] ?? '';
  if (databaseUrl === '')
    throw new CommandError('Where to? Give --to, or set DATABASE_URL: postgres://…');
  const { moveDatabase } = await import('@patchbay/store');
  const { checkMasterKey } = await import('@patchbay/server');
  const place = await readDatabasePlace(environment, 'DATABASE_URL');
  const { dataFolder } = place;
  using display = makeRowDisplay(terminal);
  const moved = await moveDatabase({
    dataFolder,
    databaseUrl,
    check: (source) =>
      checkMasterKey(place, source, (problem) => terminal.err(`Warning: ${problem}\n`)),
    onProgress: json === true ? () => undefined : display.show,
    signal,
  });
  display[Symbol.dispose]();
  const settings = settingsToCarry(place);
  if (json === true) {
    const { counts, wasCopied } = moved;
    const told = { to: moved.to, was_copied: wasCopied, tables: counts, settings };
    return terminal.out(jsonText(told, terminal.isInteractive));
  }
  terminal.err(
    moved.wasCopied
      ? `Everything had been copied to ${moved.to} before; the folder ${dataFolder} is marked as moved.\n`
      : `Moved ${countsInWords(moved.counts)} to ${moved.to}: all rows of ${Object.keys(moved.counts).length} tables are the same there.\n` +
          `The folder ${dataFolder} is marked as moved, and opens no more; delete it when you like.\n`,
  );
  terminal.err('\nFrom now on the service needs these settings, the same for every process:\n');
  terminal.err('  DATABASE_URL=…  (the one that you gave)\n');
  for (const [name, value] of Object.entries(settings))
    terminal.out(`${name}=${shellWord(value)}\n`);
}

/** With DATABASE_URL no key is looked for beside the data folder: these lead to the same ones. */
function settingsToCarry({
  masterKey,
  oldMasterKey,
  operatorKey,
}: DatabasePlace): Readonly<Record<string, string>> {
  const operatorFile =
    operatorKey?.from === 'file' && existsSync(operatorKey.path) ? operatorKey.path : undefined;
  return {
    ...(masterKey.from === 'file' ? { PATCHBAY_MASTER_KEY_FILE: masterKey.path } : {}),
    ...(oldMasterKey?.from === 'file' ? { PATCHBAY_OLD_MASTER_KEY_FILE: oldMasterKey.path } : {}),
    ...(operatorFile === undefined ? {} : { PATCHBAY_OPERATOR_KEY_FILE: operatorFile }),
  };
}
