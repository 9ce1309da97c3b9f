import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const ROOT = join(PACKAGE, '../../');
/** Where the build is served and packed from. */
export const OUTPUT = join(PACKAGE, 'dist');
/** Says what a build was made from; not packed. */
const MARK = '.built-from';
/** What decides about the output: the page, how it is built, and the versions of what builds it. */
const SOURCES = ['src', 'build', 'index.html', 'tsconfig.json', '../../package-lock.json'];

/** Whether a folder has no build of the sources as they are now. */
export async function isStale(output: string): Promise<boolean> {
  const mark = await readFile(join(output, MARK), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return mark !== (await fingerprint());
}

/** Builds the page into a folder, which is exchanged as a whole once that is done. */
export async function buildPage(output: string): Promise<void> {
  // Loaded here: a start that has nothing to build need not wait for it.
  const { build } = await import('vite');
  const made = join(ROOT, `node_modules/.cache/connect-page-${process.pid}`);
  const builtFrom = await fingerprint();
  await build({
    configFile: false,
    root: PACKAGE,
    base: '/connect/',
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: made,
      emptyOutDir: true,
      target: 'es2022',
      // Nothing goes into the document or into `data:` addresses, which its policy forbids.
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
    },
  });
  await writeFile(join(made, MARK), builtFrom);
  await exchange(made, output);
}

/** Several processes may build at once: whoever comes last finds the same output there. */
async function exchange(made: string, output: string): Promise<void> {
  await rm(output, { recursive: true, force: true });
  try {
    await rename(made, output);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (await isStale(output)) throw error;
  }
}

/** By contents, since a checkout of an older version has newer files. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await sourceFiles()) {
    const contents = await readFile(path);
    hash.update(`${relative(PACKAGE, path)} ${contents.length}\n`).update(contents);
  }
  return hash.digest('hex');
}

async function sourceFiles(): Promise<readonly string[]> {
  const found = await Promise.all(SOURCES.map((each) => filesAt(join(PACKAGE, each))));
  return found.flat().toSorted();
}

async function filesAt(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      if (isFile(error)) return undefined;
      throw error;
    },
  );
  if (entries === undefined) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}

function isFile(error: unknown): boolean {
  return hasCode(error, 'ENOTDIR');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
