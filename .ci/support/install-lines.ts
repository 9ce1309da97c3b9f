import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blocksIn } from '../../packages/cli/test/support/document-blocks.ts';
import { ROOT } from './consumer.ts';

/** What docs/install.md has a reader type, by what it is for. */
export interface InstallLines {
  /** Makes the tarballs. */
  readonly pack: string;
  /** Starts the service in a checkout. */
  readonly checkout: string;
  /** Each installs tarballs of the folder `TARBALLS`. */
  readonly tarballs: readonly string[];
  readonly secrets: string;
  readonly docker: readonly string[];
}

/** @throws Error when the document has a line that none of this is. */
export async function installLines(): Promise<InstallLines> {
  const text = await readFile(join(ROOT, 'docs/install.md'), 'utf8');
  const lines = blocksIn(text).map(({ code }) => code);
  const take = (pattern: RegExp) => {
    const found = lines.filter((line) => pattern.test(line));
    for (const each of found) lines.splice(lines.indexOf(each), 1);
    if (found.length === 0) throw new Error(`docs/install.md has nothing like ${pattern}`);
    return found;
  };
  const [pack = ''] = take(/^npm run pack$/m);
  const [checkout = ''] = take(/^npm start$/m);
  const tarballs = take(/^npm install "\$TARBALLS"/);
  const docker = take(/^docker /).flatMap((block) => block.trimEnd().split('\n'));
  const [secrets = ''] = take(/\.env$/m);
  if (lines.length > 0) throw new Error(`docs/install.md: nobody runs ${lines.join()}`);
  return { pack, checkout, tarballs, docker, secrets };
}
