import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, cp, lstat, mkdir, readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT, strangersEnvironment } from './consumer.ts';
import { isSent, parseDockerfile, type Stage } from './dockerfile.ts';
import { run, type Ended } from './run.ts';

type Settings = Readonly<Record<string, string>>;

/** An image, as far as it can be made without an engine: a folder in place of its file system. */
export interface Image {
  /** The bases of its stages. */
  readonly bases: readonly string[];
  readonly root: string;
  readonly env: Settings;
  readonly cwd: string;
  readonly user: string | undefined;
  readonly volume: string;
  readonly port: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** A container of it: a process with the variables of the image and its own. */
export interface Container {
  readonly process: ChildProcess;
  /** All that it wrote, once it has ended. */
  readonly ended: Promise<Ended>;
  /** What it has written on standard output, once that has this text. @throws Error when it ends before. */
  untilOut(text: string): Promise<string>;
  /** Whether its health check says so now. */
  isHealthy(): Promise<boolean>;
  /** Runs another command beside it, to its end. */
  exec(command: readonly string[], more?: Settings): Promise<Ended>;
}

/** Whom a container runs as. Only root can be somebody else. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};
/** Paths of the image, wherever they stand in a text. */
const PATHS = /(?<=^|[\s=:])\/[\w./-]+/g;

/**
 * Takes the steps of our Dockerfile in `folder`, which others than its owner may enter. Instead of
 * its bases there is this Node.js and this system's tools, and the context is the repository.
 */
export async function buildImage(folder: string): Promise<Image> {
  await mkdir(join(folder, 'bin'));
  // A place that everybody may enter, whatever folder this process has its own from.
  await copyFile(await realpath(process.execPath), join(folder, 'bin/node'));
  const stages = parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8'));
  const bases = stages.map(({ base }) => base);
  const roots = new Map<string, string>();
  let image: Image | undefined;
  for (const [index, stage] of stages.entries()) {
    const root = join(folder, `stage-${index}`);
    await mkdir(root);
    roots.set(stage.alias ?? '', root);
    image = await buildStage(stage, { bases, root, roots, bin: join(folder, 'bin') });
  }
  if (image === undefined) throw new Error('The Dockerfile has no stage');
  // What an engine puts there, and what the base has.
  for (const each of ['tmp', 'home/node']) await mkdir(join(image.root, each), { recursive: true });
  await chmod(join(image.root, 'tmp'), 0o1777);
  // Root's, as an image is: an unprivileged owner loses the right to write instead.
  if (UNPRIVILEGED.uid === undefined)
    await run('chmod', ['-R', 'a-w', join(image.root, 'app')], here());
  return image;
}

/** Runs the image with these variables, and this in place of its command. */
export function startContainer(
  image: Image,
  settings: Settings,
  command: readonly string[] = image.command,
): Container {
  const env = environmentOf(image, settings);
  const { child, said, ended } = startIn(image, [...image.entrypoint, ...command], env);
  const exec: Container['exec'] = (words, more = {}) =>
    startIn(image, words, { ...env, ...more }).ended;
  return {
    process: child,
    ended,
    exec,
    untilOut: async (text) => {
      while (!said.out.includes(text)) {
        if (child.exitCode !== null)
          throw new Error(`It ended with ${child.exitCode}: ${said.err}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
      return said.out;
    },
    isHealthy: async () => (await exec(image.healthCheck)).code === 0,
  };
}

/** Waits until a container says that it is ready. @throws Error when it ends, or its health check disagrees. */
export async function untilHealthy(container: Container): Promise<void> {
  await container.untilOut('is ready');
  if (!(await container.isHealthy())) throw new Error('It is ready, and its health check fails');
}

/** Ends it as `docker stop` does: SIGKILL comes 10 s after SIGTERM. Gives its exit code. */
export async function stopContainer({ process: child, ended }: Container): Promise<number | null> {
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), 10_000);
  const { code } = await ended;
  clearTimeout(killing);
  return code;
}

/** Every file of the image outside its volume and `/tmp`, with what tells that it has changed. */
export async function filesOf({ root, volume }: Image): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (path === volume || path === '/tmp') continue;
      const { mtimeMs, size } = await lstat(join(root, path));
      found.push(`${path} ${size} ${mtimeMs}`);
      if (entry.isDirectory()) await visit(path);
    }
  };
  await visit('');
  return found.toSorted();
}

interface Surroundings {
  readonly bases: readonly string[];
  readonly root: string;
  /** Those of the stages so far. */
  readonly roots: ReadonlyMap<string, string>;
  readonly bin: string;
}

async function buildStage(
  { instructions }: Stage,
  { bases, root, roots, bin }: Surroundings,
): Promise<Image> {
  const env: Record<string, string> = { PATH: strangersEnvironment(bin)['PATH'] ?? '' };
  const image = { user: undefined as string | undefined, volume: '', port: '', cwd: root };
  const words = { ENTRYPOINT: [''], CMD: [''], HEALTHCHECK: [''] };
  for (const { name, text: given, flags } of instructions) {
    const mapped = given.replaceAll(PATHS, (path) => `${root}${path}`);
    switch (name) {
      case 'ENV':
        for (const [, variable = '', value = ''] of mapped.matchAll(/(\w+)=(\S+)/g))
          env[variable] = value.replaceAll(/\$(\w+)/g, (_, other: string) => env[other] ?? '');
        break;
      case 'WORKDIR':
        image.cwd = mapped;
        await mkdir(mapped, { recursive: true });
        break;
      case 'COPY':
        if (flags['from'] === undefined) await copyContext(image.cwd);
        else await copyFrom(roots.get(flags['from']) ?? '', given, root);
        break;
      case 'RUN':
        await mkdir(join(root, 'var/lib'), { recursive: true });
        await run('sh', ['-ec', mapped.replace('node:node', ownerOfVolume())], {
          cwd: image.cwd,
          env: { ...strangersEnvironment(bin), ...env },
        });
        break;
      case 'USER':
        image.user = given;
        break;
      case 'VOLUME':
        image.volume = given;
        break;
      case 'EXPOSE':
        image.port = given;
        break;
      case 'ENTRYPOINT':
      case 'CMD':
      case 'HEALTHCHECK':
        words[name] = execForm(given).map((word) => (word.startsWith('/') ? root + word : word));
        break;
      default:
        throw new Error(`This test knows no ${name}`);
    }
  }
  const { ENTRYPOINT: entrypoint, CMD: command, HEALTHCHECK: healthCheck } = words;
  return { ...image, bases, root, env, entrypoint, command, healthCheck };
}

/** The form without a shell, which would not hand signals on. */
function execForm(given: string): readonly string[] {
  // Anything else is no JSON.
  return JSON.parse(given.replace(/^CMD /, '')) as readonly string[];
}

/** What git has or would take, and what it ignores, too, such as databases and secrets. */
async function copyContext(target: string): Promise<void> {
  const ignore = await readFile(join(ROOT, '.dockerignore'), 'utf8');
  const listed = await run('git', ['ls-files', '-coz', '-x', 'node_modules'], here());
  for (const path of listed.split('\0').filter((each) => each !== '' && isSent(each, ignore))) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await copyFile(join(ROOT, path), join(target, path));
  }
}

async function copyFrom(from: string, given: string, root: string): Promise<void> {
  const [source = '', target = ''] = given.split(/\s+/);
  await cp(join(from, source), join(root, target), { recursive: true, verbatimSymlinks: true });
}

function ownerOfVolume(): string {
  return `${UNPRIVILEGED.uid ?? process.getuid?.()}:${UNPRIVILEGED.gid ?? process.getgid?.()}`;
}

function environmentOf({ env, root }: Image, settings: Settings): Settings {
  return { ...env, HOME: join(root, 'home/node'), TMPDIR: join(root, 'tmp'), ...settings };
}

/** The words of a line without quotes, its paths in the volume as they are here. */
export function wordsIn({ root, volume }: Image, line: string): readonly string[] {
  return line.split(' ').map((word) => (word.startsWith(`${volume}/`) ? root + word : word));
}

function startIn({ cwd }: Image, [command = '', ...args]: readonly string[], env: Settings) {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...UNPRIVILEGED,
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said.err += part));
  const ended = once(child, 'close').then((): Ended => ({ code: child.exitCode, ...said }));
  return { child, said, ended };
}

function here() {
  return { cwd: ROOT, env: process.env };
}
