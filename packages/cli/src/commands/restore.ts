import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { fileErrorCode } from '../file-error.ts';
import { interruptible } from '../interruption.ts';
import { jsonText } from '../output/json-text.ts';
import { countsInWords, knownCounts } from '../output/row-counts.ts';
import { makeRowDisplay } from '../progress/row-display.ts';
import { readDatabasePlace } from '../service/database-place.ts';
import type { CommandPlace } from '../service/find-operator-service.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { addExamples, addJsonOption, type OutputFlags } from './options.ts';

interface RestoreFlags extends OutputFlags {
  readonly force?: true;
}

const NOTE =
  '\nThe service must be stopped, and the master key has to be there. Tokens from before are good for\n' +
  'nothing afterwards. What was revoked, deleted or written since the backup, the restored database does\n' +
  'not know: docs/operations.md says what to do again.';

/** `patchbay restore`: a database of what `patchbay backup` wrote. */
export function addRestoreCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('restore')
    .description(
      'restore a database from a backup, into the data folder or an empty one of DATABASE_URL',
    )
    .argument('<file>', 'what `patchbay backup` wrote')
    .option(
      '--force',
      'delete the database that is in the data folder, once the other one is whole',
    )
    .addHelpText('after', NOTE)
    .action((file: string, flags: RestoreFlags) =>
      interruptible((signal) => restore(file, flags, { terminal, environment, signal })),
    );
  addJsonOption(command);
  addExamples(command, 'patchbay restore patchbay.backup');
}

async function restore(
  file: string,
  { force, json }: RestoreFlags,
  { terminal, environment, signal }: CommandPlace,
): Promise<void> {
  await requireReadable(file);
  const { describeDatabase, restoreBackup } = await import('@patchbay/store');
  const { checkMasterKey } = await import('@patchbay/server');
  const place = await readDatabasePlace(environment);
  const { databaseUrl, dataFolder } = place;
  using display = makeRowDisplay(terminal);
  const { createdAt, counts } = await restoreBackup({
    open: () => createReadStream(file),
    ...(databaseUrl === undefined ? { dataFolder } : { databaseUrl }),
    replaces: force === true,
    check: (restored) =>
      checkMasterKey(place, restored, (problem) => terminal.err(`Warning: ${problem}\n`)),
    onProgress: json === true ? () => undefined : display.show,
    signal,
  });
  display[Symbol.dispose]();
  if (json === true) {
    const told = { created_at: createdAt, ...knownCounts(counts) };
    return terminal.out(jsonText(told, terminal.isInteractive));
  }
  const where = databaseUrl === undefined ? dataFolder : describeDatabase(databaseUrl);
  terminal.err(
    `Restored ${countsInWords(counts)} into ${where}, as of ${createdAt.toISOString()} (${ageOf(createdAt)} ago).\n` +
      'Tokens from before are refused. Revoke and delete again what was revoked and deleted since.\n',
  );
}

async function requireReadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    throw new CommandError(`Cannot read ${file} (${fileErrorCode(error)}).`, { cause: error });
  }
  const found = await stat(file);
  if (found.isDirectory())
    throw new CommandError(`${file} is a folder; name the file that \`patchbay backup\` wrote.`);
  if (!found.isFile())
    throw new CommandError(
      `${file} is no ordinary file, and a backup is read twice: save it as one, and name that.`,
    );
  if (found.size === 0) throw new CommandError(`${file} is empty.`);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function ageOf(instant: Date): string {
  const ms = Math.max(0, Date.now() - instant.getTime());
  const in_ = (unit: number, name: string) => {
    const count = Math.floor(ms / unit);
    return `${count} ${name}${count === 1 ? '' : 's'}`;
  };
  if (ms < HOUR_MS) return in_(MINUTE_MS, 'minute');
  return ms < 2 * DAY_MS ? in_(HOUR_MS, 'hour') : in_(DAY_MS, 'day');
}
