import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../terminal.ts';
import { ofThisMachine } from './of-this-machine.ts';

interface WrittenFile {
  readonly path: string;
  /** Whether it takes the place of a file that is there. */
  readonly replaces: boolean;
  /** Rejects where the file, in its draft, is not what it should be. */
  readonly check: (draft: string) => Promise<void>;
}

/**
 * Writes a file for its owner alone (mode 0600). Nothing is seen of it before it is whole, checked and on
 * the disk.
 *
 * @throws CommandError where there is a file already, or none can be written.
 */
export async function writeWholeFile(
  bytes: AsyncIterable<Uint8Array>,
  { path, replaces, check }: WrittenFile,
): Promise<void> {
  requireFree(path, replaces);
  const draft = `${path}.${process.pid}.part`;
  try {
    await pipeline(bytes, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
    await check(draft);
    requireFree(path, replaces);
    await rename(draft, path);
    await flushFolder(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw ofThisMachine(error, path);
  }
}

/** @throws CommandError where there is a file that is not to be replaced. */
export function requireFree(path: string, replaces: boolean): void {
  if (!replaces && existsSync(path))
    throw new CommandError(`There is a file ${path} already; --force replaces it.`);
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
