/**
 * Does what a stranger does with docs/install.md: makes the tarballs in a checkout, installs them in empty
 * projects outside the repository, and runs the documents' examples there as they stand, without any flag:
 * as JavaScript on the oldest Node.js that the packages promise, as TypeScript on this one. Also what
 * people do who have an older Node.js, or take the checkout for a package.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  closureOf,
  installNode,
  installProgram,
  makeProject,
  makeRepository,
  OLD_NODE,
  OLDEST_NODE,
  OTHER_RUNTIMES,
  publishedPackages,
  readManifest,
  ROOT,
  strangersEnvironment,
  tarballPrefix,
  type Manifest,
} from './support/consumer.ts';
import {
  everyExampleOf,
  readmeExampleOf,
  type DocumentedExample,
} from './support/documented-examples.ts';
import { installLines } from './support/install-lines.ts';
import { describeKind } from '../packages/connectors/src/describe.ts';
import { allKinds } from '../packages/connectors/src/find-kind.ts';
import type { KindDescription } from '../packages/connectors/src/wire/kind-description.ts';
import { LanguageServer } from '../packages/connectors/test/support/language-server.ts';
import { countInstantiations } from '../packages/connectors/test/support/typescript-project.ts';
import { run, runShell, runToEnd, type Ended, type Place } from './support/run.ts';
import { startWith, type RunningService } from './support/running-service.ts';

const COMPILER_OPTIONS = {
  module: 'nodenext',
  target: 'es2022',
  strict: true,
  skipLibCheck: false,
  types: ['node'],
  outDir: 'out',
};

/** What a package of a monorepo may export, whose types the compiler has to write down. */
const EXPORTING = `
import { Patchbay } from '@patchbay/client';
import { createConnector } from '@patchbay/connectors';
import { toTools as toOpenAi } from '@patchbay/tools/openai';
import { toTools as toAnthropic } from '@patchbay/tools/anthropic';
const slack = createConnector('slack', { credentials: { api_token: 'x' } });
export const { users, execute } = slack;
export const page = () => slack.users.list();
export const hosted = async () => (await new Patchbay().connector('slack')).users;
export const search = async () => (await hosted()).search({ query: {} });
export const found = async () => (await search()).hits;
export const openAi = () => toOpenAi(slack);
export const anthropic = () => toAnthropic(slack);
`;

/** Modules and their declarations; of pages also what browsers load besides, and whose work it is. */
const PACKED =
  /^dist\/(.*\.(js|js\.map|d\.ts)|(docs-page\/)?(index\.html|assets\/[\w-]+\.(css|svg|txt)))$/;

/** The typed call surfaces. */
const SURFACES = {
  'the library': {
    type: 'Connector',
    isHosted: false,
    program: `import { createConnector } from '@patchbay/connectors';
const slack = createConnector('slack', { credentials: { api_token: 'demo' } });
await slack.users.list();
`,
  },
  'the hosted client': {
    type: 'HostedConnector',
    isHosted: true,
    program: `import { Patchbay } from '@patchbay/client';
const slack = await new Patchbay().connector('slack');
await slack.users.list();
`,
  },
} as const;

/** The documents of what runs on other runtimes, too. */
const RUNS_ELSEWHERE =
  /^(?:docs\/quick-start-library|packages\/(?:client|connectors|tools)\/README)\.md$/;

/** What an editor may have to do, at most, before it can tell anything of a small program. */
const MOST = 300_000;

const lines = await installLines();
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
  /** Of the oldest Node.js promised, and of one that is too old. */
  let oldestNode: string;
  let oldNode: string;
  /** The clone that the tarballs were made in, and what making them wrote on standard error. */
  let checkout: string;
  let packed: Ended;
  let tarballs: string;
  /** Where everything is installed. */
  let project: string;
  let service: RunningService | undefined;
  let settings: Readonly<Record<string, string>>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patchbay-packages-'));
    oldestNode = await installNode(OLDEST_NODE, join(folder, 'oldest-node'));
    oldNode = await installNode(OLD_NODE, join(folder, 'old-node'));
    const cwd = await makeFolder('packing');
    const REPOSITORY = await makeRepository(join(folder, 'repository'));
    // An older Node.js is fine there: the one that is needed comes with `npm ci`.
    const env = strangersEnvironment(oldNode, { REPOSITORY });
    packed = await runToEnd('bash', ['-euo', 'pipefail', '-c', lines.pack], { cwd, env });
    assert.equal(packed.code, 0, packed.out + packed.err);
    checkout = join(cwd, 'patchbay');
    tarballs = join(checkout, 'dist/packages');
    project = await installEverything();
    await startService();
  });
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true });
  });

  test('the tarballs are made without a warning, on an older Node.js, and are of every package', async () => {
    assert.doesNotMatch(packed.err, /warn/i);
    assert.deepEqual(
      (await readdir(tarballs)).toSorted(),
      packages.map(({ name, version }) => `${tarballPrefix(name)}${version}.tgz`).toSorted(),
    );
  });

  test('the tarballs are the same wherever they are made', async () => {
    const env = strangersEnvironment(dirname(process.execPath));
    await run('npm', ['run', 'pack'], { cwd: ROOT, env });
    assert.deepEqual(await hashesIn(tarballs), await hashesIn(join(ROOT, 'dist/packages')));
  });

  for (const [index, line] of lines.tarballs.entries())
    test(`all that is needed is named: ${line.trim()}`, async () => {
      const placeOfName = ({ name }: Manifest) => line.indexOf(`/${tarballPrefix(name)}*`);
      // In the order of the line, which begins with what it is for.
      const named = packages
        .filter((each) => placeOfName(each) !== -1)
        .toSorted((left, right) => placeOfName(left) - placeOfName(right));
      const [main] = named;
      const cwd = await makeProject(join(folder, `installed-${index}`));
      await runShell(line, { cwd, env: environment({ TARBALLS: tarballs }) });
      const found = await readdir(join(cwd, 'node_modules/@patchbay'));
      if (main === undefined) assert.equal(found.length, packages.length);
      else {
        const needed = closureOf(main.name, packages);
        // The sandbox, which nothing depends on, is for trying things out.
        const others = named.filter(({ name }) => !needed.has(name)).map(({ name }) => name);
        assert.deepEqual(
          others.filter((name) => name !== '@patchbay/sandbox'),
          [],
        );
        assert.deepEqual(
          found.map((name) => `@patchbay/${name}`).toSorted(),
          [...needed, ...others].toSorted(),
        );
        const script = `console.log(Object.keys(await import('${main.name}')).length > 0)`;
        const told = await run('node', ['--input-type=module', '-e', script], {
          cwd,
          env: environment(),
        });
        assert.equal(told, 'true\n');
      }
    });

  test('a checkout starts on an older Node.js', async () => {
    // All before the last line is what the tarballs were made with.
    const [, begins = '', starts = ''] = /^(.*\n)(.+\n)$/s.exec(lines.checkout) ?? [];
    assert.ok(lines.pack.startsWith(begins));
    const data = await makeFolder('checkout');
    const places = { XDG_CONFIG_HOME: data, PATCHBAY_DATA: join(data, 'data'), PORT: '0' };
    const env = strangersEnvironment(oldNode, places);
    const started = await startWith(starts, { cwd: checkout, env });
    try {
      assert.equal((await fetch(`${started.url}/readyz`)).status, 200);
      assert.equal((await fetch(`${started.url}/connect`)).status, 200);
    } finally {
      await started.stop();
    }
  });

  for (const script of ['start', 'patchbay'])
    test(`npm run ${script} says which Node.js is needed, where none came with npm ci`, async () => {
      const { scripts = {} } = await readManifest(checkout);
      const place = { cwd: checkout, env: strangersEnvironment(oldNode) };
      const { code, out, err } = await runToEnd('sh', ['-c', scripts[script] ?? ''], place);
      assert.deepEqual([code, out], [10, '']);
      assert.match(
        err,
        new RegExp(`^patchbay: This is Node.js ${OLD_NODE}, and 22.19 .*npm ci.*\\n$`),
      );
    });

  test('an installed patchbay says which Node.js is needed', async () => {
    const place = { cwd: project, env: strangersEnvironment(oldNode) };
    const { code, out, err } = await runToEnd(
      join(project, 'node_modules/.bin/patchbay'),
      ['start'],
      place,
    );
    assert.deepEqual([code, out], [10, '']);
    assert.match(
      err,
      new RegExp(`^patchbay: This is Node.js ${OLD_NODE}, .*install Node.js 24.*\\n$`),
    );
  });

  test('who installs the checkout is told what to install', async () => {
    const cwd = await makeProject(join(folder, 'mistaken'));
    const { err } = await runToEnd('npm', ['install', checkout], { cwd, env: environment() });
    assert.match(err, /patchbay@.*npm run pack.*dist\/packages.*docs\/install\.md/);
  });

  test('who works in the checkout is told nothing of that', async () => {
    const env = strangersEnvironment(dirname(process.execPath));
    const args = ['install', '--ignore-scripts', '--no-progress', '--loglevel=warn'];
    const { code, out, err } = await runToEnd('npm', args, { cwd: checkout, env });
    assert.equal(code, 0, out + err);
    assert.doesNotMatch(out + err, /deprecated|install\.md/);
  });

  for (const { name, engines } of packages)
    test(`${name} holds what it needs, and nothing else`, async () => {
      assert.equal(engines.node, `>=${OLDEST_NODE}`);
      const installed = join(project, 'node_modules', name);
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
    const cwd = await makeFolder('project/hidden');
    const file = join(cwd, 'hidden.mjs');
    await writeFile(
      file,
      `for (const name of ['connectors', 'store'])
        console.log(await import(\`@patchbay/\${name}/testing\`).catch(({ code }) => code));`,
    );
    const told = await run('node', [file], { cwd, env: environment() });
    assert.equal(told, 'ERR_PACKAGE_PATH_NOT_EXPORTED\n'.repeat(2));
  });

  test('the examples compile, with every declaration that they need', async () => {
    const cwd = await makeFolder('project/typescript');
    const config = { compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] };
    await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify(config));
    for (const { fileName, code } of examples.filter(isTypeScript))
      await writeFile(join(cwd, `${fileName}.ts`), code);
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', cwd], {
      cwd,
      env: process.env,
    });
  });

  test('what a program exports of ours can be declared', async () => {
    const cwd = await makeTypedFolder('declared', {
      declaration: true,
      emitDeclarationOnly: true,
      skipLibCheck: true,
    });
    await writeFile(join(cwd, 'program.ts'), EXPORTING);
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', cwd], { cwd, env: process.env });
  });

  for (const [what, { program }] of Object.entries(SURFACES))
    test(`a program of three lines of ${what} costs the compiler ${MOST} instantiations at most`, async () => {
      const cwd = await makeTypedFolder('three-lines', { noEmit: true, skipLibCheck: true });
      const count = await countInstantiations(cwd, program);
      assert.ok(count > 0 && count <= MOST, `${count} instantiations`);
    });

  for (const [what, { type, isHosted }] of Object.entries(SURFACES))
    test(`an editor shows of every action of ${what} what it does and takes, and the vendor's page`, async () => {
      const cwd = await makeTypedFolder(`editor-${type}`, { noEmit: true, skipLibCheck: true });
      await using editor = await LanguageServer.start(cwd);
      for (const kind of allKinds().map(describeKind)) {
        const calls = callsOf(kind, isHosted);
        const text = [
          `import type { Kinds, ${type} } from '@patchbay/${isHosted ? 'client' : 'connectors'}';`,
          `declare const kind: ${type}<Kinds['${kind.kind}']>;`,
          ...calls.map(({ path }) => `void ${path};`),
        ].join('\n');
        const file = `${kind.kind}.ts`;
        editor.open(file, text);
        for (const { path, action } of calls) {
          const shown = await editor.hover(file, text, text.indexOf(`${path};`) + path.length - 1);
          const params = action.params.flatMap(({ name, doc }) => [name, doc]);
          for (const said of [action.doc, action.reference, ...params])
            assert.ok(shown.includes(said), `${kind.kind}, ${path}: "${said}" is not in\n${shown}`);
          // The types that definitions are made of are nobody's business who only calls.
          assert.doesNotMatch(shown, /\b(?:Param|Field|Entity|ListAction)</, path);
        }
      }
    });

  for (const example of examples)
    if (isTypeScript(example)) {
      test(`${example.title}: runs as JavaScript on Node.js ${OLDEST_NODE}`, async () => {
        const place = await placeOf(example);
        const file = join(place.cwd, 'example.mjs');
        await writeFile(file, example.code);
        check(example, await run('node', [file], place));
      });
      test(`${example.title}: runs as TypeScript, compiled`, async () => {
        const file = join(project, 'typescript/out', `${example.fileName}.js`);
        check(example, await run(process.execPath, [file], await placeOf(example)));
      });
    } else
      test(`${example.title}: runs in a shell`, async () => {
        check(example, await runShell(example.code, await placeOf(example)));
      });

  for (const [runtime, program] of Object.entries(OTHER_RUNTIMES))
    describe(`on ${runtime}`, () => {
      let path: string;

      before(async () => {
        path = await installProgram(program, join(folder, runtime));
      });

      for (const example of examples.filter(({ document }) => RUNS_ELSEWHERE.test(document)))
        test(`${example.title} runs`, async () => {
          const place = await placeOf(example, runtime);
          const file = join(place.cwd, 'example.mjs');
          await writeFile(file, example.code);
          check(example, await run(path, [...program.args, file], place));
        });
    });

  async function makeTypedFolder(name: string, options: object): Promise<string> {
    const cwd = await makeFolder(`project/${name}`);
    const compilerOptions = { ...COMPILER_OPTIONS, ...options };
    await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    return cwd;
  }

  /** As docs/install.md has it for the command line, beside what compiling for Node.js takes. */
  async function installEverything(): Promise<string> {
    const cwd = await makeProject(join(folder, 'project'));
    const { devDependencies } = await readManifest(ROOT);
    const types = `@types/node@${devDependencies?.['@types/node']}`;
    const place = { cwd, env: environment({ TARBALLS: tarballs }) };
    await run('npm', ['install', '--save-dev', types], place);
    await runShell(lines.tarballs.at(-1) ?? '', place);
    return cwd;
  }

  async function startService(): Promise<void> {
    const cwd = await makeFolder('project/service');
    const env = environment({ ...shell(cwd), PORT: '0', PATCHBAY_LOG_LEVEL: 'warn' });
    service = await startWith(start?.code ?? '', { cwd, env });
    settings = {
      ...shell(cwd),
      PATCHBAY_BASE_URL: service.url,
      SLACK_TOKEN: 'demo',
      ...(await readClientFile(join(cwd, 'data.client.json'))),
    };
  }

  /** On the oldest Node.js promised. */
  function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    return strangersEnvironment(oldestNode, more);
  }

  async function makeFolder(name: string): Promise<string> {
    const path = join(folder, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** A folder for the example, and for its document an external user, so that none meets another's. */
  async function placeOf(
    { document, fileName }: DocumentedExample,
    runtime = 'Node.js',
  ): Promise<Place> {
    const cwd = await makeFolder(join('project', runtime, fileName));
    const user = `${document}, ${runtime}`;
    return { cwd, env: environment({ ...settings, PATCHBAY_EXTERNAL_USER_ID: user }) };
  }
});

/** Every action of a kind, and the expression that calls it. */
function callsOf({ entities }: KindDescription, isHosted: boolean) {
  return entities.flatMap(({ name, actions }) =>
    actions
      .filter(({ hosted_only: isHostedOnly = false }) => isHosted || !isHostedOnly)
      .map((action) => ({ path: `kind.${name}.${action.name}`, action })),
  );
}

/** No profile of whoever runs this, and nothing that npx would have to fetch. */
function shell(cwd: string): Readonly<Record<string, string>> {
  return { XDG_CONFIG_HOME: cwd, npm_config_offline: 'true' };
}

async function hashesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).toSorted();
  const hashed = names.map(async (name) => {
    const contents = await readFile(join(folder, name));
    return [name, createHash('sha256').update(contents).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashed));
}

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
  const all = [...Object.values(bin), ...Object.values(exports).flatMap(pathsOf)];
  return all.map((path) => path.replace(/^\.\//, ''));
}

/** Of an export, its conditions within conditions included. */
function pathsOf(target: unknown): readonly string[] {
  if (typeof target === 'string') return [target];
  return Object.entries(target ?? {}).flatMap(([condition, inner]) =>
    condition === 'patchbay-source' ? [] : pathsOf(inner),
  );
}

/** The credentials that a first start leaves, as environment variables. */
async function readClientFile(path: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(path, 'utf8');
  // The service wrote it; what it lacks, the examples miss.
  const file = JSON.parse(text) as { readonly client_id: string; readonly client_secret: string };
  return { PATCHBAY_CLIENT_ID: file.client_id, PATCHBAY_CLIENT_SECRET: file.client_secret };
}
