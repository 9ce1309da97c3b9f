import { createInterface } from 'node:readline/promises';
import { PassThrough, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Interruption } from '../interruption.ts';
import type { Terminal } from '../terminal.ts';

/** What was typed or pasted beyond the line that was asked for: it answers the next question. */
let beyond = '';

const decoder = new StringDecoder('utf8');

/**
 * Asks several questions in a row. What is typed between two of them is not shown by the terminal
 * itself either: it may be the answer to the next one, a secret. Ctrl-C waits for that one, so nothing
 * that takes long belongs in here.
 */
export async function withoutEcho<T>(terminal: Terminal, questions: () => Promise<T>): Promise<T> {
  const { stdin } = process;
  if (!terminal.canAsk || stdin.isRaw) return await questions();
  stdin.setRawMode(true);
  try {
    return await questions();
  } finally {
    stdin.setRawMode(false);
  }
}

/**
 * Reads one line from the terminal, whose own echo is off meanwhile. Of several lines that are pasted
 * at once only the first is taken and shown: the next one may be a secret.
 *
 * @param isSeen Whether what is typed is shown.
 * @throws Interruption for Ctrl-C, and for Ctrl-D, which leaves the question without an answer.
 */
export function readTypedLine(
  terminal: Terminal,
  prompt: string,
  isSeen: boolean,
): Promise<string> {
  return withoutEcho(terminal, () => readLine(terminal, prompt, isSeen));
}

async function readLine(terminal: Terminal, prompt: string, isSeen: boolean): Promise<string> {
  const { stdin } = process;
  const abandoned = new AbortController();
  const abandon = () => abandoned.abort(new Interruption('SIGINT'));
  const keys = new PassThrough();
  const output = isSeen ? process.stderr : nowhere();
  const lines = createInterface({ input: keys, output, terminal: true });
  lines.once('SIGINT', abandon);
  lines.once('close', abandon);
  const listen = (chunk: Buffer) => take(decoder.write(chunk));
  const take = (text: string): void => {
    const [line = '', end] = text.split(/(\r\n|\r|\n)/, 2);
    if (line !== '') keys.write(line);
    if (end === undefined) return;
    // What comes from now on waits for the next question.
    stdin.off('data', listen);
    stdin.pause();
    beyond = text.slice(line.length + end.length);
    keys.write('\r');
  };
  const endKeys = () => keys.end();
  stdin.once('end', endKeys);
  try {
    if (!isSeen) terminal.err(prompt);
    const answer = lines.question(isSeen ? prompt : '', { signal: abandoned.signal });
    const before = beyond;
    beyond = '';
    stdin.on('data', listen);
    stdin.resume();
    take(before);
    return await answer;
  } catch (error) {
    throw abandoned.signal.aborted ? abandoned.signal.reason : error;
  } finally {
    stdin.off('data', listen);
    stdin.off('end', endKeys);
    stdin.pause();
    lines.off('close', abandon);
    lines.close();
    // Only Enter on a line that is seen has moved the cursor.
    if (!isSeen || abandoned.signal.aborted) terminal.err('\n');
  }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
