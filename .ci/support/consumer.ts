import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, type Place } from './run.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The oldest Node.js that the packages promise to run on (`engines`). */
export const OLDEST_NODE = '22.19.0';

/** What is looked at in a `package.json`. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly engines: { readonly node: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A package of the repository that is published. */
export interface PublishedPackage extends Manifest {
  /** Its folder in the repository. */
  readonly source: string;
}

/** A project outside the repository, with the published packages and nothing else of ours. */
export interface Consumer {
  readonly folder: string;
  /** Folder of the oldest Node.js promised. */
  readonly oldestNode: string;
}

/** Those that others are made of come first: so each is built once when they are packed. */
export async function publishedPackages(): Promise<readonly PublishedPackage[]> {
  const folders = (await readdir(join(ROOT, 'packages'))).map((name) =>
    join(ROOT, 'packages', name),
  );
  const all = await Promise.all(
    folders.map(async (source) => ({ ...(await readManifest(source)), source })),
  );
  return all
    .filter((each) => each.private !== true)
    .toSorted((left, right) => countOurs(left) - countOurs(right));
}

function countOurs({ dependencies = {} }: Manifest): number {
  return Object.keys(dependencies).filter((name) => name.startsWith('@patchbay/')).length;
}

export async function readManifest(folder: string): Promise<Manifest> {
  // Our own files; npm refuses them where they are wrong.
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Packs the packages, and installs the tarballs together in an empty project in `folder`. */
export async function installPackages(
  packages: readonly PublishedPackage[],
  folder: string,
): Promise<Consumer> {
  const tarballs = join(folder, 'tarballs');
  const project = join(folder, 'project');
  for (const each of [tarballs, project]) await mkdir(each, { recursive: true });
  const env = strangersEnvironment(dirname(process.execPath));
  const workspaces = packages.flatMap(({ name }) => ['--workspace', name]);
  await run('npm', ['pack', ...workspaces, '--pack-destination', tarballs], { cwd: ROOT, env });
  await writeFile(join(project, 'package.json'), await projectManifest(packages, tarballs));
  await install([], { cwd: project, env });
  return { folder: project, oldestNode: await installOldestNode(join(folder, 'oldest-node'), env) };
}

/** Ours come from the tarballs, also where one of them wants another: nobody asks a registry. */
async function projectManifest(
  packages: readonly PublishedPackage[],
  tarballs: string,
): Promise<string> {
  const files = await readdir(tarballs);
  const ours = packages.map(({ name }) => {
    const prefix = `${name.replace('@', '').replace('/', '-')}-`;
    return [name, `file:${join(tarballs, files.find((file) => file.startsWith(prefix)) ?? '')}`];
  });
  const { devDependencies } = await readManifest(ROOT);
  return JSON.stringify({
    private: true,
    type: 'module',
    dependencies: Object.fromEntries(ours) as unknown,
    devDependencies: { '@types/node': devDependencies?.['@types/node'] },
    overrides: Object.fromEntries(packages.map(({ name }) => [name, `$${name}`])),
  });
}

/** The environment of a stranger's shell: nothing of the test runner's, and no settings of ours. */
export function strangersEnvironment(
  nodeFolder: string,
  settings: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_(OPTIONS|TEST_.*)|PATCHBAY_.*|DATABASE_URL|HOST|PORT)$/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    PATH: `${nodeFolder}:${process.env['PATH'] ?? ''}`,
    ...settings,
  };
}

async function install(what: readonly string[], place: Place): Promise<void> {
  const flags = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--no-progress',
  ];
  await run('npm', ['install', ...flags, ...what], place);
}

async function installOldestNode(cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  await mkdir(cwd);
  await writeFile(join(cwd, 'package.json'), '{ "private": true }\n');
  await install([`${name}@${OLDEST_NODE}`], { cwd, env });
  return join(cwd, 'node_modules', name, 'bin');
}
