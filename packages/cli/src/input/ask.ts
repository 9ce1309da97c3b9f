import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interruption } from '../interruption.ts';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../terminal.ts';

/** Asks for a line; what is typed is seen. An empty answer stands for the default, if there is one. */
export async function ask(terminal: Terminal, question: string, preset?: string): Promise<string> {
  const shown = preset === undefined ? question : `${question} [${preset}]`;
  const answer = (await readLine(terminal, shown, process.stderr)).trim();
  return answer === '' ? (preset ?? '') : answer;
}

/** Asks for a line that is not seen while it is typed. */
export async function askHidden(terminal: Terminal, question: string): Promise<string> {
  try {
    return await readLine(terminal, question, nowhere());
  } finally {
    terminal.err('\n');
  }
}

/** Asks whether to go on; only a yes is one. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const answer = await ask(terminal, `${question} [y/N]`);
  return /^y(es)?$/i.test(answer);
}

/** Asks which of several it shall be, until the answer is one of them. */
export async function choose<T>(
  terminal: Terminal,
  question: string,
  choices: readonly { readonly label: string; readonly value: T }[],
): Promise<T> {
  const lines = choices.map(({ label }, index) => `  ${index + 1}  ${printable(label)}\n`);
  for (;;) {
    terminal.err(lines.join(''));
    const answer = await ask(terminal, `${question} (1 to ${choices.length})`);
    const choice = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
    if (choice !== undefined) return choice.value;
  }
}

/**
 * @param echo Where what is typed is shown.
 * @throws Interruption for Ctrl-C, and for Ctrl-D, which leaves the question without an answer.
 */
async function readLine(terminal: Terminal, question: string, echo: NodeJS.WritableStream) {
  const abandoned = new AbortController();
  // This turns off the terminal's own echo, so it comes before the question is shown.
  const lines = createInterface({ input: process.stdin, output: echo, terminal: true });
  const abandon = () => abandoned.abort(new Interruption('SIGINT'));
  lines.once('SIGINT', abandon);
  lines.once('close', abandon);
  const prompt = `${printable(question)}: `;
  const isSeen = echo === process.stderr;
  if (!isSeen) terminal.err(prompt);
  try {
    return await lines.question(isSeen ? prompt : '', { signal: abandoned.signal });
  } catch (error) {
    if (!abandoned.signal.aborted) throw error;
    if (isSeen) terminal.err('\n');
    throw abandoned.signal.reason;
  } finally {
    lines.off('close', abandon);
    lines.close();
  }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
