import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { allKinds } from '@patchbay/connectors/definitions';
import { callCli, callJson } from './support/call-cli.ts';
import { temporaryFolder } from './support/run-cli.ts';
import {
  SLACK_REPLICATION,
  startCliService,
  withoutUser,
  type CliService,
} from './support/start-service.ts';

type Json = Readonly<Record<string, unknown>>;

describe('patchbay connector', () => {
  let cli: CliService;
  before(async () => {
    cli = await startCliService();
  });
  after(() => cli[Symbol.asyncDispose]());

  test('creates, shows, changes, checks, pauses, resumes and deletes a connector', async () => {
    const user = cli.settings();
    const id = await cli.createSlack(user);
    const run = async (...args: string[]): Promise<Json> => {
      const { code, out, err } = await callCli(['connector', ...args, '--json'], user);
      assert.equal(code, 0, err);
      return JSON.parse(out) as Json;
    };
    const made = await run('get', id);
    assert.deepEqual(
      [made['id'], made['connector_type'], made['name'], made['external_user_id']],
      [id, 'chat-workspace', 'Slack', user['PATCHBAY_EXTERNAL_USER_ID']],
    );
    assert.equal((made['replication_config'] as Json)['lookback_window'], 0);
    // The only connector of a kind, or the only one at all, need not be told by its id.
    assert.deepEqual(await run('get', '--kind', 'Slack'), made);
    assert.deepEqual(await run('get', '--connector', id), made);
    assert.deepEqual(await run('get'), made);
    const changed = await run('update', '--name', 'Team', '--replication', 'lookback_window=7');
    assert.equal(changed['name'], 'Team');
    assert.equal((changed['replication_config'] as Json)['lookback_window'], 7);
    assert.equal((await run('check'))['status'], 'succeeded');
    assert.equal((await run('pause'))['status'], 'paused');
    assert.notEqual((await run('resume'))['status'], 'paused');
    assert.equal((await run('disable'))['status'], 'disabled');
    const refusedCall = await callCli(['execute', 'users', 'list'], user);
    assert.equal(refusedCall.code, 4);
    assert.match(refusedCall.err, /\(connector_disabled\)\n`patchbay connector enable`/);
    assert.notEqual((await run('enable'))['status'], 'disabled');
    const refused = await callCli(['connector', 'delete', id], user);
    assert.deepEqual([refused.code, refused.out], [2, '']);
    assert.match(refused.err, /give --yes/);
    const deleted = await run('delete', id, '--yes');
    assert.equal(deleted['id'], id);
    const { code, err } = await callCli(['connector', 'get', id], user);
    assert.equal(code, 3);
    assert.match(err, /\(connector_not_found\)/);
  });

  test('deletes every connector of an external user', async () => {
    const user = cli.settings();
    await cli.createSlack(user);
    await cli.createSlack(user);
    const unasked = await callCli(['connector', 'delete', '--all'], user);
    assert.deepEqual([unasked.code, unasked.out], [2, '']);
    const deleted = await callCli(['connector', 'delete', '--all', '--yes'], user);
    assert.equal(deleted.code, 0, deleted.err);
    assert.match(deleted.err, /^Deleted every connector of .* \(job [0-9a-f-]{36}\)\.\n$/);
    assert.match((await callCli(['connector', 'list'], user)).err, /There is no connector/);
    const again = await callCli(['connector', 'delete', '--all', '--yes', '--json'], user);
    assert.equal(again.code, 3);
    assert.match(again.err, /external_user_not_found/);
  });

  test('lists them as a table, and as JSON', async () => {
    const user = cli.settings();
    const empty = await callCli(['connector', 'list'], user);
    assert.deepEqual([empty.code, empty.out], [0, '']);
    assert.match(empty.err, /There is no connector/);
    const ids = [await cli.createSlack(user), await cli.createSlack(user)];
    const table = await callCli(['connector', 'list'], user);
    assert.match(table.out, /^id +connector_type +name +status\n/);
    assert.deepEqual(
      table.out
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(' ')[0]),
      ids,
    );
    assert.ok(!table.out.includes('\u001b'));
    const { out, err } = await callCli(['connector', 'list', '--kind', 'slack', '--json'], user);
    assert.deepEqual(
      (JSON.parse(out) as Json[]).map((each) => each['id']),
      ids,
    );
    assert.equal(err, '');
    const none = await callCli(['connector', 'list', '--kind', 'intercom', '--json'], user);
    assert.equal(none.out, '[]\n');
    const [first = ''] = ids;
    await callCli(['connector', 'pause', '--connector', first], user);
    const paused = await callJson<Json[]>(['connector', 'list', '--status', 'paused'], user);
    assert.deepEqual(
      paused.map((each) => each['id']),
      [first],
    );
    const found = await callJson<Json[]>(['connector', 'list', '--q', 'SLACK'], user);
    assert.equal(found.length, ids.length);
    const narrow = await callCli(['connector', 'list', '--q', 'nothing like it'], user);
    assert.match(narrow.err, /No connector is like that/);
    assert.equal((await callCli(['connector', 'list', '--status', 'asleep'], user)).code, 3);
  });

  test('tells the candidates where several connectors could be meant', async () => {
    const user = cli.settings();
    const nobody = await callCli(['connector', 'get', '--kind', 'slack'], user);
    assert.equal(nobody.code, 3);
    assert.match(nobody.err, /no connector of the kind "slack".*\(connector_not_found\)/);
    const ids = [await cli.createSlack(user), await cli.createSlack(user)];
    for (const args of [[], ['--kind', 'slack']]) {
      const { code, err } = await callCli(['connector', 'get', ...args], user);
      assert.equal(code, 3);
      for (const id of ids) assert.match(err, new RegExp(`\n  ${id}  chat-workspace  Slack  \\(`));
    }
    const wrong = await callCli(['connector', 'get', '--kind', 'slak'], user);
    assert.match(wrong.err, /Did you mean "slack"\?.*\(unknown_connector_type\)/);
  });

  describe('named by its id', () => {
    test('needs no external user', async () => {
      const user = cli.settings();
      const id = await cli.createSlack(user);
      for (const args of [
        ['connector', 'get', id],
        ['connector', 'update', '--connector', id, '--name', 'Mine'],
        ['describe', '--connector', id],
        ['execute', 'users', 'list', '-p', 'limit=1', '--connector', id],
        ['sync', '--status', '--connector', id],
      ]) {
        const { code, out, err } = await callCli([...args, '--json'], withoutUser(user));
        assert.equal(code, 0, `${args.join(' ')}: ${err}`);
        assert.notEqual(out, '');
      }
      const { code, err } = await callCli(['connector', 'list'], withoutUser(user));
      assert.deepEqual([code, /For which external user\?/.test(err)], [2, true]);
    });

    test('is not bound to the external user of a profile, but to one that is given', async () => {
      const alice = cli.settings();
      const id = await cli.createSlack(alice);
      const { XDG_CONFIG_HOME = '', ...bob } = cli.settings();
      await callCli(['login'], { XDG_CONFIG_HOME, ...bob });
      const get = ['connector', 'get', '--json', '--connector', id];
      const { code, out, err } = await callCli(get, { XDG_CONFIG_HOME });
      assert.equal(code, 0, err);
      const { external_user_id: owner } = JSON.parse(out) as Json;
      assert.equal(owner, alice['PATCHBAY_EXTERNAL_USER_ID']);
      for (const [flags, environment] of [
        [['--external-user', 'bob'], { XDG_CONFIG_HOME }],
        [[], { XDG_CONFIG_HOME, PATCHBAY_EXTERNAL_USER_ID: 'bob' }],
      ] as const) {
        const refused = await callCli([...get, ...flags], environment);
        assert.deepEqual([refused.code, /connector_not_found/.test(refused.err)], [3, true]);
      }
    });
  });

  test('create lists the kinds with all their names, in its help and where none is given', async () => {
    const help = await callCli(['connector', 'create', '--help']);
    const missing = await callCli(['connector', 'create'], cli.settings());
    assert.deepEqual([missing.code, missing.out], [2, '']);
    for (const { kind, aliases, displayName } of allKinds())
      for (const text of [help.out, missing.err])
        assert.ok(text.includes(`  ${[...aliases, kind].join(', ')}: ${displayName}\n`), text);
  });

  test('takes credentials from a file or standard input, and never shows them', async () => {
    await using folder = await temporaryFolder();
    const user = cli.settings();
    const secret = 'xoxb-very-secret-indeed';
    const path = join(folder.path, 'slack.json');
    await writeFile(path, JSON.stringify({ api_token: secret }));
    const create = ['connector', 'create', 'slack', ...SLACK_REPLICATION];
    const made = await callCli([...create, '--credentials', path, '--name', 'Mine'], user);
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /\nname +Mine\n/);
    for (const [text, says] of [
      [`{"api_token": "${secret}"`, /Standard input is not JSON/],
      [`["${secret}"]`, /must be a JSON object/],
      [`{"api_token": ["${secret}"]}`, /must hold texts alone; api_token is none/],
      [`{"api_tokn": "${secret}"}`, /did you mean "api_token"/],
    ] as const) {
      const { code, out, err } = await cli.run([...create, '--credentials', '-'], user, text);
      assert.ok(code === 2 || code === 3);
      assert.match(err, says);
      assert.ok(!`${out}${err}${made.out}${made.err}`.includes(secret));
    }
    const absent = await callCli([...create, '--credentials', '/nowhere/x'], user);
    assert.match(absent.err, /^patchbay: Cannot read \/nowhere\/x \(ENOENT\)\.\n$/);
    const nobody = await callCli(create, user);
    assert.match(nobody.err, /There is no terminal to ask for credentials on/);
  });

  test('tells every setting that is missing or wrong', async () => {
    const user = cli.settings();
    const args = ['connector', 'create', 'slack', '--credentials', '-'];
    const { code, err } = await cli.run(
      [...args, '--replication', 'lookback_window=many', '--replication', 'join_chanels=false'],
      user,
      '{"api_token":"x"}',
    );
    assert.equal(code, 3);
    assert.match(err, /^patchbay: .*\(invalid_replication_config\)\n/);
    assert.match(err, /start_date is required/);
    assert.match(err, /lookback_window must be an integer from 0 to 365, got "many"/);
    assert.match(err, /join_chanels is not known; did you mean "join_channels"/);
  });

  test('a check that the upstream fails ends with 4, and new credentials mend it', async () => {
    const user = cli.settings();
    const id = await cli.createSlack(user);
    const updated = await cli.run(
      ['connector', 'update', id, '--credentials', '-'],
      user,
      '{"api_token":"revoked"}',
    );
    assert.equal(updated.code, 0, updated.err);
    const { code, out, err } = await callCli(['connector', 'check', id], user);
    assert.equal(code, 4);
    assert.match(out, /^entity +status +error_message\nusers +failed /);
    assert.match(err, /failed/);
    const call = await callCli(['execute', 'users', 'list'], user);
    assert.equal(call.code, 4);
    assert.match(call.err, /\(reauth_required\)\n.*patchbay connector update --credentials/);
  });
});
