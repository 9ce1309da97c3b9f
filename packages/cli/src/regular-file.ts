import { readFileSync, statSync } from 'node:fs';
import { CommandError } from './terminal.ts';

/**
 * The text of a file that the command keeps. What is no regular file is refused: a named pipe would wait for
 * a writer, and a device may never end.
 *
 * @throws CommandError for those; the file system's error where it cannot be read.
 */
export function readRegularFile(path: string): string {
  if (!statSync(path).isFile()) throw new CommandError(`${path} is no regular file.`);
  return readFileSync(path, 'utf8');
}
