import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { EXIT_CODES } from '../src/output/exit-codes.ts';
import { callCli } from './support/call-cli.ts';
import { temporaryFolder } from './support/run-cli.ts';

/** Commands, each with a setting that it reads and what no setting of that name may be. */
const ROWS = [
  [['start'], 'PORT', 'many'],
  [['start'], 'PATCHBAY_LOG_LEVEL', 'loud'],
  [['start'], 'PATCHBAY_SANDBOX', 'maybe'],
  [['start', '--no-sandbox'], 'DATABASE_URL', 'planted-nonsense'],
  [['start'], 'PATCHBAY_ROLE', 'worker,api'],
  [['migrate'], 'DATABASE_URL', 'planted-nonsense'],
  [['app', 'list'], 'DATABASE_URL', 'planted-nonsense'],
  [['app', 'list'], 'PATCHBAY_OPERATOR_KEY', 'planted'],
  [['app', 'list'], 'PATCHBAY_BASE_URL', 'planted-nonsense'],
  [['mcp', '--kind', 'slack'], 'PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE', 'ftp://x'],
  [['mcp', '--kind', 'slack'], 'PATCHBAY_OAUTH_CHAT_WORKSPACE_DISTRIBUTION', 'none'],
  [['token'], 'PATCHBAY_BASE_URL', 'planted-nonsense'],
  [['token'], 'PATCHBAY_PROFILE', '../planted'],
  [['connector', 'list'], 'PATCHBAY_BASE_URL', 'planted-nonsense'],
] as const;

const AS_APPLICATION = {
  PATCHBAY_CLIENT_ID: 'me',
  PATCHBAY_CLIENT_SECRET: 'x'.repeat(32),
  PATCHBAY_EXTERNAL_USER_ID: 'alice',
};

describe('a wrong value of a setting ends with the code of a wrong command line', () => {
  for (const [args, name, value] of ROWS)
    test(`patchbay ${args.join(' ')} with ${name}`, async () => {
      await using folder = await temporaryFolder();
      const { code, out, err } = await callCli(args, {
        PATCHBAY_DATA: join(folder.path, 'data'),
        PATCHBAY_MASTER_KEY: 'a passphrase of 32 or more characters',
        PORT: '0',
        // With credentials alone it calls the upstream itself.
        ...(args[0] === 'mcp' ? { SLACK_TOKEN: 'demo' } : AS_APPLICATION),
        [name]: value,
      });
      assert.deepEqual([code, out], [EXIT_CODES.usage.code, ''], err);
      assert.match(err, /^patchbay: /);
      assert.doesNotMatch(err, /bug in patchbay/);
    });
});

describe('settings of a file with the line ends of Windows', () => {
  for (const args of [['start'], ['whoami'], ['connector', 'list'], ['app', 'list']])
    test(`are refused by patchbay ${args.join(' ')}, without their values`, async () => {
      const { code, out, err } = await callCli(args, {
        PATCHBAY_CLIENT_ID: 'planted\r',
        PATCHBAY_CLIENT_SECRET: 'planted-planted-planted-planted-planted\r',
        PATCHBAY_EXTERNAL_USER_ID: 'planted\r',
        PATCHBAY_DATA: 'planted\r',
        // Without the refusal it ends at once all the same.
        PATCHBAY_ROLE: 'nonsense',
        PATCHBAY_BASE_URL: 'nonsense',
      });
      assert.deepEqual([code, out], [EXIT_CODES.usage.code, '']);
      assert.equal(
        err,
        'patchbay: PATCHBAY_CLIENT_ID, PATCHBAY_CLIENT_SECRET, PATCHBAY_DATA, PATCHBAY_EXTERNAL_USER_ID end with a carriage return: ' +
          'the file that sets them has the line ends of Windows. Save it with those of Unix (LF).\n',
      );
    });

  test('are told to programs as any other failure', async () => {
    const { code, err } = await callCli(['whoami', '--json'], { PATCHBAY_CLIENT_ID: 'planted\r' });
    assert.equal(code, EXIT_CODES.usage.code);
    assert.match(err, /^\{"error":\{"code":"usage","message":"PATCHBAY_CLIENT_ID ends with /);
  });

  test('are fine where they are keys, which are read without what is around them', async () => {
    const { code } = await callCli(['describe', '--kind', 'slack'], {
      PATCHBAY_MASTER_KEY: 'a passphrase of 32 or more characters\r',
      PATCHBAY_OPERATOR_KEY: `${'x'.repeat(32)}\r`,
    });
    assert.equal(code, 0);
  });
});

describe('variables that are no settings', () => {
  const wrong = { PATCHBAY_LOGLEVEL: 'planted-value', PATCHBAY_DATE: './planted' };
  const warnings =
    'Warning: PATCHBAY_DATE is no setting; did you mean PATCHBAY_DATA?\n' +
    'Warning: PATCHBAY_LOGLEVEL is no setting; did you mean PATCHBAY_LOG_LEVEL?\n';

  for (const args of [['start'], ['token'], ['app', 'list'], ['mcp'], ['connector', 'list']])
    test(`are all named by patchbay ${args.join(' ')}, without their values`, async () => {
      // It is no use to it, so that it ends at once.
      const nowhere = { PATCHBAY_BASE_URL: 'nonsense', PATCHBAY_ROLE: 'nonsense' };
      const { err } = await callCli(args, { ...wrong, ...nowhere });
      assert.ok(err.startsWith(`${warnings}patchbay: `), err);
      assert.doesNotMatch(err, /planted/);
    });

  for (const args of [
    ['describe', '--kind', 'slack', '--json'],
    ['completion', 'bash'],
    ['--help'],
  ])
    test(`are passed over by patchbay ${args.join(' ')}`, async () => {
      const { code, err } = await callCli(args, wrong);
      assert.deepEqual([code, err], [0, '']);
    });
});
