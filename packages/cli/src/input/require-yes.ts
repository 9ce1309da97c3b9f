import { CommandError, type Terminal } from '../terminal.ts';
import { confirm } from './ask.ts';

/**
 * Goes on only with a yes: `--yes`, or that of a person who is asked.
 *
 * @throws CommandError for a no, and where nobody can be asked.
 */
export async function requireYes(
  terminal: Terminal,
  yes: true | undefined,
  question: string,
): Promise<void> {
  if (yes === true) return;
  if (!terminal.canAsk)
    throw new CommandError('There is no terminal to ask on whether to do this: give --yes.');
  if (!(await confirm(terminal, question))) throw new CommandError('Nothing was changed.');
}
