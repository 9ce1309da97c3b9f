import type { ConnectorCheck } from '@patchbay/client';
import type { Command } from 'commander';
import { EXIT_CODES, exitNameOfCode, type ExitName } from '../../output/exit-codes.ts';
import { jsonText } from '../../output/json-text.ts';
import { printable } from '../../output/printable.ts';
import { showTable } from '../../output/show-table.ts';
import { ToldFailure } from '../../output/told-failure.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand, withConnector, type Item, type ItemFlags } from './item.ts';

/** `patchbay connector check`: whether the credentials work, entity by entity. */
export function addConnectorCheckCommand(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(
    group,
    'check',
    'try the credentials of a connector upstream, with cheap reads',
  )
    .addHelpText(
      'after',
      `\nEnds with ${EXIT_CODES.operator.code} where the upstream refuses the credentials, with ${EXIT_CODES.upstream.code} where it fails.`,
    )
    .action((id: string | undefined, flags: ItemFlags) =>
      withConnector(id, flags, {
        terminal,
        environment,
        work: (item) => check(item, flags, terminal),
      }),
    );
  addExamples(command, 'patchbay connector check --kind slack');
}

async function check(
  { patchbay, info, signal }: Item,
  { json }: ItemFlags,
  terminal: Terminal,
): Promise<void> {
  const report = await patchbay.connectors.check(info.id, { signal });
  if (json === true) terminal.out(jsonText(report, terminal.isInteractive));
  else showReport(report, info.id, terminal);
  if (report.status !== 'succeeded') throw new ToldFailure(exitNameOf(report));
}

function showReport(report: ConnectorCheck, id: string, terminal: Terminal): void {
  const rows = report.entity_check_results.map((each) => ({ ...each }));
  showTable(['entity', 'status', 'error_message'], rows, terminal);
  const reason = report.error_message === undefined ? '' : `: ${printable(report.error_message)}`;
  terminal.err(
    report.status === 'succeeded'
      ? `The credentials of ${id} work.\n`
      : `The check of ${id} failed${reason}\n`,
  );
  for (const { message } of report.warnings) terminal.err(`${printable(message)}\n`);
}

/** The first failed entity decides: most often all fail for the same reason. */
function exitNameOf({ entity_check_results: results }: ConnectorCheck): ExitName {
  const code = results.find(({ error_code }) => error_code !== undefined)?.error_code;
  return code === undefined ? 'operator' : exitNameOfCode(code);
}
