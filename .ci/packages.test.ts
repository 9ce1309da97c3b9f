/**
 * Does what a stranger does with the published packages: installs the tarballs in an empty project
 * outside the repository, and runs the documents' examples there as they stand, without any flag:
 * as JavaScript on the oldest Node.js that the packages promise, as TypeScript on this one.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  installPackages,
  OLDEST_NODE,
  publishedPackages,
  readManifest,
  ROOT,
  strangersEnvironment,
  type Consumer,
  type Manifest,
} from './support/consumer.ts';
import {
  everyExampleOf,
  readmeExampleOf,
  type DocumentedExample,
} from './support/documented-examples.ts';
import { run, type Place } from './support/run.ts';
import { startWith, type RunningService } from './support/running-service.ts';

const COMPILER_OPTIONS = {
  module: 'nodenext',
  target: 'es2022',
  strict: true,
  skipLibCheck: false,
  types: ['node'],
  outDir: 'out',
};

/** Modules and their declarations; of the connect page also what browsers load besides. */
const PACKED = /^dist\/(.*\.(js|js\.map|d\.ts)|index\.html|assets\/[\w-]+\.(css|svg))$/;

const packages = await publishedPackages();
// The hosted quick start begins with the line that starts the service, for all that follows.
const [start, ...hosted] = await everyExampleOf('docs/quick-start-hosted.md');
const examples = [
  ...hosted,
  ...(await everyExampleOf('docs/quick-start-library.md')),
  ...(await Promise.all(packages.map(readmeExampleOf))),
];

describe('the packages, installed in an empty project', () => {
  let folder: string;
  let consumer: Consumer;
  let service: RunningService | undefined;
  let settings: Readonly<Record<string, string>>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patchbay-packages-'));
    consumer = await installPackages(packages, folder);
    const cwd = await makeFolder('service');
    // No profile of whoever runs this, and nothing that npx would have to fetch.
    const shell = { XDG_CONFIG_HOME: cwd, npm_config_offline: 'true' };
    const env = strangersEnvironment(consumer.oldestNode, {
      ...shell,
      PORT: '0',
      PATCHBAY_LOG_LEVEL: 'warn',
    });
    service = await startWith(start?.code ?? '', { cwd, env });
    settings = {
      ...shell,
      PATCHBAY_BASE_URL: service.url,
      SLACK_TOKEN: 'demo',
      ...(await readClientFile(join(cwd, 'data.client.json'))),
    };
  });
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true });
  });

  for (const { name, engines } of packages)
    test(`${name} holds what it needs, and nothing else`, async () => {
      assert.equal(engines.node, `>=${OLDEST_NODE}`);
      const installed = join(consumer.folder, 'node_modules', name);
      const files = await filesIn(installed);
      assert.deepEqual(files.filter((file) => !PACKED.test(file)).toSorted(), [
        'LICENSE',
        'README.md',
        'package.json',
      ]);
      assert.deepEqual(
        files.filter((file) => /\.test\b|\.test-d\b|\/test\//.test(file)),
        [],
      );
      for (const target of targetsOf(await readManifest(installed)))
        assert.ok(files.includes(target), `${target} is missing`);
    });

  test('the service has the connect page with it', async () => {
    const page = await fetch(`${service?.url}/connect`);
    assert.equal(page.status, 200);
    const [, script = ''] = /src="([^"]+)"/.exec(await page.text()) ?? [];
    assert.equal((await fetch(`${service?.url}${script}`)).status, 200);
  });

  test('what only tests of the repository import is hidden from others', async () => {
    const cwd = await makeFolder('hidden');
    const file = join(cwd, 'hidden.mjs');
    await writeFile(
      file,
      `for (const name of ['connectors', 'store'])
        console.log(await import(\`@patchbay/\${name}/testing\`).catch(({ code }) => code));`,
    );
    const told = await run(join(consumer.oldestNode, 'node'), [file], {
      cwd,
      env: strangersEnvironment(consumer.oldestNode),
    });
    assert.equal(told, 'ERR_PACKAGE_PATH_NOT_EXPORTED\n'.repeat(2));
  });

  test('the examples compile, with every declaration that they need', async () => {
    const cwd = await makeFolder('typescript');
    const config = { compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] };
    await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify(config));
    for (const { fileName, code } of examples.filter(isTypeScript))
      await writeFile(join(cwd, `${fileName}.ts`), code);
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', cwd], {
      cwd,
      env: process.env,
    });
  });

  for (const example of examples)
    if (isTypeScript(example)) {
      test(`${example.title}: runs as JavaScript on Node.js ${OLDEST_NODE}`, async () => {
        const place = await placeOf(example);
        const file = join(place.cwd, 'example.mjs');
        await writeFile(file, example.code);
        check(example, await run(join(consumer.oldestNode, 'node'), [file], place));
      });
      test(`${example.title}: runs as TypeScript, compiled`, async () => {
        const file = join(consumer.folder, 'typescript/out', `${example.fileName}.js`);
        check(example, await run(process.execPath, [file], await placeOf(example)));
      });
    } else
      test(`${example.title}: runs in a shell`, async () => {
        const shell = ['-euo', 'pipefail', '-c', example.code];
        check(example, await run('bash', shell, await placeOf(example)));
      });

  async function makeFolder(name: string): Promise<string> {
    const path = join(consumer.folder, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** A folder for the example, and for its document an external user, so that none meets another's. */
  async function placeOf({ document, fileName }: DocumentedExample): Promise<Place> {
    const cwd = await makeFolder(fileName);
    const env = { ...settings, PATCHBAY_EXTERNAL_USER_ID: document };
    return { cwd, env: strangersEnvironment(consumer.oldestNode, env) };
  }
});

function isTypeScript({ language }: DocumentedExample): boolean {
  return language === 'ts';
}

/** Where the document tells no output, there must be some. */
function check({ output }: DocumentedExample, printed: string): void {
  if (output === undefined) assert.notEqual(printed, '');
  else assert.equal(printed, output);
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  return all
    .filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath, each.name)));
}

/** The files that a manifest leads to, for everybody who does not ask for our sources. */
function targetsOf({ bin = {}, exports }: Manifest): readonly string[] {
  const exported = Object.values(exports).flatMap((target) =>
    typeof target === 'string'
      ? [target]
      : Object.entries(target).flatMap(([condition, path]) =>
          condition === 'patchbay-source' ? [] : [path],
        ),
  );
  return [...Object.values(bin), ...exported].map((path) => path.replace(/^\.\//, ''));
}

/** The credentials that a first start leaves, as environment variables. */
async function readClientFile(path: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(path, 'utf8');
  // The service wrote it; what it lacks, the examples miss.
  const file = JSON.parse(text) as { readonly client_id: string; readonly client_secret: string };
  return { PATCHBAY_CLIENT_ID: file.client_id, PATCHBAY_CLIENT_SECRET: file.client_secret };
}
