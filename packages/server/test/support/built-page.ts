import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export const SCRIPT = 'console.log(1)';

/** The folder of a page as a build leaves it, with more in it than is served; until the tests have ended. */
export async function makeBuiltPage(document: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-page-'));
  after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), document);
  await writeFile(join(folder, 'assets/index-1.js'), SCRIPT);
  await writeFile(join(folder, 'assets/index-1.js.map'), 'not for browsers');
  await writeFile(join(folder, 'secret.js'), 'beside them');
  return folder;
}
