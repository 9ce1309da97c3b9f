import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes sure that a file, or the names in a folder, are on the disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
