import type { ListedApplication } from '@patchbay/connectors/wire';
import type { Application } from '@patchbay/store';
import type { Command } from 'commander';
import { applicationJson } from '../../output/application-view.ts';
import { jsonText } from '../../output/json-text.ts';
import { showTable } from '../../output/show-table.ts';
import type { OperatorFlags } from '../../service/find-operator-service.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples, addJsonOption, addOperatorOptions } from '../options.ts';
import { EITHER_NOTE } from './notes.ts';
import { withServiceIfAny, type AppPlace } from './place.ts';

/** `patchbay app list`: all applications, revoked ones included, without their secrets. */
export function addAppListCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = app
    .command('list')
    .description('list the applications, revoked ones included')
    .addHelpText('after', EITHER_NOTE)
    .action((flags: OperatorFlags) => list(flags, { terminal, environment }));
  addJsonOption(command);
  addOperatorOptions(command);
  addExamples(command, 'patchbay app list', 'patchbay app list --json');
}

const COLUMNS = ['client_id', 'name', 'created_at', 'revoked_at'];

async function list(flags: OperatorFlags, place: AppPlace): Promise<void> {
  const { terminal, environment } = place;
  const listed =
    (await withServiceIfAny(flags, place, (service) => service.list())) ??
    (await listInDatabase(environment));
  const applications = listed.map(applicationJson);
  if (flags.json === true) return terminal.out(jsonText(applications, terminal.isInteractive));
  showTable(COLUMNS, applications, terminal);
  if (applications.length === 0) terminal.err('There is no application yet.\n');
}

async function listInDatabase(
  environment: NodeJS.ProcessEnv,
): Promise<readonly ListedApplication[]> {
  const { openDatabase } = await import('../../service/open-database.ts');
  const { store } = await openDatabase(environment, { mustExist: true });
  await using _ = store;
  return (await store.applications.list()).map(asOnWire);
}

function asOnWire(application: Application): ListedApplication {
  return {
    id: application.id,
    client_id: application.clientId,
    name: application.name,
    organization_id: application.organizationId,
    allowed_origins: [...application.allowedOrigins],
    allowed_return_urls: [...application.allowedReturnUrls],
    rate_limit: application.callsPerMinute,
    created_at: application.createdAt.toISOString(),
    updated_at: application.updatedAt.toISOString(),
    revoked_at: application.revokedAt?.toISOString() ?? null,
  };
}
