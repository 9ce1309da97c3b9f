import type { Command } from 'commander';
import { jsonText } from '../../output/json-text.ts';
import { showTable } from '../../output/show-table.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples, addJsonOption, type OutputFlags } from '../options.ts';
import { DATABASE_NOTE } from './database-note.ts';

/** `patchbay app list`: all applications, revoked ones included, without their secrets. */
export function addAppListCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = app
    .command('list')
    .description('list the applications, revoked ones included')
    .addHelpText('after', DATABASE_NOTE)
    .action((flags: OutputFlags) => list(flags, terminal, environment));
  addJsonOption(command);
  addExamples(command, 'patchbay app list', 'patchbay app list --json');
}

const COLUMNS = ['client_id', 'name', 'created_at', 'revoked_at'];

async function list(
  { json }: OutputFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { openDatabase } = await import('../../service/open-database.ts');
  const { store } = await openDatabase(environment);
  await using _ = store;
  const applications = (await store.applications.list()).map((each) => ({
    application_id: each.id,
    client_id: each.clientId,
    name: each.name,
    created_at: each.createdAt.toISOString(),
    revoked_at: each.revokedAt?.toISOString() ?? null,
  }));
  if (json === true) return terminal.out(jsonText(applications, terminal.isInteractive));
  showTable(COLUMNS, applications, terminal);
  if (applications.length === 0) terminal.err('There is no application yet.\n');
}
