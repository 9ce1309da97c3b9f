import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OLDEST_NODE } from '../../packages/cli/src/runtime.ts';
import { run, type Place } from './run.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A Node.js that is too old for the packages, and that many still have. */
export const OLD_NODE = '20.20.2';

/** What is looked at in a `package.json`. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
  readonly engines: { readonly node: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A package of the repository that is published. */
export interface PublishedPackage extends Manifest {
  /** Its folder in the repository. */
  readonly source: string;
}

export async function publishedPackages(): Promise<readonly PublishedPackage[]> {
  const folders = (await readdir(join(ROOT, 'packages'))).map((name) =>
    join(ROOT, 'packages', name),
  );
  const all = await Promise.all(
    folders.map(async (source) => ({ ...(await readManifest(source)), source })),
  );
  return all.filter((each) => each.private !== true);
}

/** The package of this name, and all of ours that it depends on, at once or through others. */
export function closureOf(
  name: string,
  packages: readonly PublishedPackage[],
): ReadonlySet<string> {
  const found = new Set([name]);
  // What is added on the way is looked at, too.
  for (const each of found) {
    const { dependencies = {} } = packages.find((one) => one.name === each) ?? {};
    for (const dependency of Object.keys(dependencies))
      if (dependency.startsWith('@patchbay/')) found.add(dependency);
  }
  return found;
}

export async function readManifest(folder: string): Promise<Manifest> {
  // Our own files; npm refuses them where they are wrong.
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The name of a package as the name of its tarball has it. */
export function tarballPrefix(name: string): string {
  return `${name.replace('@', '').replace('/', '-')}-`;
}

/**
 * A git repository with the files as they are here now, also those not yet committed, to be cloned by
 * what follows the documents.
 */
export async function makeRepository(folder: string): Promise<string> {
  await mkdir(folder);
  const place = { cwd: ROOT, env: process.env };
  const git = ['--git-dir', join(folder, '.git'), '--work-tree', ROOT];
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  await run('git', [...git, 'init', '--quiet'], place);
  await run('git', [...git, 'add', '--all'], place);
  await run('git', [...git, ...author, 'commit', '--quiet', '--message', 'As it is'], place);
  return folder;
}

/** An empty project, in which npm looks for packages of ours nowhere: what a command does not name is missing. */
export async function makeProject(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  await writeFile(
    join(folder, '.npmrc'),
    '@patchbay:registry=http://127.0.0.1:9/\nfetch-retries=0\n',
  );
  return folder;
}

/** The environment of a stranger's shell: nothing of the test runner's, and no settings of ours. */
export function strangersEnvironment(
  nodeFolder: string,
  settings: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_(OPTIONS|TEST_.*)|npm_.*|PATCHBAY_.*|DATABASE_URL|HOST|PORT)$/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    PATH: `${nodeFolder}:${pathWithoutOurs()}`,
    ...settings,
  };
}

/** What npm and the test runner put in front of the path is no stranger's. */
function pathWithoutOurs(): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.filter((folder) => !folder.includes('node_modules')).join(':');
}

/** Installs a Node.js, and gives the folder that it is in. */
export async function installNode(version: string, cwd: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  return dirname(await installProgram({ name, version, path: 'bin/node' }, cwd));
}

/** A program as npm has it for one kind of machine. */
interface PackedProgram {
  readonly name: string;
  readonly version: string;
  /** In the package. */
  readonly path: string;
}

/** What else runs the library and the client, and what begins a command of it. */
export const OTHER_RUNTIMES: Readonly<
  Record<string, PackedProgram & { readonly args: readonly string[] }>
> = {
  Bun: {
    name: `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`,
    version: '1.4.5',
    path: 'bin/bun',
    args: ['run'],
  },
  Deno: {
    name: `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`,
    version: '2.9.6',
    path: 'deno',
    args: ['run', '--allow-all'],
  },
};

/** Installs a program, and gives its path. */
export async function installProgram(
  { name, version, path }: PackedProgram,
  cwd: string,
): Promise<string> {
  await makeProject(cwd);
  const place: Place = { cwd, env: strangersEnvironment('') };
  await run('npm', ['install', '--ignore-scripts', '--no-progress', `${name}@${version}`], place);
  const program = join(cwd, 'node_modules', name, path);
  await access(program);
  return program;
}

export { OLDEST_NODE };
