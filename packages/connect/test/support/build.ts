import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url));

/** Where `npm start` builds the page of a package. */
export function builtFolder(name: string): string {
  return join(PACKAGES, name, 'dist');
}

export const BUILT = builtFolder('connect');

/**
 * Builds the page of a package, the connect page unless said, in a process of its own, as `npm start` does; returns
 * what that says.
 */
export async function buildIfStale(output = BUILT, name = 'connect'): Promise<string> {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['build/main.ts', '--if-stale', '--output', output],
    { cwd: join(PACKAGES, name) },
  );
  return stderr;
}
