import type { KeysInUse, MasterKeyUse } from '@patchbay/connectors/wire';
import type { Command } from 'commander';
import { interruptible } from '../../interruption.ts';
import { ageText } from '../../output/age-text.ts';
import { jsonText } from '../../output/json-text.ts';
import { showTable } from '../../output/show-table.ts';
import {
  requireOperatorService,
  type CommandPlace,
  type OperatorFlags,
} from '../../service/find-operator-service.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples, addJsonOption, addOperatorOptions } from '../options.ts';

/** `patchbay keys status`: which keys there are, and how much is sealed with each. */
export function addKeysStatusCommand(
  keys: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = keys
    .command('status')
    .description('show which keys are in use, by their ids, and how much is sealed with each')
    .action((flags: OperatorFlags) =>
      interruptible((signal) => showStatus(flags, { terminal, environment, signal })),
    );
  addJsonOption(command);
  addOperatorOptions(command);
  addExamples(command, 'patchbay keys status', 'patchbay keys status --json');
}

async function showStatus(flags: OperatorFlags, place: CommandPlace): Promise<void> {
  const { terminal } = place;
  const service = await requireOperatorService(flags, place);
  const inUse = await service.keys();
  if (flags.json === true) return terminal.out(jsonText(inUse, terminal.isInteractive));
  const rows = [...inUse.master_keys.map(masterRow), ...inUse.signing_keys.map(signingRow)];
  showTable(['key', 'id', 'state', 'sealed'], rows, terminal);
  for (const sentence of notesOn(inUse)) terminal.err(`${sentence}\n`);
}

function masterRow(use: MasterKeyUse) {
  return { key: 'master', id: use.id ?? 'without id', state: stateOf(use), sealed: use.sealed };
}

function stateOf({ in_force: isInForce, known: isKnown, id }: MasterKeyUse): string {
  if (isInForce) return 'in force';
  if (!isKnown) return 'not given';
  return id === null ? 'sealed by an earlier version' : 'given';
}

function signingRow({ id, signs, age_seconds: age }: KeysInUse['signing_keys'][number]) {
  return { key: 'signing', id, state: `${signs ? 'signs' : 'before'}, ${ageText(age)} old` };
}

function notesOn({ master_keys: uses }: KeysInUse): readonly string[] {
  const [newest, ...others] = uses;
  const left = sumOf(others.filter(({ known }) => known));
  const lost = sumOf(others.filter(({ known }) => !known));
  const notes: string[] = [];
  if (newest?.in_force === false || left > 0)
    notes.push('Not everything is sealed with the first of these keys: patchbay keys rotate');
  else notes.push('Everything is sealed with the key in force: no master key before it is needed.');
  if (lost > 0)
    notes.push(
      `${lost} values need a key that the service was not given: give it as PATCHBAY_OLD_MASTER_KEY, and rotate.`,
    );
  return notes;
}

function sumOf(uses: readonly MasterKeyUse[]): number {
  return uses.reduce((sum, { sealed }) => sum + sealed, 0);
}
