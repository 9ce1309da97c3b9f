import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Patchbay } from '@patchbay/client';
import { callCli, callJson } from './support/call-cli.ts';
import { CLI_COMMAND, runShell, startShell, temporaryFolder } from './support/run-cli.ts';
import { someAttachment } from './support/some-attachment.ts';
import { startCliService, type CliService } from './support/start-service.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a sandbox user record tells of interest here. */
interface User {
  readonly id: string;
  readonly real_name: string;
}

const linesOf = (text: string) => text.trimEnd().split('\n');
const recordsIn = (text: string) => linesOf(text).map((line) => JSON.parse(line) as User);

describe('calls', () => {
  let cli: CliService;
  let user: Readonly<Record<string, string>>;
  let patchbay: Patchbay;
  let id: string;

  before(async () => {
    cli = await startCliService('all');
    user = cli.settings();
    id = await cli.createSlack(user);
    patchbay = cli.client(user);
    const { run_id: runId } = await patchbay.connectors.sync(id);
    for await (const _ of patchbay.connectors.sync.watch(id, { runId }));
  });
  after(() => cli[Symbol.asyncDispose]());
  // Of a test that failed, too.
  afterEach(() => cli.sandbox.faults.clear());

  const json = <T>(...args: string[]): Promise<T> => callJson<T>(args, user);

  describe('patchbay execute', () => {
    test('gives the same as the client, as JSON on standard output alone', async () => {
      const slack = await patchbay.connector('chat-workspace');
      const { nextParams: next_params, ...page } = await slack.users.list({ limit: 3 });
      assert.deepEqual(await json('execute', 'users', 'list', '-p', 'limit=3'), {
        ...page,
        next_params,
      });
      const first = (await slack.users.list({ limit: 1 })).data[0]?.id ?? '';
      assert.deepEqual(
        await json('execute', 'users', 'get', '--kind', 'slack', '--param', `user=${first}`),
        await slack.users.get({ user: first }),
      );
      assert.deepEqual(
        await json(
          'execute',
          'users',
          'get',
          '-p',
          `user=${first}`,
          '--fields',
          'id,profile.title',
        ),
        await slack.users.get({ user: first }, { selectFields: ['id', 'profile.title'] }),
      );
    });

    test('shows a list as a table, and how it goes on', async () => {
      const { code, out, err } = await callCli(['execute', 'users', 'list', '-p', 'limit=2'], user);
      assert.equal(code, 0);
      const [title, ...rows] = linesOf(out);
      assert.match(title ?? '', /^id +team_id +name /);
      assert.equal(rows.length, 2);
      const cursor = /^2 of users\. Next page: --param (cursor=\S+), or --all\.\n$/.exec(err)?.[1];
      const next = ['execute', 'users', 'list', '-p', 'limit=2', '--param', cursor ?? ''];
      const page = await callCli(next, user);
      assert.notEqual(linesOf(page.out)[1], rows[0]);
    });

    test('shows a record, a field a line', async () => {
      const args = [
        'execute',
        'channels',
        'create',
        '-p',
        'name=made-here',
        '-p',
        'is_private=true',
      ];
      const { code, out } = await callCli(args, user);
      assert.equal(code, 0);
      assert.match(out, /\nname +made-here\n/);
      assert.match(out, /\nis_private +true\n/);
    });

    test('walks all pages, one record a line', async () => {
      const { out } = await callCli(
        ['execute', 'users', 'list', '-p', 'limit=7', '--all', '--json'],
        user,
      );
      const ids = recordsIn(out).map((each) => each.id);
      assert.ok(ids.length > 14);
      assert.equal(new Set(ids).size, ids.length);
      const table = await callCli(['execute', 'users', 'list', '-p', 'limit=7', '--all'], user);
      assert.equal(table.err, `${ids.length} of users.\n`);
    });

    test('takes params from a file or standard input, --param first', async () => {
      await using folder = await temporaryFolder();
      const path = join(folder.path, 'params.json');
      await writeFile(path, '{"limit": 5}');
      const fromFile = await json<{ data: Json[] }>('execute', 'users', 'list', '--params', path);
      assert.equal(fromFile.data.length, 5);
      const both = ['execute', 'users', 'list', '--params', '-', '-p', 'limit=2', '--json'];
      const { out, err } = await cli.run(both, user, '{"limit": 5}');
      assert.equal((JSON.parse(out) as { data: Json[] }).data.length, 2, err);
    });

    test('ends by the group of the error, which --json tells to programs', async () => {
      const rows = [
        [['execute', 'user', 'list'], 3, 'unknown_entity'],
        [['execute', 'users', 'lst'], 3, 'unsupported_action'],
        [['execute', 'users', 'list', '-p', 'limit=ten', '-p', 'x=1'], 3, 'invalid_params'],
        [['execute', 'users', 'get', '-p', 'user=U0NOBODY'], 3, 'record_not_found'],
        [['execute', 'users', 'list', '--connector', 'nonsense'], 3, 'connector_not_found'],
        [['search', 'users', '--where', 'emial = x'], 3, 'invalid_query'],
        [['search', 'users', '--cursor', 'nonsense'], 3, 'invalid_cursor'],
        [['search', 'messages'], 3, 'unsupported_action'],
      ] as const;
      for (const [args, exitCode, wanted] of rows) {
        const { code, out, err } = await callCli([...args, '--json'], user);
        const { error } = JSON.parse(err) as { error: Json };
        assert.deepEqual([code, out, error['code']], [exitCode, '', wanted], args.join(' '));
      }
      const people = await callCli(
        ['execute', 'users', 'list', '-p', 'limit=ten', '-p', 'x=1'],
        user,
      );
      assert.equal(
        people.err,
        'patchbay: The params are wrong. (invalid_params)\n' +
          '  params.x is not known; allowed: cursor, limit\n' +
          '  params.limit must be an integer from 1 to 1000, got "ten"\n',
      );
    });

    test('a write with an idempotency key happens once', async () => {
      const channel = (await json<{ data: User[] }>('execute', 'channels', 'list', '-p', 'limit=1'))
        .data[0]?.id;
      const write = ['messages', 'create', '-p', `channel=${channel}`, '-p', 'text=Hi\u001b[2J'];
      const args = ['execute', ...write, '--idempotency-key', 'once'] as const;
      const first = await json<Json>(...args);
      assert.equal((await json<Json>(...args))['ts'], first['ts']);
      assert.equal(first['text'], 'Hi\u001b[2J');
      const read = ['execute', 'channel_messages', 'list', '-p', `channel=${channel}`];
      const { out } = await callCli([...read, '-p', 'limit=1'], user);
      assert.match(out, /Hi\\u001b\[2J/);
      assert.ok(!out.includes('\u001b'));
    });
  });

  describe('patchbay execute … download', () => {
    test('writes the bytes to a file or a pipe, whole or not at all', async () => {
      await using folder = await temporaryFolder();
      const owner = cli.settings();
      await cli.createZendesk(owner);
      const attachment = await someAttachment(cli.client(owner));
      const support = await cli.client(owner).connector('support-ticketing');
      const { bytes } = await support.attachments.download({ attachment_id: attachment });
      const wanted = await collect(bytes);
      const args = ['execute', 'attachments', 'download', '-p', `attachment_id=${attachment}`];
      const path = join(folder.path, 'file');
      const { code, out, err } = await callCli([...args, '-o', path], owner);
      assert.deepEqual([code, out], [0, ''], err);
      assert.ok(wanted.equals(await readFile(path)));
      const piped = await runShell(`${shell(args)} | sha256sum; sha256sum < '${path}'`, owner);
      const [first, second] = linesOf(piped.out);
      assert.equal(first, second, piped.err);
      const nowhere = await callCli([...args, '-o', join(folder.path, 'no', 'file')], owner);
      assert.deepEqual([nowhere.code, nowhere.err.includes('ENOENT')], [2, true]);
      cli.sandbox.faults.add({ kind: 'truncate', how: 'connection', method: 'GET /files/{file}' });
      const cut = await callCli([...args, '-o', join(folder.path, 'cut')], owner);
      assert.notEqual(cut.code, 0);
      // What is there stays, unless it is to go; and so it does where the new one does not come whole.
      await writeFile(path, 'mine');
      const half = await callCli([...args, '-o', path, '--force'], owner);
      assert.notEqual(half.code, 0);
      cli.sandbox.faults.clear();
      const refused = await callCli([...args, '-o', path], owner);
      assert.deepEqual([refused.code, refused.out], [2, '']);
      assert.ok(refused.err.endsWith(`${path} is there already; --force overwrites it.\n`));
      assert.equal(await readFile(path, 'utf8'), 'mine');
      assert.deepEqual(await readdir(folder.path), ['file']);
      const forced = await callCli([...args, '-o', path, '--force'], owner);
      assert.equal(forced.code, 0, forced.err);
      // Of files that differ, the runner would want to tell each byte, which takes it gigabytes.
      assert.ok(wanted.equals(await readFile(path)));
    });

    test('goes to no folder, and right into what is no file', async () => {
      await using folder = await temporaryFolder();
      const owner = cli.settings();
      await cli.createZendesk(owner);
      const attachment = await someAttachment(cli.client(owner));
      const args = ['execute', 'attachments', 'download', '-p', `attachment_id=${attachment}`];
      const into = await callCli([...args, '-o', folder.path], owner);
      assert.deepEqual([into.code, /is a folder; give the name/.test(into.err)], [2, true]);
      const pipe = join(folder.path, 'pipe');
      const { out, err } = await runShell(
        `mkfifo '${pipe}'; wc -c < '${pipe}' & ${shell([...args, '-o', pipe])}; wait`,
        owner,
      );
      assert.ok(Number(out) > 0, err);
      assert.ok((await stat(pipe)).isFIFO());
    });

    test('is the only thing that --output is for', async () => {
      const { code, err } = await callCli(['execute', 'users', 'list', '-o', 'x'], user);
      assert.deepEqual([code, /--output is for downloads/.test(err)], [2, true]);
    });
  });

  test('a list tells of a page that is smaller than was asked for', async () => {
    const args = ['execute', 'users', 'list', '-p', 'limit=1001'];
    const { code, err } = await callCli(args, user);
    assert.equal(code, 0);
    assert.match(
      err,
      /^Warning: params\.limit was 1001; a page of this list has at most 1000 records\.$/m,
    );
  });

  describe('patchbay search', () => {
    test('finds the same by --where, by --filter and through the client', async () => {
      const slack = await patchbay.connector('chat-workspace');
      const filter = { like: { real_name: '%underbough' }, eq: { deleted: false } };
      const { hits, sync } = await slack.users.search({
        query: { filter, sort: [{ updated: 'desc' }] },
      });
      assert.ok(hits.length > 0);
      const sort = ['--sort', 'updated:desc'];
      const where = ['--where', 'real_name like %underbough and deleted = false'];
      for (const given of [where, ['--filter', JSON.stringify(filter)]]) {
        const page = await json<{ hits: Json[]; sync: Json }>('search', 'users', ...given, ...sort);
        assert.deepEqual(page.hits, hits);
        assert.equal(page.sync['as_of'], sync.as_of);
      }
    });

    test('shows hits as a table, how fresh they are, and how it goes on', async () => {
      const args = ['search', 'users', '--fields', 'id,real_name', '--sort', 'real_name'];
      const { code, out, err } = await callCli([...args, '--limit', '2'], user);
      assert.equal(code, 0);
      const [title, ...rows] = linesOf(out);
      assert.match(title ?? '', /^real_name +id +score$/);
      assert.equal(rows.length, 2);
      assert.match(err, /^2 hits in \d+ ms; the copy is of \S+, \d+ s old\.\nNext page: --cursor /);
      const cursor = /--cursor (\S+), or/.exec(err)?.[1] ?? '';
      const next = await callCli([...args, '--limit', '2', '--cursor', cursor], user);
      assert.notDeepEqual(linesOf(next.out).slice(1), rows);
      const all = await callCli([...args, '--limit', '7', '--all', '--json'], user);
      const ids = recordsIn(all.out).map((each) => each.id);
      assert.ok(ids.length > 14);
      assert.equal(new Set(ids).size, ids.length);
    });

    test('counts what matches, and how often there is which value', async () => {
      const slack = await patchbay.connector('chat-workspace');
      const query = { filter: { eq: { deleted: false } } };
      const counting = { count: true, facets: ['is_bot', 'profile.title'] } as const;
      const { total, facets, hits } = await slack.users.search({ query, limit: 2, ...counting });
      assert.ok(total !== undefined && total.value > 20);
      const args = ['search', 'users', '--where', 'deleted = false', '--limit', '2'];
      const asked = [...args, '--count', '--facets', 'is_bot,profile.title'];
      const page = await json<Json>(...asked);
      assert.deepEqual([page['total'], page['facets'], page['hits']], [total, facets, hits]);
      const { code, out, err } = await callCli(asked, user);
      assert.equal(code, 0, err);
      assert.match(err, new RegExp(`^${total.value} records match\\.$`, 'm'));
      const [, isBot = '', title = ''] = out.split('\n\n');
      const bots = facets?.['is_bot']?.values ?? [];
      assert.deepEqual(
        linesOf(isBot).map((line) => line.trim().split(/ +/)),
        [['is_bot', 'records'], ...bots.map(({ value, count }) => [String(value), String(count)])],
      );
      assert.match(title, /^profile\.title +records\n/);
      const walked = await callCli([...asked, '--all'], user);
      assert.equal(walked.err.split('records match').length, 2);
    });

    test('may take as long as it is given, and tells of a part', async () => {
      const args = ['search', 'users', '--limit', '3'];
      const whole = await callCli([...args, '--timeout-ms', '300000', '--json'], user);
      assert.equal(whole.code, 0, whole.err);
      assert.equal(recordsIn(whole.out).length, 1);
      const page = await json<Json>(...args, '--allow-partial', '--timeout-ms', '90000');
      assert.equal(page['partial'], undefined);
    });

    test('waits for its call as long as --timeout says', async ({ mock }) => {
      const sent = mock.method(globalThis, 'fetch');
      await json('search', 'users', '--limit', '1', '--timeout', '120');
      const told = sent.mock.calls.map(({ arguments: [, init] }) =>
        Number(new Headers(init?.headers).get('patchbay-timeout-ms')),
      );
      assert.ok(Math.max(...told) > 100_000, String(told));
    });

    test('tells of paths that no record has', async () => {
      const { err, code } = await callCli(
        ['search', 'users', '--where', 'profile.emial = x', '--limit', '1'],
        user,
      );
      assert.equal(code, 0);
      assert.match(err, /^Warning: .*profile\.emial; did you mean profile\.email\?$/m);
    });

    test('before there is anything to search, tells to wait', async () => {
      const stranger = cli.settings();
      const hang = cli.sandbox.faults.add({ kind: 'hang', method: 'users.list' });
      await cli.createSlack(stranger);
      await hang.whenHit();
      const { code, out, err } = await callCli(['search', 'users'], stranger);
      assert.deepEqual([code, out], [7, '']);
      assert.match(err, /\(search_not_ready\)\n.*patchbay sync --status --watch/);
    });
  });

  test('patchbay describe tells kinds, entities and actions, also without any service', async () => {
    const slack = await patchbay.connector('chat-workspace');
    assert.deepEqual(
      await json('describe', '--connector', id),
      await patchbay.connectors.describe(id),
    );
    assert.deepEqual(JSON.parse(await offline('--json')), slack.describe());
    assert.deepEqual(JSON.parse(await offline('users', '--json')), slack.describe('users'));
    assert.match(await offline(), /\nusers +list get search +Members/);
    assert.match(await offline('users'), /\nSearchable fields\nfield +type +about\n/);
    assert.match(await offline('messages', 'create'), /\nchannel +yes +a string +Channel id/);
    const wrong = await callCli(['describe', '--kind', 'slack', 'user']);
    assert.deepEqual([wrong.code, /did you mean "users"/.test(wrong.err)], [3, true]);
    assert.match(
      await offline('users', 'search'),
      /^users\.search: .*\n\nSearchable fields\nfield /,
    );
    const { actions, searchable } = slack.describe('users');
    const told = JSON.parse(await offline('users', 'search', '--json')) as unknown;
    assert.deepEqual(told, { ...actions.find(({ name }) => name === 'search'), searchable });
    const action = await callCli(['describe', '--kind', 'slack', 'users', 'creat']);
    assert.match(action.err, /users has no action "creat"; it has list, get, search/);
  });

  describe('output', () => {
    test('into a reader that has read enough ends quietly, and with 0', async () => {
      const list = shell([
        'execute',
        'users',
        'list',
        '-p',
        'limit=2',
        '--all',
        '--json',
        '--kind',
        'slack',
      ]);
      for (const command of [list, shell(['--help'])]) {
        const { out, err } = await runShell(`{ ${command}; echo "code $?" >&2; } | head -1`, user);
        assert.equal(linesOf(out).length, 1);
        assert.equal(err, 'code 0\n', command);
      }
    });

    test('into a reader that leaves a sync under way ends the watching quietly, and with 0', async () => {
      const hang = cli.sandbox.faults.add({ kind: 'hang', method: 'users.list' });
      const watching = shell(['sync', '--kind', 'slack', '--watch']);
      const { untilOut, finished } = startShell(
        `{ ${watching}; echo "code $?" >&2; } | { head -1; exec <&-; echo 'nobody reads'; }`,
        user,
      );
      await untilOut('nobody reads\n');
      // The next line finds nobody.
      hang.release();
      const { out, err } = await finished;
      assert.equal(linesOf(out).length, 2);
      assert.equal(err, 'code 0\n');
    });

    test('onto a full disk is told', async () => {
      const { out, err } = await runShell(
        `${shell(['describe', '--kind', 'slack'])} > /dev/full; echo "code $?"`,
        user,
      );
      assert.match(err, /^patchbay: The output cannot be written \(ENOSPC\)\.$/m);
      assert.equal(out, 'code 4\n');
    });
  });
});

/** Describes Slack without any service. */
async function offline(...args: string[]): Promise<string> {
  const { code, out, err } = await callCli(['describe', '--kind', 'slack', ...args]);
  assert.equal(code, 0, err);
  return out;
}

/** A command line for a shell. */
function shell(words: readonly string[]): string {
  return [...CLI_COMMAND, ...words].map((word) => `'${word}'`).join(' ');
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
