import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Download } from '@patchbay/client';
import { confirm } from '../input/ask.ts';
import { showBytesProgress } from '../progress/bytes-progress.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { isOutputClosed } from './closed-output.ts';
import { printable } from './printable.ts';
import { ofThisMachine } from './of-this-machine.ts';
import { draftOf } from './write-whole-file.ts';

/** Where a file goes: to a path, or to standard output. */
export interface DownloadTarget {
  readonly path: string | undefined;
  /** Bytes go right there: it is no file that could be replaced, but a device or a pipe. */
  readonly isDevice: boolean;
}

export const STANDARD_OUTPUT: DownloadTarget = { path: undefined, isDevice: false };

/**
 * Where a download may go, before it is asked for. A person is asked whether a file that is there may
 * be overwritten.
 *
 * @param path `undefined` or `-` for standard output.
 * @throws CommandError for bytes on a terminal, which might obey them; for a folder; and for a file
 * that is there, unless a person or `force` says yes.
 */
export async function chooseTarget(
  path: string | undefined,
  { force, terminal }: { readonly force: boolean; readonly terminal: Terminal },
): Promise<DownloadTarget> {
  if (path === undefined && terminal.isInteractive)
    throw new CommandError('This is a file; say with --output where it shall go (- for here).');
  if (path === undefined || path === '-') return STANDARD_OUTPUT;
  const found = await statOf(path);
  if (found?.isDirectory() === true)
    throw new CommandError(`${path} is a folder; give the name of a file.`);
  const isDevice = found !== undefined && !found.isFile();
  if (found !== undefined && !isDevice && !force) await requireOverwriting(path, terminal);
  return { path, isDevice };
}

/**
 * Writes a file: to a path, where nothing is seen of it before it is whole, or to standard output.
 *
 * @throws CommandError for a path that cannot be written.
 */
export async function writeDownload(
  file: Download,
  { path, isDevice }: DownloadTarget,
  terminal: Terminal,
): Promise<void> {
  const bytes = showBytesProgress(file, path, terminal);
  if (path === undefined) return await writeToOutput(bytes);
  const draft = isDevice ? path : draftOf(path);
  try {
    await pipeline(bytes, createWriteStream(draft, { flags: isDevice ? 'w' : 'wx' }));
    if (!isDevice) await rename(draft, path);
  } catch (error) {
    if (!isDevice) await rm(draft, { force: true });
    throw ofThisMachine(error, path);
  }
  terminal.err(`${path} (${printable(file.contentType ?? 'of no stated type')})\n`);
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
