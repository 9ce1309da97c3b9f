import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { callCli } from './support/call-cli.ts';
import { makeMigratedDatabase } from './support/migrated-database.ts';
import { runShell, startCli, temporaryFolder, type RunningCli } from './support/run-cli.ts';

const LAST_LINE = '# 6. read it back';

/** What the lines printed by a start do when they are pasted into a shell, each on a line. */
async function pasteLines(out: string): Promise<readonly string[]> {
  const pasted = await runShell(out.slice(out.indexOf('BASE=')));
  assert.equal(pasted.err, '');
  return pasted.out.trim().split('\n');
}

describe('patchbay start', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let environment: Readonly<Record<string, string>>;
  let running: RunningCli;
  let out: string;

  before(async () => {
    folder = await temporaryFolder();
    environment = { PATCHBAY_DATA: join(folder.path, 'data'), PORT: '0' };
    running = startCli(['start'], environment);
    out = await running.untilOut(LAST_LINE);
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
    const printed = out.slice(out.indexOf('BASE='));
    assert.equal(printed.split('\n').slice(2).join('\n'), block);
  });

  test('leaves the secret of the first application in a file of mode 0600, as no terminal reads along', async () => {
    const path = `${environment['PATCHBAY_DATA']}.client.json`;
    assert.ok(out.includes(path));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  test("tells where the operator's key is, and never the key", async () => {
    const path = `${environment['PATCHBAY_DATA']}.operator.key`;
    assert.ok(out.includes(`is in ${path} (mode 0600)`));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.ok(!out.includes((await readFile(path, 'utf8')).trim()));
  });

  test('patchbay app asks the service with the key that the start left', async () => {
    const PATCHBAY_BASE_URL = /BASE=(\S+)/.exec(out)?.[1] ?? '';
    const listed = await callCli(['app', 'list', '--json'], { ...environment, PATCHBAY_BASE_URL });
    assert.deepEqual([listed.code, listed.err], [0, '']);
    assert.equal((JSON.parse(listed.out) as unknown[]).length, 1);
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
    const app = await startCli(['app', 'create'], environment).finished;
    assert.match(
      app.err,
      /^No service answers at http:\/\/127\.0\.0\.1:0: working on the database itself\.\n/,
    );
    assert.match(app.err, /is in use by another Patchbay process/);
  });

  test('stops in good order on SIGTERM, and starts again with the same data', async () => {
    running.process.kill('SIGTERM');
    const { code, err } = await running.finished;
    assert.equal(code, 0, err);
    const created = await startCli(['app', 'create', '--name', 'Second'], environment).finished;
    assert.match(created.out, /^PATCHBAY_CLIENT_ID=\S+\nPATCHBAY_CLIENT_SECRET=\S{32,}\n$/);
    running = startCli(['start'], environment);
    out = await running.untilOut(LAST_LINE);
    assert.doesNotMatch(out, /client id and secret|operator's key/);
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
    const out = await running.untilOut(LAST_LINE);
    const url = /BASE=(\S+)/.exec(out)?.[1] ?? '';
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
    assert.equal(code, 4);
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
    assert.equal(embedded.code, 4);
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

  test('without the sandbox it says nothing of one', async () => {
    await using folder = await temporaryFolder();
    const running = startCli(['start', '--no-sandbox', '--port', '0'], {
      PATCHBAY_DATA: await makeMigratedDatabase(folder.path),
    });
    const out = await running.untilOut(LAST_LINE);
    running.process.kill('SIGTERM');
    await running.finished;
    assert.doesNotMatch(out, /SANDBOX/);
    assert.match(out, /YOUR-BOT-TOKEN/);
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
