import { printable } from '../output/printable.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { readTypedLine } from './typed-line.ts';

/** A question, and what its answer has to be. */
export interface Question<T> {
  readonly text: string;
  /** What an empty answer stands for, shown in brackets. */
  readonly preset?: string | undefined;
  /** Nothing is seen of what is typed, as of a secret. */
  readonly isHidden?: boolean;
  /** What the answer means. Throws CommandError for what it must not be: it is asked for again. */
  readonly parse: (answer: string) => T | Promise<T>;
}

/** Asks until the answer is one that will do; what is wrong with another is told at once. */
export async function askUntil<T>(terminal: Terminal, question: Question<T>): Promise<T> {
  const { text, preset, isHidden = false, parse } = question;
  for (;;) {
    const answer = isHidden
      ? await readTypedLine(terminal, `${printable(text)}: `, false)
      : await ask(terminal, text, preset);
    try {
      return await parse(answer);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      terminal.err(`${printable(error.message)}\n`);
    }
  }
}

/** Asks for a line; what is typed is seen. An empty answer stands for the default, if there is one. */
async function ask(terminal: Terminal, question: string, preset?: string): Promise<string> {
  const shown = preset === undefined ? question : `${question} [${preset}]`;
  const answer = (await readTypedLine(terminal, `${printable(shown)}: `, true)).trim();
  return answer === '' ? (preset ?? '') : answer;
}

/** Asks whether to go on; only a yes is one. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const answer = await ask(terminal, `${question} [y/N]`);
  return /^y(es)?$/i.test(answer);
}

/** One of several that may be chosen. */
export interface Choice<T> {
  readonly label: string;
  /** Words that mean it besides its number. */
  readonly names: readonly string[];
  readonly value: T;
}

/** Asks which of several it shall be, until the answer is one of them. */
export async function choose<T>(
  terminal: Terminal,
  {
    text,
    choices,
    preset,
  }: Pick<Question<T>, 'text' | 'preset'> & { readonly choices: readonly Choice<T>[] },
): Promise<T> {
  const lines = choices.map(({ label }, index) => `  ${index + 1}  ${printable(label)}\n`);
  terminal.err(lines.join(''));
  return await askUntil(terminal, {
    text: `${text} (1 to ${choices.length})`,
    preset,
    parse: (answer) => {
      const word = answer.toLowerCase();
      const choice =
        (/^\d+$/.test(word) ? choices[Number(word) - 1] : undefined) ??
        choices.find(({ names }) => names.includes(word));
      if (choice !== undefined) return choice.value;
      throw new CommandError(
        `It must be a number from 1 to ${choices.length}, or one of these names.`,
      );
    },
  });
}
