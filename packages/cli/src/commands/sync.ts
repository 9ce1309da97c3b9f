import type { Patchbay, SyncStatus } from '@patchbay/client';
import { Option, type Command } from 'commander';
import { interruptible } from '../interruption.ts';
import { exitNameOfCode, type ExitName } from '../output/exit-codes.ts';
import { jsonText } from '../output/json-text.ts';
import { printable } from '../output/printable.ts';
import { showTable } from '../output/show-table.ts';
import { tellWarnings } from '../output/tell-warnings.ts';
import { ToldFailure } from '../output/told-failure.ts';
import { makeSyncDisplay, type SyncDisplay } from '../progress/sync-display.ts';
import { connectToConnector } from '../service/connect-to-connector.ts';
import type { Terminal } from '../terminal.ts';
import {
  addConnectorOptions,
  addExamples,
  addJsonOption,
  addServiceOptions,
  type ConnectorFlags,
  type OutputFlags,
  type ServiceFlags,
} from './options.ts';

interface SyncFlags extends ServiceFlags, ConnectorFlags, OutputFlags {
  readonly watch?: true;
  readonly status?: true;
  readonly history?: true;
}

/** `patchbay sync`: asks for a sync, and shows how it goes. */
export function addSyncCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('sync')
    .description('ask for a sync of a connector now, and watch it')
    .option('--watch', 'show how it goes until it has ended; with --json, a status a line')
    .option('--status', 'ask for none: show how far the current one is, or the last')
    .addOption(
      new Option('--history', 'ask for none: show what the last ones did, newest first').conflicts([
        'status',
        'watch',
      ]),
    )
    .addHelpText(
      'after',
      '\nCtrl-C ends the watching alone: the service goes on with the sync. A sync that fails ends this\n' +
        'command with the exit code of its first error.',
    )
    .action((flags: SyncFlags) => sync(flags, terminal, environment));
  addConnectorOptions(command);
  addJsonOption(command);
  addServiceOptions(command);
  addExamples(
    command,
    'patchbay sync --kind slack --watch',
    'patchbay sync --kind slack --status',
    'patchbay sync --kind slack --history',
    'patchbay sync --kind slack --status --watch',
  );
}

async function sync(
  flags: SyncFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { patchbay, id, runId } = await interruptible(async (signal) => {
    const { patchbay: service, info } = await connectToConnector({
      flags,
      terminal,
      environment,
      signal,
    });
    const asked: Asked = { patchbay: service, id: info.id, signal, flags, terminal };
    const found = { patchbay: service, id: info.id };
    if (flags.history === true) {
      await showHistory(asked);
      return { ...found, runId: undefined };
    }
    if (flags.status !== true) return { ...found, runId: await requestRun(asked) };
    if (flags.watch !== true) await showStatus(asked);
    return { ...found, runId: undefined };
  });
  if (flags.watch === true)
    await interruptible(
      (signal) => watch({ patchbay, id, signal, flags, terminal, environment }, runId),
      `Stopped watching; the sync goes on: patchbay sync --connector ${id} --status --watch`,
    );
}

/** What a sync or its status is asked for with. */
interface Asked {
  readonly patchbay: Patchbay;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly flags: SyncFlags;
  readonly terminal: Terminal;
}

interface Watched extends Asked {
  readonly environment: NodeJS.ProcessEnv;
}

async function showHistory({ patchbay, id, signal, flags, terminal }: Asked): Promise<void> {
  const { data } = await patchbay.connectors.sync.runs(id, { signal });
  if (flags.json === true) return terminal.out(jsonText(data, terminal.isInteractive));
  const rows = data.map(({ error, ...run }) => ({ ...run, error: error?.message }));
  showTable(
    ['requested_at', 'cause', 'state', 'finished_at', 'records_read', 'records_written', 'error'],
    rows,
    terminal,
  );
}

async function showStatus({ patchbay, id, signal, flags, terminal }: Asked): Promise<void> {
  const status = await patchbay.connectors.sync.status(id, { signal });
  if (flags.json === true) return terminal.out(jsonText(status, terminal.isInteractive));
  const rows = status.entities.map(({ error, ...each }) => ({ ...each, error: error?.message }));
  showTable(
    ['entity', 'state', 'entity_count', 'as_of', 'records', 'pages', 'error'],
    rows,
    terminal,
  );
  terminal.err(`${sentenceOf(status)}\n`);
  tellDrift(status, terminal);
}

/** What the upstream sends that is not copied. */
function tellDrift({ entities }: SyncStatus, terminal: Terminal): void {
  for (const { entity, drift } of entities) {
    if (drift === null) continue;
    const { unknown_fields: unknown, lost_values: count, lost_fields: lost } = drift;
    if (unknown.length > 0) {
      const names = printable(unknown.join(', '));
      terminal.err(
        `Fields of ${entity} that Patchbay does not know, and does not copy: ${names}.\n`,
      );
    }
    if (count > 0) {
      const names = printable(lost.join(', '));
      terminal.err(
        `Values of ${entity} that are of another type than expected, and empty in the copy: ${count} in ${names}.\n`,
      );
    }
  }
}

async function requestRun({ patchbay, id, signal, flags, terminal }: Asked): Promise<string> {
  const run = await patchbay.connectors.sync(id, { signal });
  tellWarnings(run.warnings ?? [], terminal);
  if (flags.watch === true) return run.run_id;
  if (flags.json === true) terminal.out(jsonText(run, terminal.isInteractive));
  else terminal.out(`Sync ${run.run_id} of ${id} will begin at once; --watch shows how it goes.\n`);
  return run.run_id;
}

async function watch(
  { patchbay, id, signal, flags, terminal, environment }: Watched,
  runId: string | undefined,
): Promise<void> {
  let display: SyncDisplay | undefined;
  let watched = runId;
  let last: SyncStatus | undefined;
  try {
    for await (const status of patchbay.connectors.sync.watch(id, { signal, runId })) {
      watched ??= status.current?.run_id;
      last = asOfRun(status, watched);
      if (flags.json === true) {
        terminal.out(jsonText(status, false));
      } else {
        display ??= makeSyncDisplay(status.entities.length, terminal, environment);
        display.show(last);
      }
    }
  } finally {
    display?.stop();
  }
  if (last === undefined) return;
  if (flags.json !== true) terminal.err(`${sentenceOf(last)}\n`);
  const exit = exitOf(last);
  if (exit !== 'ok') throw new ToldFailure(exit);
}

/** Once the run has ended, a `current` run is a later one: the status without it. */
function asOfRun(status: SyncStatus, runId: string | undefined): SyncStatus {
  return status.last?.run_id === runId ? { ...status, current: null } : status;
}

/** What became of a sync, in a sentence. */
function sentenceOf({ current, last, entities }: SyncStatus): string {
  if (current !== null) {
    const isPaused = entities.some(({ state }) => state === 'paused');
    return `The sync is ${current.state}${isPaused ? ', and the copying of the connector is paused' : ''}.`;
  }
  if (last === null) return 'There has been no sync yet.';
  const { state, started_at: startedAt, finished_at: finishedAt } = last;
  const took =
    startedAt === null || finishedAt === null
      ? ''
      : ` after ${((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000).toFixed(1)} s`;
  const failed = entities.filter(({ error }) => error !== null).map(({ entity }) => entity);
  const trouble = failed.length === 0 ? '' : `; trouble with ${failed.map(printable).join(', ')}`;
  return `The sync ${state}${took}${trouble}.`;
}

function exitOf({ current, last, entities }: SyncStatus): ExitName {
  if (current === null && (last === null || last.state === 'succeeded')) return 'ok';
  const code = entities.find(({ error }) => error !== null)?.error?.code;
  // Paused or cancelled: somebody has to do something about the connector.
  return code === undefined ? 'operator' : exitNameOfCode(code);
}
