import type { Command } from 'commander';
import { jsonText } from '../output/json-text.ts';
import type { Terminal } from '../terminal.ts';
import { addExamples, addJsonOption, type OutputFlags } from './options.ts';

interface MigrateFlags extends OutputFlags {
  readonly distributed?: boolean;
}

/** `patchbay migrate`: brings the schema up to date, as a start would, and serves nothing. */
export function addMigrateCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('migrate')
    .description('bring the schema of the database up to date, and start nothing')
    .option('--distributed', 'spread the tables over the nodes of a Citus cluster, by connector')
    .addHelpText(
      'after',
      '\nA start does the same by itself. This is for deployments that change the schema first.\n' +
        'The database is the one of DATABASE_URL, or the embedded one in PATCHBAY_DATA.\n' +
        'To distribute a database, stop every process on it first. An interruption leaves it as it was.',
    )
    .action((flags: MigrateFlags) => migrate(flags, terminal, environment));
  addJsonOption(command);
  addExamples(command, 'DATABASE_URL=postgres://… patchbay migrate');
}

async function migrate(
  { json, distributed }: MigrateFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { openDatabase } = await import('../service/open-database.ts');
  const changes: Record<'applied' | 'reconciled', readonly string[]> = {
    applied: [],
    reconciled: [],
  };
  // The store reports changes of the schema through its logger only.
  const note = (details: object) => void Object.assign(changes, details);
  const logger = { info: note, warn: () => undefined };
  const spread: string[] = [];
  const { store, place } = await openDatabase(environment, {
    logger,
    ...(distributed === true
      ? {
          distribute: ({ done, of, next }) => {
            if (next === undefined) return;
            spread.push(next);
            if (json !== true) terminal.err(`table ${done + 1} of ${of}: ${next}\n`);
          },
        }
      : {}),
  });
  await using _ = store;
  const { applied, reconciled } = changes;
  if (json === true)
    return terminal.out(
      jsonText(
        {
          migrations: applied,
          tables: reconciled,
          ...(distributed === true ? { distributed: spread } : {}),
        },
        terminal.isInteractive,
      ),
    );
  for (const each of applied) terminal.out(`migration ${each}\n`);
  for (const each of reconciled) terminal.out(`table ${each}\n`);
  const told = applied.length + reconciled.length === 0 ? 'was up to date' : 'is up to date now';
  terminal.err(`The schema in ${place} ${told}.\n`);
  if (distributed === true)
    terminal.err(
      spread.length === 0
        ? 'Its tables were distributed already.\n'
        : `${spread.length} tables are distributed now.\n`,
    );
}
