import { randomBytes } from 'node:crypto';
import { createWriteStream, lstatSync, realpathSync, statSync } from 'node:fs';
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
  const target = requireFree(path, replaces);
  const draft = draftOf(target);
  try {
    await pipeline(bytes, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
    await check(draft);
    requireFree(target, replaces);
    await rename(draft, target);
    await flushFolder(dirname(target));
  } catch (error) {
    await rm(draft, { force: true });
    throw ofThisMachine(error, path);
  }
}

/** Where a file is until it is whole. By chance: a process of the same id may write one in another container. */
export function draftOf(path: string): string {
  return `${path}.${randomBytes(4).toString('hex')}.part`;
}

/**
 * Where a file goes that is to be at a path: where a link is there, that is what it leads to.
 *
 * @throws CommandError where there is a file that is not to be replaced, or what no file can replace, such as a device.
 */
export function requireFree(path: string, replaces: boolean): string {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new CommandError(`${path} is a link that leads to nothing.`);
    if (found.isDirectory())
      throw new CommandError(`${path} is a folder; give the name of a file.`);
    if (!found.isFile()) throw new CommandError(`${path} is no ordinary file; name one.`);
    if (!replaces) throw new CommandError(`There is a file ${path} already; --force replaces it.`);
    return realpathSync(path);
  } catch (error) {
    throw ofThisMachine(error, path);
  }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
