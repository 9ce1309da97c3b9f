import { readFile } from 'node:fs/promises';
import { buffer as readBytes, text as readText } from 'node:stream/consumers';
import { isJsonObject } from '@patchbay/connectors/definitions';
import { CommandError } from '../terminal.ts';

/**
 * Reads a JSON object from a file, or from standard input where the path is `-`: UTF-8, with a byte order
 * mark or without.
 *
 * @throws CommandError; what the input holds is not told, since it may be secret.
 */
export async function readJsonInput(path: string): Promise<Readonly<Record<string, unknown>>> {
  const what = path === '-' ? 'Standard input' : path;
  return parseJsonObject(decode(await readInput(path), what), what);
}

/** @param what What it is called in the error. */
export function parseJsonObject(text: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The rest of the message quotes the text, which may be secret.
    const place = /line \d+ column \d+/.exec(error instanceof Error ? error.message : '')?.[0];
    if (text.trim() === '')
      throw new CommandError(`${what} is empty, where a JSON object is wanted.`);
    throw new CommandError(`${what} is not JSON${place === undefined ? '' : ` (${place})`}.`);
  }
  if (isJsonObject(value)) return value;
  throw new CommandError(`${what} must be a JSON object.`);
}

/** All of standard input, without a line end at its end. */
export async function readStandardInput(): Promise<string> {
  return (await readText(process.stdin)).replace(/\r?\n$/, '');
}

async function readInput(path: string): Promise<Uint8Array> {
  if (path === '-') return readBytes(process.stdin);
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new CommandError(`Cannot read ${path} (${code}).`, { cause: error });
  }
}

/** Another encoding would change what is stored or sent, without a word where it is still JSON. */
function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CommandError(`${what} is not UTF-8: save it in that encoding.`, { cause: error });
  }
}
