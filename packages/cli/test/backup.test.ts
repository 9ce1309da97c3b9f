import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SERVER } from '@patchbay/store/testing';
import { callCli } from './support/call-cli.ts';
import { makeMigratedDatabase } from './support/migrated-database.ts';
import { startCli, temporaryFolder } from './support/run-cli.ts';

type Environment = Readonly<Record<string, string>>;

const CLIENT = {
  PATCHBAY_CLIENT_ID: 'client-of-the-backup-tests',
  PATCHBAY_CLIENT_SECRET: 'secret-of-the-backup-tests-of-the-cli',
};

/** A folder with a database, and `patchbay` processes that work in it. */
async function makePlace() {
  const folder = await temporaryFolder();
  const dataFolder = await makeMigratedDatabase(folder.path);
  const environment = {
    PATCHBAY_DATA: dataFolder,
    PATCHBAY_LOG_LEVEL: 'silent',
    PATCHBAY_SANDBOX: 'off',
    // Nobody is there.
    PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE: 'http://127.0.0.1:9',
    XDG_CONFIG_HOME: folder.path,
    PORT: '0',
    ...CLIENT,
  };
  return {
    dataFolder,
    environment,
    at: (name: string) => join(folder.path, name),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** A service that ends with the block that uses it. */
interface RunningService extends AsyncDisposable {
  readonly url: string;
  /** Ends it in order, and gives what it has said on standard error. */
  stop(): Promise<string>;
}

async function startService(environment: Environment): Promise<RunningService> {
  const cli = startCli(['start'], environment);
  const said = await cli.untilOut('/docs)');
  const [url = ''] = /http:\/\/[\d.:]+/.exec(said) ?? [];
  const stop = async () => {
    cli.process.kill('SIGTERM');
    return (await cli.finished).err;
  };
  return {
    url,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

async function logIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/account/applications/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: CLIENT.PATCHBAY_CLIENT_ID,
      client_secret: CLIENT.PATCHBAY_CLIENT_SECRET,
    }),
  });
  assert.equal(response.status, 200);
  return ((await response.json()) as { readonly access_token: string }).access_token;
}

function call(url: string, token: string, path = '', body?: object): Promise<Response> {
  return fetch(`${url}/v1/integrations/connectors${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const SLACK = {
  external_user_id: 'user-1',
  connector_type: 'slack',
  name: 'Team chat',
  credentials: { api_token: 'xoxb-test' },
  replication_config: {
    start_date: '2026-01-01T00:00:00Z',
    lookback_window: 0,
    join_channels: false,
  },
};

describe('backup and restore', () => {
  test('of a running service, over a later one: connectors are back, tokens are not', async () => {
    await using place = await makePlace();
    const { environment, dataFolder } = place;
    await using service = await startService(environment);
    const token = await logIn(service.url);
    const created = await call(service.url, token, '', SLACK);
    assert.equal(created.status, 201, await created.clone().text());
    const { id } = (await created.json()) as { readonly id: string };
    const file = place.at('one.backup');
    const operator = { ...environment, PATCHBAY_BASE_URL: service.url };
    const made = await callCli(['backup', file], operator);
    assert.equal(made.code, 0, made.err);
    assert.match(made.err, /1 application, 1 connector, 0 copied records, as of /);
    assert.match(made.err, /The master key is not in it/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const again = await callCli(['backup', file], operator);
    assert.deepEqual([again.code, /--force/.test(again.err)], [2, true]);
    assert.equal((await callCli(['backup', file, '--force'], operator)).code, 0);
    const held = await callCli(['restore', file, '--force'], environment);
    assert.deepEqual([held.code, /is in use by another/.test(held.err)], [4, true]);
    await service.stop();
    const kept = await callCli(['restore', file], environment);
    assert.deepEqual([kept.code, /There is a database/.test(kept.err)], [4, true]);

    const restored = await callCli(['restore', file, '--force'], environment);
    assert.equal(restored.code, 0, restored.err);
    assert.match(restored.err, /Restored 1 application, 1 connector.*\(\d+ minutes? ago\)/);
    await using later = await startService(environment);
    assert.equal((await call(later.url, token)).status, 401);
    const found = await call(later.url, await logIn(later.url), `/${id}`);
    assert.equal(found.status, 200);
    await later.stop();

    // The key is another one: nothing is replaced.
    const key = `${dataFolder}.key`;
    const right = readFileSync(key);
    writeFileSync(key, Buffer.alloc(32, 1).toString('base64'));
    const wrong = await callCli(['restore', file, '--force'], environment);
    assert.deepEqual([wrong.code, /The master key is not the one/.test(wrong.err)], [4, true]);
    await rm(key);
    const without = await callCli(['restore', file, '--force', '--json'], environment);
    assert.deepEqual([without.code, /"master_key_unusable"/.test(without.err)], [4, true]);
    assert.ok(!existsSync(key), 'no key is made');
    writeFileSync(key, right, { mode: 0o600 });
    await (await startService(environment)).stop();
  });

  test('without a service, from the folder itself; where there is none, nothing is made', async () => {
    await using place = await makePlace();
    const { environment } = place;
    const file = place.at('one.backup');
    const { code, out, err } = await callCli(['backup', file, '--json'], environment);
    assert.equal(code, 0, err);
    assert.partialDeepStrictEqual(JSON.parse(out), { file, applications: 0, connectors: 0 });
    const nowhere = { ...environment, PATCHBAY_DATA: place.at('nowhere') };
    const none = await callCli(['backup', place.at('two.backup')], nowhere);
    assert.deepEqual([none.code, /There is no database in/.test(none.err)], [2, true]);
    // A way that ends nowhere is as closed as a folder of somebody else.
    await symlink('closed', place.at('closed'));
    const closed = { ...environment, PATCHBAY_DATA: place.at('closed') };
    const unseen = await callCli(['backup', place.at('two.backup')], closed);
    assert.equal(unseen.code, 4);
    assert.match(
      unseen.err,
      /Cannot look into the data folder .*: run this as the user that it belongs to/,
    );
    const piped = await callCli(['backup', '-'], environment);
    assert.deepEqual([piped.code, /not to standard output/.test(piped.err)], [2, true]);
    assert.ok(!existsSync(place.at('nowhere')) && !existsSync(place.at('two.backup')));
    const unreadable = await callCli(['restore', place.at('two.backup')], environment);
    assert.deepEqual([unreadable.code, /Cannot read/.test(unreadable.err)], [2, true]);
    const folder = await callCli(['restore', place.at('.')], environment);
    assert.deepEqual([folder.code, /is a folder; name the file/.test(folder.err)], [2, true]);
  });

  test('a backup replaces files alone: through a link, and never a device or a folder', async () => {
    await using place = await makePlace();
    const { environment } = place;
    await writeFile(place.at('real.backup'), 'the one before');
    await symlink(place.at('real.backup'), place.at('link'));
    await symlink(place.at('nowhere'), place.at('dangling'));
    execFileSync('mkfifo', [place.at('pipe')]);
    const refused = [
      [place.at('pipe'), /no ordinary file/],
      [place.at('.'), /is a folder/],
      [place.at('dangling'), /leads to nothing/],
    ] as const;
    for (const [file, told] of refused) {
      const { code, err } = await callCli(['backup', file, '--force'], environment);
      assert.deepEqual([code, told.test(err)], [2, true], err);
    }
    const { code, err } = await callCli(['backup', place.at('link'), '--force'], environment);
    assert.equal(code, 0, err);
    assert.equal(await readlink(place.at('link')), place.at('real.backup'));
    assert.notEqual(readFileSync(place.at('real.backup'), 'utf8'), 'the one before');
    const piped = await callCli(['restore', place.at('pipe')], environment);
    assert.deepEqual([piped.code, /save it as one/.test(piped.err)], [2, true]);
  });

  test('an answer that breaks off leaves no file', async () => {
    await using place = await makePlace();
    const file = place.at('one.backup');
    await callCli(['backup', file], place.environment);
    const bytes = readFileSync(file);
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Proof: it listens on a port.
    const { port } = server.address() as { readonly port: number };
    const environment = {
      ...place.environment,
      PATCHBAY_BASE_URL: `http://127.0.0.1:${port}`,
      PATCHBAY_OPERATOR_KEY: 'operator-key-of-the-cli-backup-tests',
    };
    const cut = await callCli(['backup', place.at('two.backup')], environment);
    assert.deepEqual([cut.code, /gave no whole answer\./.test(cut.err)], [7, true]);
    assert.ok(!existsSync(place.at('two.backup')));
    server.close();
  });
});

describe('move', { skip: SERVER.skip }, () => {
  test('tokens, connectors and keys go on at the server; the folder opens no more', async () => {
    await using place = await makePlace();
    const { environment, dataFolder } = place;
    const target = await SERVER.make();
    const databaseUrl = target.options.databaseUrl ?? '';
    try {
      await using service = await startService(environment);
      const token = await logIn(service.url);
      const created = await call(service.url, token, '', SLACK);
      const { id } = (await created.json()) as { readonly id: string };
      const running = await callCli(['move', '--to', databaseUrl], environment);
      assert.deepEqual([running.code, /is in use by another/.test(running.err)], [4, true]);
      await service.stop();

      const moved = await callCli(['move', '--to', databaseUrl], environment);
      assert.equal(moved.code, 0, moved.err);
      assert.match(moved.err, /Moved 1 application, 1 connector, .* tables are the same there\./);
      assert.deepEqual(moved.out.split('\n'), [
        `PATCHBAY_MASTER_KEY_FILE=${dataFolder}.key`,
        `PATCHBAY_OPERATOR_KEY_FILE=${dataFolder}.operator.key`,
        '',
      ]);
      const repeated = await callCli(['move', '--to', databaseUrl, '--json'], environment);
      assert.equal(repeated.code, 0, repeated.err);
      assert.partialDeepStrictEqual(JSON.parse(repeated.out), { was_copied: true });
      const there = {
        ...environment,
        DATABASE_URL: databaseUrl,
        PATCHBAY_MASTER_KEY_FILE: `${dataFolder}.key`,
        PATCHBAY_OPERATOR_KEY_FILE: `${dataFolder}.operator.key`,
      };
      await using later = await startService(there);
      assert.equal((await call(later.url, token, `/${id}`)).status, 200);
      const err = await later.stop();
      assert.ok(!err.includes('embedded database'), err);
      const old = await startCli(['start'], environment).finished;
      assert.equal(old.code, 4);
      assert.match(old.err, /was moved to PostgreSQL at .*set DATABASE_URL/);
    } finally {
      await target.remove();
    }
  });

  test('a start beside a folder that was not moved says so', async () => {
    await using place = await makePlace();
    const target = await SERVER.make();
    try {
      await using service = await startService({
        ...place.environment,
        DATABASE_URL: target.options.databaseUrl ?? '',
        PATCHBAY_MASTER_KEY: Buffer.alloc(32, 7).toString('hex'),
      });
      const err = await service.stop();
      // Of a database, its name says most: a URL that names none has that of its user.
      const migrated = await callCli(['migrate'], {
        DATABASE_URL: target.options.databaseUrl ?? '',
      });
      assert.match(
        migrated.err,
        /^The schema in PostgreSQL at [\d.]+:\d+, database "[^"]+", user "postgres" was up to date\.$/m,
      );
      assert.match(
        err,
        /Warning: There is an embedded database in .*not used: DATABASE_URL is set/,
      );
    } finally {
      await target.remove();
    }
  });
});
