import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Download } from '@patchbay/client';
import { CommandError, type Terminal } from '../terminal.ts';
import { isOutputClosed } from './closed-output.ts';

/**
 * Writes a file: to a path, where nothing is seen of it before it is whole, or to standard output.
 *
 * @throws CommandError for bytes on a terminal, which might obey them, and for a path that cannot
 * be written.
 */
export async function writeDownload(
  file: Download,
  path: string | undefined,
  terminal: Terminal,
): Promise<void> {
  if (path === undefined && terminal.isInteractive)
    throw new CommandError('This is a file; say with --output where it shall go (- for here).');
  if (path === undefined || path === '-') return await writeToOutput(file);
  const draft = `${path}.${process.pid}.part`;
  try {
    await pipeline(file.bytes, createWriteStream(draft, { flags: 'wx' }));
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw ofThisMachine(error, path);
  }
  terminal.err(`${path} (${file.contentType ?? 'of no stated type'})\n`);
}

async function writeToOutput(file: Download): Promise<void> {
  try {
    await pipeline(file.bytes, process.stdout, { end: false });
  } catch (error) {
    // A closed output is no failure: its reader has read enough.
    if (!isOutputClosed()) throw error;
  }
}

/** An error of the file system as a CommandError; any other error as it is. */
function ofThisMachine(error: unknown, path: string): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error && 'code' in error;
  return isSystemError
    ? new CommandError(`Cannot write ${path} (${String(error.code)}).`, { cause: error })
    : error;
}
