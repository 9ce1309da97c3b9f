import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

/** A page of static files that the service serves: a package with `src`, `build`, `index.html` and `dist`. */
export interface StaticPage {
  /** What people call it: "the connect page". */
  readonly name: string;
  /** The package's folder. */
  readonly folder: string;
  /** Below which path of the service it is, with a slash at both ends. */
  readonly base: string;
  /** Whose functions JSX becomes calls of. */
  readonly jsxImportSource: string;
  /** Folders from which it bundles more, relative to its own. */
  readonly bundles?: readonly string[];
}

/** Says what a build was made from; not packed. */
const MARK = '.built-from';
/** What decides about the output: the page, how it is built, and the versions of what builds it. */
const SOURCES = [
  'src',
  'build',
  'index.html',
  'tsconfig.json',
  '../connect/build',
  '../../package-lock.json',
];

/**
 * Builds a page as the command line asks. With `--if-stale` only where its sources have changed since; a failure
 * then stops nobody: the service starts, and says what to run where the page should be. `--output` is the
 * folder that it goes to, instead of the package's `dist`, from which it is served and packed.
 */
export async function runBuild(page: StaticPage): Promise<void> {
  const { values } = parseArgs({
    options: {
      'if-stale': { type: 'boolean', default: false },
      output: { type: 'string', default: join(page.folder, 'dist') },
    },
  });
  if (values['if-stale']) await buildIfStale(page, values.output);
  else await buildPage(page, values.output);
}

async function buildIfStale(page: StaticPage, output: string): Promise<void> {
  try {
    if (!(await isStale(page, output))) return;
    process.stderr.write(`Building ${page.name} …`);
    const begunAt = performance.now();
    await buildPage(page, output);
    const seconds = (performance.now() - begunAt) / 1_000;
    process.stderr.write(` done in ${seconds.toFixed(1)} s\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`\nWarning: ${page.name} was not built: ${reason}\n`);
  }
}

/** Whether a folder has no build of the sources as they are now. */
async function isStale(page: StaticPage, output: string): Promise<boolean> {
  const mark = await readFile(join(output, MARK), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return mark !== (await fingerprint(page));
}

/** Builds the page into a folder, which is exchanged as a whole once that is done. */
async function buildPage(page: StaticPage, output: string): Promise<void> {
  // Loaded here: a start that has nothing to build need not wait for it.
  const { build, defaultClientConditions } = await import('vite');
  const { folder, base, jsxImportSource: importSource } = page;
  const made = join(folder, `../../node_modules/.cache/${basename(folder)}-page-${process.pid}`);
  const builtFrom = await fingerprint(page);
  await asWithoutTerminal(() =>
    build({
      configFile: false,
      root: folder,
      base,
      publicDir: false,
      logLevel: 'warn',
      // Of packages of ours, which may not be built, the sources.
      resolve: { conditions: ['patchbay-source', ...defaultClientConditions] },
      oxc: { jsx: { runtime: 'automatic', importSource } },
      build: {
        outDir: made,
        emptyOutDir: true,
        target: 'es2022',
        // Nothing goes into the document or into `data:` addresses, which its policy forbids.
        assetsInlineLimit: 0,
        modulePreload: false,
        reportCompressedSize: false,
        // What is loaded first is measured by tests, compressed.
        chunkSizeWarningLimit: 1_000,
        // Marks for servers that render, which mean nothing in a browser's bundle: a warning for every file.
        rolldownOptions: {
          // Its modules define things and do nothing else, which its package does not say.
          treeshake: {
            moduleSideEffects: [{ test: /node_modules\/typebox\//, sideEffects: false }],
          },
          onLog: (level, log, report) => {
            if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
          },
        },
      },
    }),
  );
  await writeFile(join(made, MARK), builtFrom);
  await exchange(page, made, output);
}

/**
 * On a terminal Vite begins a line of progress at every file that it has a note of, and erases it again, whatever
 * its log level is.
 */
async function asWithoutTerminal(run: () => Promise<unknown>): Promise<void> {
  const { stdout } = process;
  const { isTTY } = stdout;
  stdout.isTTY = false;
  try {
    await run();
  } finally {
    stdout.isTTY = isTTY;
  }
}

/** Several processes may build at once: whoever comes last finds the same output there. */
async function exchange(page: StaticPage, made: string, output: string): Promise<void> {
  await rm(output, { recursive: true, force: true });
  try {
    await rename(made, output);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (await isStale(page, output)) throw error;
  }
}

/** By contents, since a checkout of an older version has newer files. */
async function fingerprint(page: StaticPage): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await sourceFiles(page)) {
    const contents = await readFile(path);
    hash.update(`${relative(page.folder, path)} ${contents.length}\n`).update(contents);
  }
  return hash.digest('hex');
}

async function sourceFiles({ folder, bundles = [] }: StaticPage): Promise<readonly string[]> {
  const found = await Promise.all(
    [...SOURCES, ...bundles].map((each) => filesAt(join(folder, each))),
  );
  return [...new Set(found.flat())].toSorted();
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
