import type { Command } from 'commander';
import { jsonText } from '../output/json-text.ts';
import type { Terminal } from '../terminal.ts';
import { addExamples, addJsonOption, type OutputFlags } from './options.ts';

/** `patchbay migrate`: brings the schema up to date, as a start would, and serves nothing. */
export function addMigrateCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('migrate')
    .description('bring the schema of the database up to date, and start nothing')
    .addHelpText(
      'after',
      '\nA start does the same by itself. This is for deployments that change the schema first.\n' +
        'The database is the one of DATABASE_URL, or the embedded one in PATCHBAY_DATA.',
    )
    .action((flags: OutputFlags) => migrate(flags, terminal, environment));
  addJsonOption(command);
  addExamples(command, 'DATABASE_URL=postgres://… patchbay migrate');
}

async function migrate(
  { json }: OutputFlags,
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
  const { store, place } = await openDatabase(environment, { logger });
  await using _ = store;
  const { applied, reconciled } = changes;
  if (json === true)
    return terminal.out(
      jsonText({ migrations: applied, tables: reconciled }, terminal.isInteractive),
    );
  for (const each of applied) terminal.out(`migration ${each}\n`);
  for (const each of reconciled) terminal.out(`table ${each}\n`);
  const told = applied.length + reconciled.length === 0 ? 'was up to date' : 'is up to date now';
  terminal.err(`The schema in ${place} ${told}.\n`);
}
