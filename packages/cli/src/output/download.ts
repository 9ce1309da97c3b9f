import { createWriteStream } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Download } from '@patchbay/client';
import { confirm } from '../input/ask.ts';
import { showBytesProgress } from '../progress/bytes-progress.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { isOutputClosed } from './closed-output.ts';
import { printable } from './printable.ts';
import { ofThisMachine } from './of-this-machine.ts';
import { draftOf, requireFree } from './write-whole-file.ts';

/** Where a file goes: to a path, or to standard output. */
export interface DownloadTarget {
  readonly path: string | undefined;
  /** Bytes go right there: it is no file that could be replaced, but a device or a pipe. */
  readonly isDevice: boolean;
  /** Whether it may take the place of a file that is there. */
  readonly replaces: boolean;
}

export const STANDARD_OUTPUT: DownloadTarget = {
  path: undefined,
  isDevice: false,
  replaces: false,
};

/**
 * Where a download may go, before it is asked for. A person is asked whether a file that is there may
 * be overwritten.
 *
 * @param path `undefined` or `-` for standard output.
 * @throws CommandError for bytes on a terminal, which might obey them; for a folder, and a link that
 * leads to nothing; and for a file that is there, unless a person or `force` says yes.
 */
export async function chooseTarget(
  path: string | undefined,
  { force, terminal }: { readonly force: boolean; readonly terminal: Terminal },
): Promise<DownloadTarget> {
  if (path === undefined && terminal.isInteractive)
    throw new CommandError('This is a file; say with --output where it shall go (- for here).');
  if (path === undefined || path === '-') return STANDARD_OUTPUT;
  const found = await statOf(path);
  const isFile = found?.isFile() === true;
  if (found !== undefined && !isFile && !found.isDirectory())
    return { path, isDevice: true, replaces: false };
  if (isFile && !force) await requireOverwriting(path, terminal);
  const replaces = isFile || force;
  requireFree(path, replaces);
  return { path, isDevice: false, replaces };
}

/**
 * Writes a file: to a path, where nothing is seen of it before it is whole, or to standard output. What is
 * replaced keeps its mode.
 *
 * @throws CommandError for a path that cannot be written, or where a file has appeared meanwhile.
 */
export async function writeDownload(
  file: Download,
  { path, isDevice, replaces }: DownloadTarget,
  terminal: Terminal,
): Promise<void> {
  const bytes = showBytesProgress(file, path, terminal);
  if (path === undefined) return await writeToOutput(bytes);
  if (isDevice) await writeToDevice(bytes, path);
  else await writeToFile(bytes, path, replaces);
  terminal.err(`${path} (${printable(file.contentType ?? 'of no stated type')})\n`);
}

async function writeToDevice(bytes: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  try {
    await pipeline(bytes, createWriteStream(path, { flags: 'w' }));
  } catch (error) {
    throw ofThisMachine(error, path);
  }
}

async function writeToFile(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  replaces: boolean,
): Promise<void> {
  const target = requireFree(path, replaces);
  const draft = draftOf(target);
  try {
    // Nobody reads in a draft what they may not read in the file that it replaces.
    const mode = (await statOf(target)) === undefined ? 0o666 : 0o600;
    await pipeline(bytes, createWriteStream(draft, { flags: 'wx', mode }));
    const replaced = await statOf(target);
    if (replaced !== undefined) await chmod(draft, replaced.mode & 0o777);
    requireFree(target, replaces);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw ofThisMachine(error, path);
  }
}

async function requireOverwriting(path: string, terminal: Terminal): Promise<void> {
  if (!terminal.canAsk) throw new CommandError(`${path} is there already; --force overwrites it.`);
  if (!(await confirm(terminal, `Overwrite ${path}?`)))
    throw new CommandError('Nothing was downloaded.');
}

/** `undefined` where there is nothing of that name. */
async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw ofThisMachine(error, path);
  }
}

async function writeToOutput(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(bytes, process.stdout, { end: false });
  } catch (error) {
    // A closed output is no failure: its reader has read enough.
    if (!isOutputClosed()) throw error;
  }
}
