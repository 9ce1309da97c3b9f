import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { allKinds } from '@patchbay/connectors/definitions';
import { readConfiguration } from '@patchbay/server';
import type { Command } from 'commander';
import { EXIT_CODES } from '../src/output/exit-codes.ts';
import { buildProgram } from '../src/program.ts';
import type { Terminal } from '../src/terminal.ts';
import { callCli } from './support/call-cli.ts';
import { startCli } from './support/run-cli.ts';

/** Every command, as one calls it. */
const COMMANDS = [
  'start',
  'login',
  'logout',
  'whoami',
  'status',
  'describe',
  'execute',
  'search',
  'sync',
  'token',
  'token revoke',
  'mcp',
  'connector',
  'connector create',
  'connector list',
  'connector get',
  'connector update',
  'connector delete',
  'connector check',
  'connector disable',
  'connector enable',
  'connector pause',
  'connector resume',
  'app',
  'app create',
  'app list',
  'app show',
  'app update',
  'app delete',
  'app secrets',
  'app secrets list',
  'app secrets add',
  'app secrets remove',
  'app revoke',
  'app purge',
  'keys',
  'keys status',
  'keys rotate',
  'migrate',
  'backup',
  'restore',
  'move',
  'sandbox',
  'completion',
];

test('every command has help with examples', async () => {
  for (const command of COMMANDS) {
    const { code, out: help, err } = await callCli([...command.split(' '), '--help']);
    assert.deepEqual([code, err], [0, '']);
    assert.match(help, new RegExp(`^Usage: patchbay ${command} `), command);
    assert.match(help, /\nExamples?:\n {2}\$ /, command);
  }
});

test('the list of commands above is whole', () => {
  const terminal = { out: () => undefined, err: () => undefined } as unknown as Terminal;
  const names = (command: Command, path: readonly string[]): string[] =>
    command
      .createHelp()
      .visibleCommands(command)
      .filter((each) => each.name() !== 'help')
      .flatMap((each) => [
        [...path, each.name()].join(' '),
        ...names(each, [...path, each.name()]),
      ]);
  assert.deepEqual(names(buildProgram(terminal, {}), []).toSorted(), COMMANDS.toSorted());
});

test('help and docs/cli.md tell the exit codes', async () => {
  const { out: help } = await callCli(['--help']);
  const document = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  for (const { code, meaning } of Object.values(EXIT_CODES)) {
    assert.match(help, new RegExp(`\\n +${code}  ${meaning}\\n`));
    assert.match(document, new RegExp(`\\n\\| ${code} +\\| ${meaning} +\\|\\n`));
  }
});

test('help and version are on standard output, and no failure', async () => {
  const help = await startCli(['--help'], {}).finished;
  assert.deepEqual([help.code, help.err], [0, '']);
  for (const command of COMMANDS) assert.ok(help.out.includes(command.split(' ')[0] ?? ''));
  assert.deepEqual(await startCli(['--version'], {}).finished, {
    code: 0,
    out: '0.2.0\n',
    err: '',
  });
});

test('a wrong command line ends with 2, and is told on standard error, without a stack', async () => {
  for (const [args, says] of [
    [['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
    [['start', '--port', 'ten'], /whole number from 0 to 65535/],
    [['token', '--access', 'admin'], /Allowed choices are read, write/],
    [['search', 'users', '--where', 'a =', '--json'], /"code":"usage"/],
    [['search', 'users', '--where', 'a = 1', '--filter', '{}'], /cannot be used with/],
    [['search', 'users', '--timeout-ms', '0'], /whole number from 1 to 300000/],
    [['search', 'users', '--facets', 'a,,b'], /names, comma-separated/],
    [['search', 'users', '--all', '--json', '--count'], /no place for --count and --facets/],
    [['search', 'users', '--filter', '[1]'], /--filter must be a JSON object/],
    [['search', 'users', '--filter', '{"a'], /--filter is not JSON/],
    [['execute', 'users', 'list', '--param', 'limit'], /of the form name=value/],
    [['execute', 'users', 'get', '--all'], /--all is for lists/],
    [['sync', '--kind', 'slack', '--connector', 'x'], /cannot be used with/],
    [['connector', 'get', 'x', '--kind', 'slack'], /Name the connector once/],
    [['connector', 'delete'], /Which connector\?/],
    [['connector', 'delete', 'x', '--all'], /--all is every connector/],
    [['connector', 'update', 'x'], /What shall change\?/],
    [['app', 'update', 'x'], /What shall change\?/],
    [['app', 'update', 'x', '--origin', 'y', '--no-origins'], /cannot be used with/],
    [['app', 'update', 'x', '--rate-limit', '-1'], /whole number from 0 to 10000000/],
    [['app', 'show', 'x'], /set PATCHBAY_OPERATOR_KEY or PATCHBAY_OPERATOR_KEY_FILE/],
    [['app', 'list', '--base-url', 'https://x.example'], /set PATCHBAY_OPERATOR_KEY/],
    [['app', 'create', '--origin', 'https://x.example'], /need a running service/],
    [['token', '--base-url', 'ftp://x'], /must be an http or https URL/],
    [['token', '--profile', '../x'], /A profile is named by/],
    [['token', '--profile', 'x'], /There is no profile x .*`patchbay login --profile x`/],
  ] as const) {
    const { code, out, err } = await callCli(args, {
      PATCHBAY_CLIENT_ID: 'x',
      PATCHBAY_CLIENT_SECRET: 'y',
      PATCHBAY_EXTERNAL_USER_ID: 'z',
      XDG_CONFIG_HOME: '/nowhere',
    });
    assert.deepEqual([code, out], [2, ''], `${args.join(' ')}: ${err}`);
    assert.match(err, says);
    assert.match(err, args.some((each) => each === '--json') ? /^\{"error"/ : /^patchbay: /);
    assert.doesNotMatch(err, / {4}at /);
  }
});

test('what is missing to call a service is told', async () => {
  const nowhere = { PATCHBAY_DATA: '/nowhere/data', XDG_CONFIG_HOME: '/nowhere' };
  const unknown = await startCli(['token'], nowhere).finished;
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /^patchbay: Which application\? Set PATCHBAY_CLIENT_ID/);
  const half = await callCli(['token'], { ...nowhere, PATCHBAY_CLIENT_ID: 'x' });
  assert.match(half.err, /the secret is missing/);
  const application = { ...nowhere, PATCHBAY_CLIENT_ID: 'x', PATCHBAY_CLIENT_SECRET: 'y' };
  const nobody = await callCli(['token', '--base-url', 'http://127.0.0.1:9'], application);
  assert.match(nobody.err, /For which external user\?/);
});

test('a service that cannot be reached is one to wait for', async () => {
  const settings = {
    PATCHBAY_BASE_URL: 'http://127.0.0.1:9',
    PATCHBAY_CLIENT_ID: 'x',
    PATCHBAY_CLIENT_SECRET: 'y',
    PATCHBAY_EXTERNAL_USER_ID: 'z',
  };
  for (const command of ['token', 'connector list']) {
    const { code, err } = await callCli(command.split(' '), settings);
    assert.equal(code, 7, err);
    assert.match(err, /http:\/\/127\.0\.0\.1:9.*\(not_ready\)\nIs it running\?/);
  }
});

test('patchbay sandbox serves the upstreams alone, and says how to get there, until it is stopped', async () => {
  const running = startCli(['sandbox', '--port', '0', '--scale', '10'], {});
  const out = await running.untilOut('Ctrl-C');
  const { upstreams } = readConfiguration(variablesIn(out));
  assert.equal(Object.keys(upstreams).length, allKinds().length);
  const slack = upstreams['chat-workspace'];
  assert.deepEqual([slack?.label, slack?.limits], ['sandbox', 'reactive']);
  const answer = await fetch(`${slack?.baseUrl}/users.list`, {
    headers: { authorization: 'Bearer any' },
  });
  const { ok, members } = (await answer.json()) as { ok: boolean; members: readonly unknown[] };
  assert.deepEqual([ok, members.length], [true, 10]);
  running.process.kill('SIGINT');
  assert.equal((await running.finished).code, 0);
});

test('patchbay sandbox lets OAuth tokens live as long as it is told, and consent lead where it is told', async () => {
  const redirectUri = 'https://app.example.com/back';
  const running = startCli(
    ['sandbox', '--port', '0', '--token-ttl', '5s', '--redirect-uri', redirectUri],
    {},
  );
  const out = await running.untilOut('Ctrl-C');
  const oauthUrl = /who can consent: (\S+)/.exec(out)?.[1] ?? '';
  const { servers } = (await (await fetch(oauthUrl)).json()) as OAuthAnswer;
  const asked = new URLSearchParams({
    client_id: 'sandbox-slack',
    scope: 'users:read',
    redirect_uri: redirectUri,
  });
  const page = await fetch(`${servers.slack.authorizeUrl}?${asked.toString()}`);
  assert.equal(page.status, 200);
  const granted = await fetch(`${oauthUrl}/grants`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"vendor":"zendeskSupport"}',
  });
  const { tokens } = (await granted.json()) as {
    readonly tokens: readonly { readonly expiresInSeconds: number }[];
  };
  assert.equal(tokens[0]?.expiresInSeconds, 5);
  running.process.kill('SIGINT');
  assert.equal((await running.finished).code, 0);
  const refused = await callCli(['sandbox', '--token-ttl', 'soon'], {});
  assert.match(refused.err, /must be a duration such as 5s/);
});

interface OAuthAnswer {
  readonly servers: { readonly slack: { readonly authorizeUrl: string } };
}

/** The variables that lines for a shell set. */
function variablesIn(lines: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...lines.matchAll(/^export (\w+)='?([^'\n]*)'?$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}
