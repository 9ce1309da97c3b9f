import type { ConnectorInfo } from '@patchbay/client';
import type { Command } from 'commander';
import { interruptible } from '../../interruption.ts';
import { showWarnings } from '../../output/connector-view.ts';
import { jsonText } from '../../output/json-text.ts';
import { showTable } from '../../output/show-table.ts';
import { connect } from '../../service/connect.ts';
import type { Terminal } from '../../terminal.ts';
import {
  addExamples,
  addJsonOption,
  addServiceOptions,
  type OutputFlags,
  type ServiceFlags,
} from '../options.ts';

interface ListFlags extends ServiceFlags, OutputFlags {
  readonly kind?: string;
  readonly status?: string;
  readonly q?: string;
}

const COLUMNS = ['id', 'connector_type', 'name', 'status', 'last_synced_at'];

/** `patchbay connector list`: all connectors of the external user, oldest first. */
export function addConnectorListCommand(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = group
    .command('list')
    .description('list the connectors of the external user, oldest first')
    .option('--kind <kind>', 'only those of this kind, such as slack')
    .option('--status <status>', 'only those with this status, such as degraded')
    .option('--q <text>', 'only those with this text in their name, external user or account')
    .action((flags: ListFlags) => list(flags, terminal, environment));
  addJsonOption(command);
  addServiceOptions(command);
  addExamples(
    command,
    'patchbay connector list',
    'patchbay connector list --status reauth_required',
    'patchbay connector list --kind slack --json | jq -r ".[].id"',
  );
}

async function list(
  flags: ListFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { kind, status, q, json } = flags;
  const patchbay = connect(flags, { terminal, environment }, 'read');
  const connectors: ConnectorInfo[] = [];
  await interruptible(async (signal) => {
    const filter = {
      ...(kind === undefined ? {} : { connector_type: kind }),
      ...(status === undefined ? {} : { status }),
      ...(q === undefined ? {} : { q }),
    };
    for await (const each of patchbay.connectors.list.all(filter, { signal }))
      connectors.push(each);
  });
  if (json === true) return terminal.out(jsonText(connectors, terminal.isInteractive));
  const rows = connectors.map((each) => ({ ...each }));
  showTable(COLUMNS, rows, terminal);
  showWarnings(connectors, terminal);
  if (connectors.length > 0) return;
  const isNarrowed = [kind, status, q].some((each) => each !== undefined);
  terminal.err(
    isNarrowed
      ? 'No connector is like that; `patchbay connector list` shows all of them.\n'
      : 'There is no connector; make one with `patchbay connector create`.\n',
  );
}
