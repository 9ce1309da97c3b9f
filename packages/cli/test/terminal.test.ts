import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { callCli } from './support/call-cli.ts';
import { startHoldingProxy } from './support/holding-proxy.ts';
import { startInTerminal, temporaryFolder, type TerminalCli } from './support/run-cli.ts';
import { screenOf } from './support/screen.ts';
import { someAttachment } from './support/some-attachment.ts';
import { startCliService, type CliService } from './support/start-service.ts';
import { until } from './support/until.ts';

const CTRL_C = '\u0003';
const ESCAPE = '\u001b';
/** What of Slack is copied. */
const ENTITIES = ['users', 'channels', 'channel_messages', 'threads'] as const;

describe('in a terminal', () => {
  let cli: CliService;
  before(async () => {
    cli = await startCliService('all');
  });
  after(() => cli[Symbol.asyncDispose]());
  // Of a test that failed, too.
  afterEach(() => cli.sandbox.faults.clear());

  describe('patchbay sync --watch', () => {
    test('draws a bar for each entity, anew in place, and leaves them standing', async () => {
      const user = cli.settings();
      const hang = cli.sandbox.faults.add({ kind: 'hang', method: 'users.list' });
      await cli.createSlack(user);
      await hang.whenHit();
      const { untilOut, finished } = startInTerminal(['sync', '--status', '--watch'], user);
      // While nothing comes, a bar shows that by moving.
      await untilOut('reading, 0 records', 3);
      hang.release();
      const { code, out } = await finished;
      assert.equal(code, 0, out);
      assert.ok(out.includes(`${ESCAPE}[?25l`), 'the cursor is hidden meanwhile');
      const { lines, isCursorShown } = screenOf(out);
      assert.equal(isCursorShown, true);
      const shown = lines.join('\n');
      for (const entity of ENTITIES)
        assert.match(shown, new RegExp(`^${entity} +█+  [\\d,]+ records? in the copy$`, 'm'));
      assert.equal(lines.length, ENTITIES.length + 2, shown);
      assert.match(lines[ENTITIES.length] ?? '', /^The sync succeeded after [\d.]+ s\.$/);
    });

    test('ends at Ctrl-C, gives the cursor back, and the sync goes on', async () => {
      const user = cli.settings();
      const hang = cli.sandbox.faults.add({ kind: 'hang', method: 'users.list' });
      const id = await cli.createSlack(user);
      const { type, untilOut, finished } = startInTerminal(['sync', '--watch'], user);
      await untilOut('reading, 0 records');
      type(CTRL_C);
      const { code, out } = await finished;
      assert.equal(code, 130, out);
      const { lines, isCursorShown } = screenOf(out);
      assert.equal(isCursorShown, true);
      assert.equal(lines.filter((line) => line.startsWith('users ')).length, 1);
      const goesOn = `patchbay sync --connector ${id} --status --watch`;
      assert.match(lines.join(''), new RegExp(`Stopped watching; the sync goes on: ${goesOn}$`));
      hang.release();
      const later = await callCli(goesOn.split(' ').slice(1), user);
      assert.deepEqual([later.code, /The sync succeeded/.test(later.err)], [0, true]);
    });

    for (const [where, environment, size] of [
      ['a dumb terminal', { TERM: 'dumb' }, {}],
      ['a terminal without room for all bars', {}, { rows: ENTITIES.length }],
    ] as const)
      test(`on ${where} tells a line for each change instead`, async () => {
        const user = cli.settings();
        await cli.createSlack(user);
        const settings = { ...user, ...environment };
        const watching = startInTerminal(['sync', '--watch'], settings, size);
        const { code, out } = await watching.finished;
        assert.equal(code, 0, out);
        assert.ok(!out.includes(ESCAPE));
        for (const entity of ENTITIES)
          assert.match(out, new RegExp(`^${entity}: [\\d,]+ records? in the copy\r$`, 'm'));
      });
  });

  test('Ctrl-C in a download leaves nothing of the file', async () => {
    await using folder = await temporaryFolder();
    await using proxy = await startHoldingProxy(cli.service.url);
    const user = cli.settings();
    await cli.createZendesk(user);
    const attachment = await someAttachment(cli.client(user));
    const args = ['execute', 'attachments', 'download', '-p', `attachment_id=${attachment}`];
    const { type, finished } = startInTerminal([...args, '-o', join(folder.path, 'photo')], {
      ...user,
      PATCHBAY_BASE_URL: proxy.url,
    });
    await until(async () => (await readdir(folder.path)).length > 0);
    assert.match((await readdir(folder.path)).join(), /^photo\..*part$/);
    type(CTRL_C);
    const { code, out } = await finished;
    assert.deepEqual([code, await readdir(folder.path)], [130, []], out);
    assert.equal(screenOf(out).lines.join('').replace('^C', ''), '');
  });

  test('a download that takes long tells how much has come, and overwrites after a yes', async () => {
    await using folder = await temporaryFolder();
    await using proxy = await startHoldingProxy(cli.service.url);
    const user = cli.settings();
    await cli.createZendesk(user);
    const attachment = await someAttachment(cli.client(user));
    const path = join(folder.path, 'photo');
    await writeFile(path, 'mine');
    const args = ['execute', 'attachments', 'download', '-p', `attachment_id=${attachment}`];
    const download = (settings: typeof user) =>
      startInTerminal([...args, '-o', path], settings, { columns: 200 });
    const no = download(user);
    await answerAll(no, [[`Overwrite ${path}? [y/N]: `, '\r']]);
    const refused = await no.finished;
    assert.deepEqual([refused.code, await readFile(path, 'utf8')], [2, 'mine'], refused.out);
    const held = download({ ...user, PATCHBAY_BASE_URL: proxy.url });
    await answerAll(held, [[`Overwrite ${path}? [y/N]: `, 'y\r']]);
    const shown = await held.untilOut('B/s');
    assert.match(
      shown,
      /photo: 1 B of [\d.]+ (B|KiB|MiB), 1 B\/s|photo: 1 B of [\d.]+ \w+, 0 B\/s/,
    );
    held.type(CTRL_C);
    const cut = await held.finished;
    assert.deepEqual([cut.code, await readFile(path, 'utf8')], [130, 'mine'], cut.out);
    // Nothing of the progress is left standing.
    assert.doesNotMatch(screenOf(cut.out).lines.join('\n'), /B\/s/);
    assert.deepEqual(await readdir(folder.path), ['photo']);
    const yes = download(user);
    await answerAll(yes, [[`Overwrite ${path}? [y/N]: `, 'y\r']]);
    const done = await yes.finished;
    assert.equal(done.code, 0, done.out);
    assert.notEqual(await readFile(path, 'utf8'), 'mine');
  });

  describe('patchbay login', () => {
    test('asks for what is missing, and shows nothing of the secret', async () => {
      const { XDG_CONFIG_HOME = '' } = cli.settings();
      const { clientId, clientSecret } = cli.credentials;
      const running = startInTerminal(['login'], { XDG_CONFIG_HOME });
      await answerAll(running, [
        ['Address of the service [http://127.0.0.1:8080]: ', `${cli.service.url}\r`],
        ['Client id: ', `${clientId}\r`],
        ['Client secret: ', `${clientSecret}\r`],
        ['External user: ', 'alice\r'],
      ]);
      const { code, out } = await running.finished;
      assert.equal(code, 0, out);
      assert.ok(!out.includes(clientSecret));
      assert.match(
        screenOf(out).lines.join('\n'),
        /^Client secret:\nExternal user: alice\nLogged in/m,
      );
      const path = join(XDG_CONFIG_HOME, 'patchbay', 'default.json');
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      const list = await callCli(['connector', 'list', '--json'], { XDG_CONFIG_HOME });
      assert.deepEqual(list, { code: 0, out: '[]\n', err: '' });
    });

    test('tells at once what an answer must be, and asks again', async () => {
      const { XDG_CONFIG_HOME = '' } = cli.settings();
      const running = startInTerminal(['login', '--no-verify'], { XDG_CONFIG_HOME });
      const { untilOut, type, finished } = running;
      await answerAll(running, [
        ['Address of the service [', 'ftp://nowhere\r'],
        ['must be an http or https URL', ''],
      ]);
      await untilOut('Address of the service [', 2);
      type('\r');
      await answerAll(running, [
        ['Client id: ', '\r'],
        ['Client id must not be empty.', ''],
      ]);
      await untilOut('Client id: ', 2);
      type('some-client\r');
      await answerAll(running, [
        ['Client secret: ', 'x\r'],
        ['External user: ', 'alice\r'],
      ]);
      const { code, out } = await finished;
      assert.equal(code, 0, out);
      assert.match(out, /Logged in at http:\/\/127\.0\.0\.1:8080, for alice/);
    });

    test('offers what is stored again, the secret without showing it', async () => {
      const { XDG_CONFIG_HOME = '', ...settings } = cli.settings();
      const user = settings['PATCHBAY_EXTERNAL_USER_ID'] ?? '';
      const stored = await callCli(['login'], { XDG_CONFIG_HOME, ...settings });
      assert.equal(stored.code, 0, stored.err);
      const running = startInTerminal(['login'], { XDG_CONFIG_HOME });
      await answerAll(running, [
        [`Address of the service [${cli.service.url}]: `, '\r'],
        [`Client id [${cli.credentials.clientId}]: `, '\r'],
        ['Client secret [as it is]: ', '\r'],
        [`External user [${user}]: `, 'bob\r'],
      ]);
      const { code, out } = await running.finished;
      assert.equal(code, 0, out);
      assert.ok(!out.includes(cli.credentials.clientSecret));
      assert.match(out, /Logged in at .*, for bob/);
    });

    test('shows no secret that is pasted together with the answers before and after', async () => {
      const { XDG_CONFIG_HOME = '' } = cli.settings();
      const { clientId, clientSecret } = cli.credentials;
      const running = startInTerminal(['login', '--base-url', cli.service.url], {
        XDG_CONFIG_HOME,
      });
      await answerAll(running, [['Client id: ', `${clientId}\r${clientSecret}\ralice\r`]]);
      const { code, out } = await running.finished;
      assert.equal(code, 0, out);
      assert.ok(!out.includes(clientSecret), out);
      assert.match(out, /Logged in at .*, for alice/);
    });

    for (const [key, name] of [
      [CTRL_C, 'Ctrl-C'],
      ['\u0004', 'Ctrl-D'],
    ] as const)
      test(`leaves no profile at ${name}, whatever has been answered`, async () => {
        const { XDG_CONFIG_HOME = '' } = cli.settings();
        const running = startInTerminal(['login', '--external-user', 'alice'], { XDG_CONFIG_HOME });
        await answerAll(running, [
          ['Address of the service', '\r'],
          ['Client id: ', 'some-client\r'],
          ['Client secret: ', key === CTRL_C ? `half a secret${key}` : key],
        ]);
        const { code, out } = await running.finished;
        assert.equal(code, 130, out);
        assert.equal(existsSync(XDG_CONFIG_HOME), false);
        assert.doesNotMatch(out, /half a secret/);
      });
  });

  test('patchbay connector create asks for credentials and settings, delete for a yes', async () => {
    const user = cli.settings();
    const secret = 'xoxb-typed-by-hand';
    const create = startInTerminal(
      ['connector', 'create', 'slack', '--replication', 'lookback_window=0'],
      user,
    );
    await answerAll(create, [
      ['Name [Slack]: ', '\r'],
      ['(1 to 2) [1]: ', '3\r'],
    ]);
    await create.untilOut('(1 to 2) [1]: ', 2);
    create.type('2\r');
    // An answer that comes before its question is no more seen than one that comes after.
    await answerAll(create, [
      ['api_token (', '\r'],
      ['api_token must be a non-empty string.', `${secret}\r`],
      ['start_date (', '2026-02-30T00:00:00Z\r'],
      ['start_date must be a real UTC date', '2026-01-01T00:00:00Z\r'],
      ['[false]: ', '\r'],
    ]);
    const made = await create.finished;
    assert.equal(made.code, 0, made.out);
    assert.ok(!made.out.includes(secret));
    for (const [answer, code, says] of [
      ['n', 2, /Nothing was changed\./],
      ['y', 0, /Deleted/],
    ] as const) {
      const remove = startInTerminal(['connector', 'delete', '--kind', 'slack'], user);
      await remove.untilOut('[y/N]: ');
      remove.type(`${answer}\r`);
      const { code: ended, out } = await remove.finished;
      assert.deepEqual([ended, says.test(out)], [code, true], out);
    }
  });
});

test('patchbay connector create asks for the kind, and tells one that is not known', async () => {
  const settings = { PATCHBAY_CLIENT_ID: 'x', PATCHBAY_CLIENT_SECRET: 'y' };
  const running = startInTerminal(['connector', 'create', 'slak'], settings);
  await running.untilOut('Did you mean "slack"?');
  const listed = await running.untilOut('Kind (1 to 4): ');
  assert.match(listed, / 4 {2}zendesk-support, support-ticketing: Zendesk Support/);
  running.type('zendesk\r');
  await running.untilOut('must be a number from 1 to 4, or one of these names');
  running.type('zendesk-support\r');
  await answerAll(running, [
    ['Name [Zendesk Support]: ', 'Desk\r'],
    ['(1 to 3) [1]: ', 'token\r'],
    // No secret, so it is seen.
    ['email (', 'agent@example.com\r'],
    ['api_token (', 'zendesk-secret\r'],
    ['subdomain (', 'Not A Subdomain\r'],
    ['subdomain must be', CTRL_C],
  ]);
  const { code, out } = await running.finished;
  assert.equal(code, 130, out);
  assert.match(out, /agent@example\.com/);
  assert.doesNotMatch(out, /zendesk-secret/);
});

describe('what a terminal shows', () => {
  const describeSlack = ['describe', '--kind', 'slack', 'users'];

  for (const [environment, isBold] of [
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
  ] as const)
    test(`with ${JSON.stringify(environment)} is ${isBold ? 'bold where it matters' : 'plain'}`, async () => {
      const { code, out } = await startInTerminal(describeSlack, environment).finished;
      assert.equal(code, 0);
      assert.equal(out.includes(ESCAPE), isBold);
      assert.match(out.replaceAll(`${ESCAPE}[1m`, ''), /\nRecord\b/);
    });

  test('fits its width', async () => {
    const { out } = await startInTerminal(describeSlack, {}, { columns: 50 }).finished;
    const rows = screenOf(out).lines.filter((line) => /^(field|id|name|list|action) /.test(line));
    assert.ok(rows.length >= 5);
    for (const row of rows) assert.ok(row.length <= 50, row);
  });
});

/** Types an answer to each question, as soon as it has been asked. */
async function answerAll(
  { type, untilOut }: TerminalCli,
  rows: readonly (readonly [question: string, answer: string])[],
): Promise<void> {
  for (const [question, typed] of rows) {
    await untilOut(question);
    type(typed);
  }
}
