import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { leaveLogin } from '../src/profile/left-login.ts';
import { callCli } from './support/call-cli.ts';
import { startFakeService } from './support/fake-service.ts';
import type { Finished } from './support/run-cli.ts';
import { startCliService, type CliService } from './support/start-service.ts';

const WHOAMI = ['token', '--json'];

describe('patchbay login', () => {
  let cli: CliService;
  before(async () => {
    cli = await startCliService();
  });
  after(() => cli[Symbol.asyncDispose]());

  /** A fresh configuration folder, the file of its default profile, and what is to be stored. */
  const prepare = () => {
    const { XDG_CONFIG_HOME = '', ...settings } = cli.settings();
    const home = { XDG_CONFIG_HOME };
    return { home, settings, path: join(XDG_CONFIG_HOME, 'patchbay', 'default.json') };
  };

  test('stores a profile that its owner alone can read, and that later commands use', async () => {
    const { home, settings, path } = prepare();
    const { code, out, err } = await callCli(['login'], { ...home, ...settings });
    assert.deepEqual([code, out], [0, ''], err);
    assert.ok(err.endsWith(`: ${path} (mode 0600).\n`), err);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(join(path, '..'))).mode & 0o777, 0o700);
    const token = await callCli(WHOAMI, home);
    assert.equal(token.code, 0, token.err);
    assert.equal(whose(token), settings['PATCHBAY_EXTERNAL_USER_ID']);
  });

  test('token revoke ends a token that it is given on standard input, or by its id', async () => {
    const settings = cli.settings();
    const info = (token: string) =>
      fetch(`${settings['PATCHBAY_BASE_URL']}/api/v1/embedded/scoped-token/info`, {
        headers: { authorization: `Bearer ${token}` },
      });
    const tokenOf = async () => (await callCli(['token'], settings)).out.trim();
    const [first, second] = [await tokenOf(), await tokenOf()];
    assert.equal((await info(first)).status, 200);
    const done = await cli.run(['token', 'revoke', '-'], settings, `${first}\n`);
    assert.deepEqual([done.code, done.out], [0, ''], done.err);
    assert.equal((await info(first)).status, 401);
    assert.equal((await info(second)).status, 200);
    const claims = Buffer.from(second.split('.')[1] ?? '', 'base64url').toString();
    const { jti } = JSON.parse(claims) as { readonly jti: string };
    const byId = await callCli(['token', 'revoke', jti, '--json'], settings);
    assert.deepEqual(byId, { code: 0, out: `{"jti":"${jti}"}\n`, err: '' });
    const help = await callCli(['token', 'revoke', '--help'], settings);
    assert.match(help.out, /--json/);
    assert.equal((await info(second)).status, 401);
    const wrong = await callCli(['token', 'revoke', second], settings);
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.err, /on standard input/);
    assert.ok(!wrong.err.includes(second));
  });

  test('takes the secret from standard input, and flags before the environment', async () => {
    const { home, settings, path } = prepare();
    const { PATCHBAY_CLIENT_SECRET: secret = '', ...others } = settings;
    const args = ['login', '--external-user', 'alice', '--profile', 'work'];
    const { code, err } = await cli.run(args, { ...home, ...others }, `${secret}\n`);
    assert.equal(code, 0, err);
    const stored = await readFile(path.replace('default', 'work'), 'utf8');
    assert.match(stored, /"external_user_id": "alice"/);
    const list = ['connector', 'list', '--json'];
    for (const [flags, environment] of [
      [['--profile', 'work'], {}],
      [[], { PATCHBAY_PROFILE: 'work' }],
    ] as const) {
      const listed = await callCli([...list, ...flags], { ...home, ...environment });
      assert.deepEqual(listed, { code: 0, out: '[]\n', err: '' });
    }
  });

  test('stores nothing that the service refuses, or that nobody serves', async () => {
    for (const [wrong, exitCode, says] of [
      [{ PATCHBAY_CLIENT_SECRET: 'x'.repeat(40) }, 3, /\(unauthenticated\)/],
      [{ PATCHBAY_BASE_URL: 'http://127.0.0.1:9' }, 7, /\(not_ready\)/],
      [{ PATCHBAY_BASE_URL: 'nonsense' }, 2, /must be an http or https URL/],
      [{ PATCHBAY_CLIENT_ID: '' }, 2, /no terminal to ask on; give --client-id or PATCHBAY_CLIENT/],
    ] as const) {
      const { home, settings } = prepare();
      const { code, err } = await callCli(['login'], { ...home, ...settings, ...wrong });
      assert.deepEqual([code, says.test(err)], [exitCode, true], err);
      assert.equal(existsSync(home.XDG_CONFIG_HOME), false);
    }
  });

  test('warns where the secret would cross a network in clear', async () => {
    const { home, settings } = prepare();
    const url = { PATCHBAY_BASE_URL: 'http://patchbay.example.com' };
    const { err } = await callCli(['login', '--no-verify'], { ...home, ...settings, ...url });
    assert.match(err, /^Beware: http sends the secret in clear/);
  });

  test('is not the only command that warns of that: those that send the secret do, once', async () => {
    const settings = cli.settings();
    const id = await cli.createSlack(settings);
    const { PATCHBAY_EXTERNAL_USER_ID: _, ...others } = settings;
    // An address of this machine that does not say so.
    const away = { PATCHBAY_BASE_URL: cli.service.url.replace('127.0.0.1', '0.0.0.0') };
    const beware = 'Beware: http sends the secret in clear; use https beyond this machine.\n';
    for (const [args, environment] of [
      [['token'], settings],
      [['token', 'revoke', '01970000-0000-7000-8000-000000000000'], settings],
      [['whoami'], settings],
      [['status'], settings],
      [['status'], others],
      [['connector', 'list'], settings],
      [['connector', 'get', id], settings],
      [['connector', 'get', id], others],
      [['describe', '--connector', id], others],
      [['execute', 'users', 'list', '--connector', id], others],
      [['connector', 'delete', '--all', '--yes'], settings],
    ] as const) {
      const { err } = await callCli(args, { ...environment, ...away });
      assert.equal(err.split(beware).length, 2, `${args.join(' ')}: ${err}`);
      const loopback = await callCli(args, environment);
      assert.ok(!loopback.err.includes('Beware'), loopback.err);
    }
    // A program reads one line of a failure, and the description of a kind is asked of nobody.
    for (const args of [
      ['whoami', '--json'],
      ['describe', '--kind', 'slack'],
    ]) {
      const { code, err } = await callCli(args, { ...settings, ...away });
      assert.deepEqual([code, err.includes('Beware')], [0, false], err);
    }
    const shouted = { PATCHBAY_BASE_URL: away.PATCHBAY_BASE_URL.replace('http', 'HTTP') };
    const { err } = await callCli(['token'], { ...settings, ...shouted });
    assert.ok(err.startsWith(beware), err);
  });

  describe('is overridden by', () => {
    const wrong = {
      PATCHBAY_BASE_URL: 'http://127.0.0.1:9',
      PATCHBAY_CLIENT_ID: 'nobody',
      PATCHBAY_CLIENT_SECRET: 'x'.repeat(40),
      PATCHBAY_EXTERNAL_USER_ID: 'another',
    };
    for (const names of [
      // A stored secret goes to its own address alone.
      ['PATCHBAY_BASE_URL', 'PATCHBAY_CLIENT_ID', 'PATCHBAY_CLIENT_SECRET'],
      // An id goes with its own secret.
      ['PATCHBAY_CLIENT_ID', 'PATCHBAY_CLIENT_SECRET'],
      ['PATCHBAY_CLIENT_SECRET'],
      ['PATCHBAY_EXTERNAL_USER_ID'],
    ] as const)
      test(names.join(' and '), async () => {
        const { home, settings } = prepare();
        const wrongOnes = Object.fromEntries(names.map((name) => [name, wrong[name]]));
        const stored = { ...home, ...settings, ...wrongOnes };
        assert.equal((await callCli(['login', '--no-verify'], stored)).code, 0);
        const right = settings['PATCHBAY_EXTERNAL_USER_ID'];
        assert.notEqual(whose(await callCli(WHOAMI, home)), right);
        const overrides = Object.fromEntries(names.map((name) => [name, settings[name] ?? '']));
        const overridden = await callCli(WHOAMI, { ...home, ...overrides });
        assert.equal(whose(overridden), right, overridden.err);
      });
  });

  test('sends its secret to no other address, whatever asks for it', async () => {
    await using other = await startFakeService(() => assert.fail('it was asked'));
    const { home, settings } = prepare();
    await callCli(['login'], { ...home, ...settings });
    const elsewhere = ['--base-url', other.url];
    for (const command of [
      ['token'],
      ['token', 'revoke', '01970000-0000-7000-8000-000000000000'],
      ['whoami'],
      ['connector', 'list'],
      ['connector', 'delete', '--all', '--yes'],
      ['execute', 'users', 'list', '--connector', '01970000-0000-7000-8000-000000000000'],
      ['mcp'],
    ]) {
      const { code, out, err } = await callCli([...command, ...elsewhere], home);
      assert.deepEqual([code, out], [2, ''], command.join(' '));
      assert.ok(err.includes(`is not sent to ${other.url} (--base-url)`), err);
    }
  });

  test('is no reason for status to be silent of another service', async () => {
    await using other = await startFakeService(({ url, headers }, response) => {
      assert.deepEqual([url, headers.authorization], ['/readyz', undefined]);
      response.end('{"status":"ready"}');
    });
    const { home, settings } = prepare();
    await callCli(['login'], { ...home, ...settings });
    const { code, out, err } = await callCli(['status', '--base-url', other.url], home);
    assert.deepEqual([code, /^state +ready$/m.test(out)], [0, true], err);
    assert.match(err, /^The secret of profile default is for \S+ alone, and is not sent to /);
  });

  test('is undone by patchbay logout', async () => {
    const { home, settings, path } = prepare();
    await callCli(['login'], { ...home, ...settings });
    assert.equal((await callCli(['logout'], home)).err, `Logged out: ${path} is gone.\n`);
    assert.equal(existsSync(path), false);
    const again = await callCli(['logout'], home);
    assert.deepEqual([again.code, again.err], [0, `There was no ${path}.\n`]);
  });

  test('is undone apart from the login that a start has left, which is told', async () => {
    const { home, settings } = prepare();
    await callCli(['login'], { ...home, ...settings });
    const left = leaveLogin(
      {
        baseUrl: cli.service.url,
        ...cli.credentials,
        externalUserId: 'demo-user',
        dataFolder: '/nowhere/data',
      },
      { environment: home, mayCreate: true },
    );
    const whoever = settings['PATCHBAY_EXTERNAL_USER_ID'];
    assert.equal(whose(await callCli(WHOAMI, home)), whoever, 'the one by hand comes first');
    const { err } = await callCli(['logout'], home);
    assert.ok(err.endsWith('; `patchbay logout --profile local` removes that login too.\n'), err);
    assert.equal(whose(await callCli(WHOAMI, home)), 'demo-user');
    const away = await callCli(['logout', '--profile', 'local'], home);
    assert.equal(away.err, `Logged out: ${left?.path} is gone.\n`);
    assert.equal((await callCli(WHOAMI, home)).code, 2);
  });

  test('whose file others may read or write is refused until its mode is mended', async () => {
    const { home, settings, path } = prepare();
    await callCli(['login'], { ...home, ...settings });
    for (const mode of [0o640, 0o604, 0o620, 0o602]) {
      await chmod(path, mode);
      const { code, out, err } = await callCli(['token'], home);
      assert.deepEqual([code, out], [2, '']);
      assert.equal(
        err,
        `patchbay: The profile ${path} has mode 0${mode.toString(8)}: others than its owner may use its secret. Run: chmod 600 ${path}\n`,
      );
    }
    // It is written anew by a login, as a broken one is.
    assert.equal((await callCli(['login'], { ...home, ...settings })).code, 0);
    assert.equal((await callCli(WHOAMI, home)).code, 0);
  });

  test('whose file is broken says how to mend it', async () => {
    const { home, settings, path } = prepare();
    await callCli(['login'], { ...home, ...settings });
    for (const text of ['{', '[]', '{"base_url": 7}']) {
      await writeFile(path, text);
      const { code, err } = await callCli(WHOAMI, home);
      assert.deepEqual([code, err.includes('is no profile; `patchbay login`')], [2, true], err);
    }
  });
});

/** For whom `token --json` got a token; `undefined` where it got none. */
function whose({ out }: Finished): string | undefined {
  return out === ''
    ? undefined
    : (JSON.parse(out) as { readonly external_user_id: string }).external_user_id;
}
