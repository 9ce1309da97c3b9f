import type { Warning } from '@patchbay/connectors/definitions';
import type { Terminal } from '../terminal.ts';
import { printable } from './printable.ts';

/** Says what the caller should know although the call went well. */
export function tellWarnings(warnings: readonly Warning[], terminal: Terminal): void {
  for (const { message } of warnings) terminal.err(`Warning: ${printable(message)}\n`);
}
