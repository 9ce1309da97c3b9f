import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runShell, startCli, temporaryFolder, type RunningCli } from './support/run-cli.ts';

const LAST_LINE = '# 4. read it back';

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

  test('prints lines that create a connector, list users, post a message and read it back', async () => {
    const [connectorId, users, channelId, posted, read] = await pasteLines(out);
    assert.match(connectorId ?? '', /^[0-9a-f-]{36}$/);
    assert.match(channelId ?? '', /^C[A-Z0-9]+$/);
    const answers = [users, posted, read].map((line) => JSON.parse(line ?? '') as Answer);
    const [usersAnswer, postedAnswer, readAnswer] = answers.map(({ result }) => result);
    assert.deepEqual(
      answers.map(({ status, execution_metadata }) => [status, execution_metadata.upstream]),
      Array.from({ length: 3 }, () => ['success', 'sandbox']),
    );
    assert.equal((usersAnswer as readonly unknown[]).length, 2);
    const message = postedAnswer as { ts: string; text: string };
    assert.equal(message.text, 'Hello');
    const [newest] = readAnswer as readonly { ts: string }[];
    assert.equal(newest?.ts, message.ts);
  });

  test('leaves the secret of the first application in a file of mode 0600, as no terminal reads along', async () => {
    const path = `${environment['PATCHBAY_DATA']}.client.json`;
    assert.ok(out.includes(path));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
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
    assert.equal(second.code, 1);
    assert.match(second.err, /^patchbay: The data folder .* is in use by another Patchbay process/);
    const app = await startCli(['app', 'create'], environment).finished;
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
    assert.doesNotMatch(out, /client id and secret/);
    assert.match((await pasteLines(out))[0] ?? '', /^[0-9a-f-]{36}$/);
  });
});

describe('patchbay start, set up by its environment', () => {
  test('takes the given client id and secret, and prints no secret', async () => {
    await using folder = await temporaryFolder();
    const secret = 'a secret of the test with 32 or more characters';
    const running = startCli(['start', '--port', '0'], {
      PATCHBAY_DATA: join(folder.path, 'data'),
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
    const { code, err } = await startCli(['start'], {
      PORT: 'many',
      DATABASE_URL: 'postgres://localhost/x',
      PATCHBAY_CLIENT_SECRET: 'short',
      PATCHBAY_SANDBOX: 'off',
    }).finished;
    assert.equal(code, 1);
    for (const name of [
      'PORT',
      'PATCHBAY_MASTER_KEY',
      'PATCHBAY_CLIENT_ID',
      'PATCHBAY_CLIENT_SECRET',
    ])
      assert.match(err, new RegExp(`- ${name} `));
    assert.doesNotMatch(err, /    at /);
  });

  test('without the sandbox it says nothing of one', async () => {
    await using folder = await temporaryFolder();
    const running = startCli(['start', '--no-sandbox', '--port', '0'], {
      PATCHBAY_DATA: join(folder.path, 'data'),
    });
    const out = await running.untilOut(LAST_LINE);
    running.process.kill('SIGTERM');
    await running.finished;
    assert.doesNotMatch(out, /SANDBOX/);
    assert.match(out, /YOUR-BOT-TOKEN/);
  });
});

interface Answer {
  readonly status: string;
  readonly result: unknown;
  readonly execution_metadata: { readonly upstream?: string };
}
