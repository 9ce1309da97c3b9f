import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { callCli } from './support/call-cli.ts';
import { makeMigratedDatabase } from './support/migrated-database.ts';
import {
  CLI_COMMAND,
  runShell,
  startCli,
  startInTerminal,
  startLinesInTerminal,
  temporaryFolder,
  type TerminalCli,
} from './support/run-cli.ts';

/** The end of the last line that a start prints on a terminal. */
const LAST_LINE = `,"limit":1}}'`;
/** What a start says where no person looks ends so. */
const OPERATOR_KEY = '.operator.key\n';
const CTRL_C = '\u0003';

/** What the lines printed by a start do when they are pasted into a shell, each on a line. */
async function pasteLines(out: string): Promise<readonly string[]> {
  // A line of the log may have come after them.
  const end = out.indexOf(LAST_LINE) + LAST_LINE.length;
  const pasted = await runShell(out.slice(out.indexOf('BASE='), end));
  assert.equal(pasted.err, '');
  return pasted.out.trim().split('\n');
}

/** What a terminal was sent, with the ends of lines that programs write. */
function written(out: string): string {
  return out.replaceAll('\r\n', '\n');
}

describe('patchbay start', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let environment: Readonly<Record<string, string>>;
  let running: TerminalCli;
  let out: string;

  before(async () => {
    folder = await temporaryFolder();
    environment = {
      PATCHBAY_DATA: join(folder.path, 'data'),
      PORT: '0',
      XDG_CONFIG_HOME: join(folder.path, 'config'),
    };
    running = startInTerminal(['start'], environment);
    out = written(await running.untilOut(LAST_LINE));
  });

  after(async () => {
    running.process.kill('SIGKILL');
    await running.finished;
    await folder[Symbol.asyncDispose]();
  });

  test('says loudly that a sandbox stands behind it', () => {
    assert.match(out, /SANDBOX: the upstreams are simulated/);
  });

  test('lets a person consent at the sandbox, with nothing set', async () => {
    const [, url = '', token = ''] = /^BASE=(\S+)\nTOKEN=(\S+)$/m.exec(out) ?? [];
    for (const connector_type of ['slack', 'intercom', 'zendesk-chat', 'zendesk-support']) {
      const answer = await fetch(`${url}/v1/integrations/connectors/oauth/initiate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ connector_type, redirect_url: 'http://localhost:3000/' }),
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      assert.ok(text.includes(`"consent_url":"${url}/connect/oauth/start?state=`), text);
    }
  });

  test('prints lines that create a connector, watch its sync, search, page, post and read back', async () => {
    const lines = await pasteLines(out);
    assert.match(lines[0] ?? '', /^[0-9a-f-]{36}$/);
    assert.ok(lines.includes('event: progress'));
    const end = lines.indexOf('event: end');
    const ended = JSON.parse(lines[end + 2]?.replace(/^data: /, '') ?? '') as Ended;
    assert.equal(ended.last.state, 'succeeded');
    const texts = lines.slice(end).filter((line) => line.startsWith('{'));
    const answers = texts.map((line) => JSON.parse(line) as Answer);
    assert.deepEqual(
      answers.map(({ status, execution_metadata }) => [status, execution_metadata.upstream]),
      Array.from({ length: 4 }, () => ['success', 'sandbox']),
    );
    const [page, nextPage, posted, read] = answers.map(({ result }) => result);
    const [first, second] = [page as Found, nextPage as Found];
    assert.equal(first.hits.length, 2);
    assert.ok(second.hits.length > 0);
    const names = [...first.hits, ...second.hits].map(({ data }) => data.real_name);
    for (const name of names) assert.match(name, /Underbough/);
    const ids = [...first.hits, ...second.hits].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(first.sync.complete, true);
    assert.ok(lines.some((line) => /^C[A-Z0-9]+$/.test(line)));
    const message = posted as { ts: string; text: string };
    assert.equal(message.text, 'Hello');
    const [newest] = read as readonly { ts: string }[];
    assert.equal(newest?.ts, message.ts);
  });

  test('the README shows the lines that are printed', async () => {
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const block = /```sh\n(post\(\) [\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const printed = out.slice(out.indexOf('BASE=')).split('\n').slice(2);
    // The log may go on behind it.
    assert.equal(printed.filter((line) => !line.startsWith('{"level"')).join('\n'), block);
  });

  for (const [what, name, secretIn] of [
    ['the secret of the first application', 'client.json', /"client_secret": "(.*)"/],
    ["the operator's key", 'operator.key', /(.*)/],
  ] as const)
    test(`leaves ${what} in a file of mode 0600, and tells the file, not the secret`, async () => {
      const path = `${environment['PATCHBAY_DATA']}.${name}`;
      assert.ok(out.includes(`in ${path}\n`), out);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      const [, secret = ''] = secretIn.exec(await readFile(path, 'utf8')) ?? [];
      assert.ok(secret.length >= 32 && !out.includes(secret));
    });

  test('patchbay app asks the service with the key that the start left', async () => {
    const PATCHBAY_BASE_URL = /BASE=(\S+)/.exec(out)?.[1] ?? '';
    const listed = await callCli(['app', 'list', '--json'], { ...environment, PATCHBAY_BASE_URL });
    assert.deepEqual([listed.code, listed.err], [0, '']);
    assert.equal((JSON.parse(listed.out) as unknown[]).length, 1);
  });

  test('the commands that it prints work as printed, in another folder', async () => {
    const commands = [...out.matchAll(/^ {2}(\S.* --profile local)$/gm)].map(
      ([, line]) => line ?? '',
    );
    assert.deepEqual(
      commands.map((line) => line.split(' -- ')[1]),
      ['token --profile local', 'connector list --profile local'],
    );
    const { XDG_CONFIG_HOME = '' } = environment;
    for (const command of commands) {
      const lines = `cd '${folder.path}'; ${command}`;
      const ran = await startLinesInTerminal(lines, { XDG_CONFIG_HOME }).finished;
      assert.equal(ran.code, 0, ran.out);
      assert.match(ran.out, /For demo-user, write, good for 20 minutes|Demo/);
    }
  });

  test('leaves a login of mode 0600, which commands use in every folder', async () => {
    const { XDG_CONFIG_HOME = '' } = environment;
    const path = join(XDG_CONFIG_HOME, 'patchbay', 'local.json');
    assert.ok(out.includes(`profile local (${path})`), out);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const command = CLI_COMMAND.map((word) => `'${word}'`).join(' ');
    const lines = `cd '${folder.path}' && exec ${command} token`;
    const { code, err } = await runShell(lines, { XDG_CONFIG_HOME });
    assert.deepEqual([code, err], [0, 'For demo-user, write, good for 20 minutes.\n']);
  });

  test('patchbay token prints a token of the running service, alone on standard output', async () => {
    const url = /BASE=(\S+)/.exec(out)?.[1] ?? '';
    const token = await startCli(['token', '--external-user', 'alice', '--access', 'read'], {
      ...environment,
      PATCHBAY_BASE_URL: url,
    }).finished;
    assert.equal(token.code, 0, token.err);
    const info = await fetch(`${url}/api/v1/embedded/scoped-token/info`, {
      headers: { authorization: `Bearer ${token.out.trim()}` },
    });
    const { external_user_id, access } = (await info.json()) as Record<string, unknown>;
    assert.deepEqual([info.status, external_user_id, access], [200, 'alice', 'read']);
  });

  test('a second process on the same folder is refused, in one sentence', async () => {
    const second = await startCli(['start'], environment).finished;
    assert.equal(second.code, 4);
    assert.match(second.err, /^patchbay: The data folder .* is in use by another Patchbay process/);
    // The login that the start has left would lead to the running service.
    const stranger = { ...environment, XDG_CONFIG_HOME: join(folder.path, 'nowhere') };
    const app = await startCli(['app', 'create'], stranger).finished;
    assert.match(
      app.err,
      /^No service answers at http:\/\/127\.0\.0\.1:0: working on the database itself\.\n/,
    );
    assert.match(app.err, /is in use by another Patchbay process/);
  });

  test('stops in good order on Ctrl-C, and starts again with the same data', async () => {
    running.type(CTRL_C);
    const { code, out: told } = await running.finished;
    assert.equal(code, 0, told);
    const created = await startCli(['app', 'create', '--name', 'Second'], environment).finished;
    assert.match(created.out, /^PATCHBAY_CLIENT_ID=\S+\nPATCHBAY_CLIENT_SECRET=\S{32,}\n$/);
    running = startInTerminal(['start'], environment);
    out = written(await running.untilOut(LAST_LINE));
    assert.match((await pasteLines(out))[0] ?? '', /^[0-9a-f-]{36}$/);
  });
});

describe('patchbay start, set up by its environment', () => {
  test('takes the given client id and secret, and prints no secret', async () => {
    await using folder = await temporaryFolder();
    const secret = 'a secret of the test with 32 or more characters';
    const running = startCli(['start', '--port', '0'], {
      PATCHBAY_DATA: await makeMigratedDatabase(folder.path),
      PATCHBAY_CLIENT_ID: 'my-app',
      PATCHBAY_CLIENT_SECRET: secret,
    });
    const out = await running.untilOut(OPERATOR_KEY);
    const url = /ready at (\S+)/.exec(out)?.[1] ?? '';
    assert.ok(!out.includes('.client.json'));
    const answer = await fetch(`${url}/api/v1/account/applications/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: 'my-app', client_secret: secret }),
    });
    assert.equal(answer.status, 200);
    running.process.kill('SIGINT');
    const { code, err } = await running.finished;
    assert.equal(code, 0, err);
    assert.ok(!`${out}${err}`.includes(secret));
  });

  test('lists everything that is wrong with it, and starts nothing', async () => {
    const { code, err } = await callCli(['start'], {
      PORT: 'many',
      DATABASE_URL: 'postgres://localhost/x',
      PATCHBAY_CLIENT_SECRET: 'short',
      PATCHBAY_SANDBOX: 'off',
    });
    assert.equal(code, 2);
    for (const name of [
      'PORT',
      'PATCHBAY_MASTER_KEY',
      'PATCHBAY_CLIENT_ID',
      'PATCHBAY_CLIENT_SECRET',
    ])
      assert.match(err, new RegExp(`- ${name} `));
    assert.doesNotMatch(err, /    at /);
  });

  test('the roles of several processes need one database and one upstream', async () => {
    const embedded = await callCli(['start', '--role', 'worker']);
    assert.equal(embedded.code, 2);
    assert.match(embedded.err, /- PATCHBAY_ROLE worker needs DATABASE_URL/);
    const server = {
      PATCHBAY_ROLE: 'api',
      DATABASE_URL: 'postgres://localhost/x',
      PATCHBAY_MASTER_KEY: 'a passphrase of 32 or more characters',
    };
    const sandboxed = await callCli(['start'], server);
    assert.equal(sandboxed.code, 2);
    assert.match(sandboxed.err, /would each have a sandbox of their own/);
  });
});

describe('what patchbay start prints', () => {
  const SECRETS = [
    ['.client.json', /"client_secret": "(.*)"/],
    ['.operator.key', /(.*)/],
    ['.key', /(.*)/],
  ] as const;

  /** Every secret that a start has left beside its data folder. */
  async function secretsOf(dataFolder: string): Promise<readonly string[]> {
    const files = SECRETS.map(async ([suffix, secretIn]) => {
      const [, secret = ''] = secretIn.exec(await readFile(dataFolder + suffix, 'utf8')) ?? [];
      assert.ok(secret.length >= 32, suffix);
      return secret;
    });
    return await Promise.all(files);
  }

  /** Tokens are JSON Web Tokens. */
  const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+|TOKEN=/;

  for (const [args, says] of [
    [['start'], /^SANDBOX: the upstreams are simulated[^\n]*\nPatchbay is ready/],
    [['start', '--no-sandbox'], /^Patchbay is ready/],
  ] as const)
    test(`into a log tells where the credentials are, and none of them: ${args.join(' ')}`, async () => {
      await using folder = await temporaryFolder();
      const dataFolder = await makeMigratedDatabase(folder.path);
      const XDG_CONFIG_HOME = join(folder.path, 'config');
      const running = startCli(args, { PATCHBAY_DATA: dataFolder, PORT: '0', XDG_CONFIG_HOME });
      await running.untilOut(OPERATOR_KEY);
      running.process.kill('SIGTERM');
      const { code, out, err } = await running.finished;
      assert.equal(code, 0, err);
      assert.match(out, says);
      assert.ok(out.includes(`in ${dataFolder}.client.json\n`), out);
      assert.ok(out.includes(`in ${dataFolder}.operator.key\n`), out);
      assert.doesNotMatch(out + err, TOKEN);
      for (const secret of await secretsOf(dataFolder)) assert.ok(!(out + err).includes(secret));
      assert.equal(existsSync(XDG_CONFIG_HOME), false, 'nobody asked for a login');
    });

  test('ends in order at one signal, and at once at a second one', async () => {
    await using folder = await temporaryFolder();
    const running = startCli(['start'], {
      PATCHBAY_DATA: await makeMigratedDatabase(folder.path),
      PORT: '0',
      PATCHBAY_DRAIN_SECONDS: '60',
    });
    await running.untilOut(OPERATOR_KEY);
    running.process.kill('SIGTERM');
    await running.untilErr('a second signal ends at once');
    running.process.kill('SIGTERM');
    assert.equal((await running.finished).code, 143);
  });

  test('on a terminal without the sandbox has no token, but says how to get one', async () => {
    await using folder = await temporaryFolder();
    const dataFolder = await makeMigratedDatabase(folder.path);
    const running = startInTerminal(['start', '--no-sandbox', '--port', '0'], {
      PATCHBAY_DATA: dataFolder,
      XDG_CONFIG_HOME: join(folder.path, 'config'),
    });
    await running.untilOut('connector list --profile local');
    running.type(CTRL_C);
    const { code, out } = await running.finished;
    assert.equal(code, 0, out);
    assert.doesNotMatch(out, /SANDBOX/);
    assert.doesNotMatch(out, TOKEN);
    for (const secret of await secretsOf(dataFolder)) assert.ok(!out.includes(secret));
    assert.match(out, /^ {2}\S.* token --profile local\r$/m);
  });
});

interface Ended {
  readonly last: { readonly state: string };
}

interface Found {
  readonly hits: readonly { readonly id: string; readonly data: { readonly real_name: string } }[];
  readonly sync: { readonly complete: boolean };
}

interface Answer {
  readonly status: string;
  readonly result: unknown;
  readonly execution_metadata: { readonly upstream?: string };
}
