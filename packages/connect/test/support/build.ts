import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** Where `npm start` builds the page. */
export const BUILT = join(PACKAGE, 'dist');

/** Builds the page in a process of its own, as `npm start` does; returns what that says. */
export async function buildIfStale(output = BUILT): Promise<string> {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['build/main.ts', '--if-stale', '--output', output],
    { cwd: PACKAGE },
  );
  return stderr;
}
