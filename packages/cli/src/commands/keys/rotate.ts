import { isConnectorError, systemClock, wait } from '@patchbay/connectors/definitions';
import type { KeyRotation } from '@patchbay/connectors/wire';
import { Option, type Command } from 'commander';
import { interruptible } from '../../interruption.ts';
import { jsonText } from '../../output/json-text.ts';
import { makeRowDisplay } from '../../progress/row-display.ts';
import {
  requireOperatorService,
  type CommandPlace,
  type OperatorFlags,
} from '../../service/find-operator-service.ts';
import type { OperatorService } from '../../service/operator-service.ts';
import { CommandError, type Terminal } from '../../terminal.ts';
import { addExamples, addJsonOption, addOperatorOptions } from '../options.ts';

interface RotateFlags extends OperatorFlags {
  readonly signing?: true;
  readonly revokeTokens?: true;
}

const NOTE =
  '\nThe master key: start every process with the new key as PATCHBAY_MASTER_KEY and the one before as\n' +
  'PATCHBAY_OLD_MASTER_KEY (each also as …_FILE), then run this; the service goes on meanwhile. It may be\n' +
  'interrupted, and goes on with what is left. docs/operations.md has every step.';

const GOES_ON =
  'Some values may be sealed with the new key by now: keep both keys, and run this again, which goes on with what is left.\n';

/** What processes began to seal before they noticed the new key is there by then. */
const SETTLING_MS = 3_000;
/** Others may rotate at the same time, or change what was to be sealed. */
const FRUITLESS_STEPS = 5;

/** `patchbay keys rotate`: puts another master key, or signing key, in the place of the present one. */
export function addKeysRotateCommand(
  keys: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = keys
    .command('rotate')
    .description('seal everything with the new master key, while the service goes on')
    .option('--signing', 'make another key that signs tokens, instead')
    .addOption(
      new Option('--revoke-tokens', 'with --signing: end all tokens there are, within 1 s').implies(
        { signing: true },
      ),
    )
    .addHelpText('after', NOTE)
    .action((flags: RotateFlags) =>
      interruptible((signal) => rotate(flags, { terminal, environment, signal })),
    );
  addJsonOption(command);
  addOperatorOptions(command);
  addExamples(
    command,
    'patchbay keys rotate',
    'patchbay keys rotate --signing',
    'patchbay keys rotate --signing --revoke-tokens',
  );
}

async function rotate(flags: RotateFlags, place: CommandPlace): Promise<void> {
  const service = await requireOperatorService(flags, place);
  if (flags.signing === true) await rotateSigning(service, flags, place);
  else await rotateMaster(service, flags, place);
}

async function rotateSigning(
  service: OperatorService,
  { json, revokeTokens }: RotateFlags,
  { terminal }: CommandPlace,
): Promise<void> {
  const endsTokens = revokeTokens === true;
  const made = await service.rotateSigningKey(endsTokens);
  if (json === true) return terminal.out(jsonText(made, terminal.isInteractive));
  terminal.err(
    endsTokens
      ? `${made.id} signs tokens from now on. All tokens from before are refused within 1 s.\n`
      : `${made.id} signs tokens from now on. Those from before live until they end, 20 minutes at most.\n`,
  );
}

async function rotateMaster(
  service: OperatorService,
  { json }: RotateFlags,
  { terminal, signal }: CommandPlace,
): Promise<void> {
  using display = makeRowDisplay(terminal);
  const show = json === true ? () => undefined : display.show;
  const { last, resealed } = await stepToEnd(service, { show, signal }).catch((error: unknown) => {
    display[Symbol.dispose]();
    if (isConnectorError(error) && error.retry !== 'never') terminal.err(GOES_ON);
    throw error;
  });
  display[Symbol.dispose]();
  const { key, unreadable } = last;
  if (json === true) terminal.out(jsonText({ key, resealed, unreadable }, terminal.isInteractive));
  else terminal.err(`${sentenceOf(key, resealed)}\n`);
  if (unreadable > 0)
    throw new CommandError(
      `${unreadable} values are sealed with a key that the service was not given. \`patchbay keys status\` names it: give it as PATCHBAY_OLD_MASTER_KEY, and run this again.`,
    );
}

/** Until a step finds nothing to be done, some time after one that did something. */
async function stepToEnd(
  service: OperatorService,
  {
    show,
    signal,
  }: {
    readonly show: (rows: { readonly done: number; readonly of: number }) => void;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly last: KeyRotation; readonly resealed: number }> {
  let resealed = 0;
  for (let fruitless = 0; fruitless < FRUITLESS_STEPS;) {
    const step = await service.rotateMasterKey();
    if (step.lacked_by > 0) throw notEverywhere(step);
    resealed += step.resealed;
    if (step.resealed === 0 && step.left === 0) return { last: step, resealed };
    show({ done: resealed, of: resealed + step.left });
    fruitless = step.resealed === 0 ? fruitless + 1 : 0;
    if (step.left === 0) await wait(systemClock, SETTLING_MS, signal);
  }
  throw new CommandError(
    'Some values cannot be opened with the key that they were sealed with; the log of the service names their tables. Everything else is sealed with the new key: keep the old one.',
  );
}

function notEverywhere({ key, lacked_by: lackedBy }: KeyRotation): CommandError {
  const processes =
    lackedBy === 1 ? 'One running process does' : `${lackedBy} running processes do`;
  return new CommandError(
    `${processes} not have the key ${key}, and nothing was done. Start every process with the same PATCHBAY_MASTER_KEY, and the key before as PATCHBAY_OLD_MASTER_KEY; one that ended without a word counts for 15 s.`,
  );
}

function sentenceOf(key: string, resealed: number): string {
  if (resealed === 0)
    return `There was nothing to do: everything is sealed with ${key}, the key in force, and no other one is needed. For another master key, give it to every process first: \`patchbay keys rotate --help\` says how.`;
  return `Sealed ${resealed.toLocaleString('en-GB')} values with ${key}, which is in force. Processes no longer need PATCHBAY_OLD_MASTER_KEY; backups from before still need that key.`;
}
