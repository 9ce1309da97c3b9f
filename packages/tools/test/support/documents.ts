import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Most of the time that child processes take is for compiling what does not change. */
export const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/patchbay-tools');

/** The blocks of a document in one language, in its order. */
export async function blocksOf(path: string, language: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, path), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, block = '']) =>
    name === language ? [block] : [],
  );
}

/** A snippet as a file of a reader, who has installed the packages. */
export interface SnippetFile extends AsyncDisposable {
  readonly path: string;
}

export async function writeSnippet(code: string): Promise<SnippetFile> {
  // Outside of node_modules, below which Node runs no TypeScript.
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-snippet-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const path = join(folder, 'snippet.mts');
  await writeFile(path, code);
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** The command line that `patchbay` stands for in a checkout. */
export const PATCHBAY: readonly string[] = [
  process.execPath,
  '--conditions=patchbay-source',
  join(ROOT, 'packages/cli/src/main.ts'),
];
