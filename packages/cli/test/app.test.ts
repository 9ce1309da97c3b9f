import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openStore } from '@patchbay/store';
import { callCli, callJson } from './support/call-cli.ts';
import { startFakeService } from './support/fake-service.ts';
import { makeMigratedDatabase } from './support/migrated-database.ts';
import { runShell, startCli, startInTerminal, temporaryFolder } from './support/run-cli.ts';
import { OPERATOR_KEY, startCliService, type CliService } from './support/start-service.ts';

type Json = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string>>;

interface Told extends Json {
  readonly application_id: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** What a service says to a call without a token. */
const UNAUTHENTICATED = {
  type: 'https://patchbay.dev/errors/unauthenticated',
  title: 'Title',
  status: 401,
  detail: 'No token.',
  code: 'unauthenticated',
  retry: 'never',
  request_id: '01970000-0000-7000-8000-000000000000',
  message: 'No token.',
  errors: [],
};

const SECRET = /^pbs_\S{32,}$/;

describe('patchbay app, at a running service', () => {
  let cli: CliService;
  before(async () => {
    cli = await startCliService();
  });
  after(() => cli[Symbol.asyncDispose]());

  const settings = (): Environment => ({ ...cli.settings(), PATCHBAY_OPERATOR_KEY: OPERATOR_KEY });
  const call = (...args: readonly string[]) => callCli(['app', ...args], settings());
  const json = async <T = Json>(...args: readonly string[]): Promise<T> => {
    const { code, out, err } = await call(...args, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out) as T;
  };
  const make = (...args: readonly string[]) => json<Told>('create', ...args);
  const logIn = async (clientId: string, clientSecret: string): Promise<number> => {
    const url = `${cli.service.url}/api/v1/account/applications/token`;
    const body = JSON.stringify({ client_id: clientId, client_secret: clientSecret });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };

  test('create tells the secret once, on standard output alone', async () => {
    const made = await make(
      '--name=Support agent',
      '--rate-limit=600',
      '--origin=https://a.example.com',
      '--origin=https://b.example.com',
      '--return-url=https://a.example.com/back',
    );
    assert.match(made.client_secret, SECRET);
    assert.equal(await logIn(made.client_id, made.client_secret), 200);
    assert.partialDeepStrictEqual(made, {
      name: 'Support agent',
      rate_limit: 600,
      allowed_origins: ['https://a.example.com', 'https://b.example.com'],
      allowed_return_urls: ['https://a.example.com/back'],
    });
    const { out, err } = await call('create');
    assert.match(out, /^PATCHBAY_CLIENT_ID=\S+\nPATCHBAY_CLIENT_SECRET=pbs_\S{32,}\n$/);
    assert.equal(err, 'The secret is shown this once; keep it.\n');
  });

  test('list and show find it again, by either id, without its secret', async () => {
    const made = await make('--name', 'Shown', '--origin', 'https://a.example.com');
    const { client_secret: secret, ...known } = made;
    const shown = await json('show', made.client_id);
    assert.deepEqual(shown, known);
    assert.deepEqual(await json('show', made.application_id.toUpperCase()), shown);
    const { secrets, ...listed } = shown;
    assert.equal((secrets as unknown[]).length, 1);
    const all = await json<readonly Json[]>('list');
    assert.deepEqual(
      all.find((each) => each['client_id'] === made.client_id),
      listed,
    );
    const table = await call('list');
    assert.match(table.out, /^client_id +name +created_at\n/);
    const record = await call('show', made.client_id);
    for (const says of [
      'https://a.example.com',
      'rate_limit',
      (secrets as { id: string }[])[0]?.id,
    ])
      assert.ok(record.out.includes(says ?? 'a secret'), record.out);
    assert.ok(!`${table.out}${record.out}${JSON.stringify(all)}`.includes(secret));
  });

  test('update replaces the lists that are given, and leaves all else', async () => {
    const { client_id: id } = await make('--origin', 'https://a.example.com', '--rate-limit', '5');
    const urls = ['https://a.example.com/x', 'https://a.example.com/y'];
    const changed = await json(
      'update',
      id,
      '--name=New',
      '--origin=https://b.example.com',
      ...urls.map((url) => `--return-url=${url}`),
    );
    assert.partialDeepStrictEqual(changed, {
      name: 'New',
      rate_limit: 5,
      allowed_origins: ['https://b.example.com'],
      allowed_return_urls: urls,
    });
    const emptied = await json('update', id, '--no-origins', '--rate-limit', '0');
    assert.deepEqual(
      [emptied['allowed_origins'], emptied['allowed_return_urls'], emptied['rate_limit']],
      [[], urls, null],
    );
  });

  test('what the service refuses is told with its code, and ends with 3', async () => {
    const { client_id: id } = await make();
    const wrong = await call('update', id, '--origin', 'http://a.example.com', '--return-url', 'x');
    assert.deepEqual([wrong.code, wrong.out], [3, '']);
    assert.match(wrong.err, /invalid_request.*allowed_origins\.0.*allowed_return_urls\.0/s);
    for (const unknown of ['nobody', '..', '', '01970000-0000-7000-8000-000000000000']) {
      const { code, err } = await call('delete', unknown, '--yes', '--json');
      assert.equal(code, 3, err);
      assert.equal((JSON.parse(err) as { error: Json }).error['code'], 'application_not_found');
    }
  });

  test('secrets are added and removed in use, until the last', async () => {
    const made = await make();
    const id = made.client_id;
    const added = await json<{ id: string; client_secret: string }>('secrets', 'add', id);
    assert.match(added.client_secret, SECRET);
    const secrets = await json<readonly { id: string }[]>('secrets', 'list', id);
    assert.deepEqual([secrets.length, secrets[1]?.id], [2, added.id]);
    assert.ok(!JSON.stringify(secrets).includes(added.client_secret));
    const first = secrets[0]?.id ?? '';
    const unasked = await call('secrets', 'remove', id, first);
    assert.deepEqual([unasked.code, /give --yes/.test(unasked.err)], [2, true]);
    assert.equal(await logIn(id, made.client_secret), 200);
    assert.deepEqual(await json('secrets', 'remove', id, first, '--yes'), { id: first });
    assert.deepEqual(
      [await logIn(id, made.client_secret), await logIn(id, added.client_secret)],
      [401, 200],
    );
    for (const foreign of [first, '..', '', '../..']) {
      const { code, err } = await call('secrets', 'remove', id, foreign, '--yes');
      assert.deepEqual([code, /has no secret .*; it has [0-9a-f-]{36}\.\n/.test(err)], [2, true]);
    }
    const last = await call('secrets', 'remove', id, added.id, '--yes');
    assert.deepEqual([last.code, /\(last_secret\)/.test(last.err)], [3, true]);
    const again = await call('secrets', 'add', id);
    assert.match(again.out, /^PATCHBAY_CLIENT_ID=\S+\nPATCHBAY_CLIENT_SECRET=pbs_\S{32,}\n$/);
    assert.match(again.err, /shown this once; keep it\. Its id is [0-9a-f-]{36}\.\n$/);
  });

  test('delete asks, and ends an application with its connectors', async () => {
    const made = await make('--name', 'Doomed');
    const environment = {
      ...cli.settings(),
      PATCHBAY_CLIENT_ID: made.client_id,
      PATCHBAY_CLIENT_SECRET: made.client_secret,
    };
    await cli.createSlack(environment);
    const unasked = await call('delete', made.client_id);
    assert.deepEqual([unasked.code, /give --yes/.test(unasked.err)], [2, true]);
    const asked = startInTerminal(['app', 'delete', made.client_id], settings());
    await asked.untilOut('Delete the application "Doomed"');
    asked.type('n\r');
    assert.match((await asked.finished).out, /Nothing was changed/);
    assert.equal(await logIn(made.client_id, made.client_secret), 200);
    const deleted = await json('delete', made.client_id, '--yes');
    assert.match(String(deleted['job_id']), /^[0-9a-f-]{36}$/);
    assert.equal(deleted['client_id'], made.client_id);
    assert.equal(await logIn(made.client_id, made.client_secret), 401);
    assert.equal((await call('show', made.client_id)).code, 3);
  });

  test('a wrong key is an error that says which, never another way', async () => {
    await using folder = await temporaryFolder();
    const PATCHBAY_DATA = join(folder.path, 'data');
    const wrong = 'wrong-key-of-somebody-who-has-another';
    for (const args of [['list'], ['create'], ['show', 'x']]) {
      const environment = { ...settings(), PATCHBAY_OPERATOR_KEY: wrong, PATCHBAY_DATA };
      const { code, out, err } = await callCli(['app', ...args], environment);
      assert.deepEqual([code, out], [4, '']);
      assert.match(err, /refuses the operator's key of PATCHBAY_OPERATOR_KEY; nothing was done/);
      assert.ok(!err.includes(wrong));
      assert.ok(err.includes(cli.service.url));
    }
    await writeFile(`${PATCHBAY_DATA}.operator.key`, `${wrong}\n`, { mode: 0o600 });
    await using _ = await openStore({ dataFolder: await makeMigratedDatabase(folder.path) });
    const local = { PATCHBAY_DATA, PATCHBAY_BASE_URL: cli.service.url };
    const { code, err } = await callCli(['app', 'list', '--json'], local);
    assert.equal(code, 4);
    const { error } = JSON.parse(err) as { error: Json };
    assert.equal(error['code'], 'operator_key_unusable');
    assert.ok(String(error['message']).includes(`${PATCHBAY_DATA}.operator.key`));
  });

  test('the key may come from a file, and the address from a flag', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'key');
    await writeFile(path, `${OPERATOR_KEY}\n`, { mode: 0o600 });
    const environment = { PATCHBAY_OPERATOR_KEY_FILE: path, PATCHBAY_DATA: join(folder.path, 'd') };
    const args = ['app', 'list', '--base-url', cli.service.url];
    assert.ok((await callJson<readonly Json[]>(args, environment)).length > 0);
    await chmod(path, 0o644);
    const warned = await callCli(args, environment);
    assert.deepEqual([warned.code, /^Warning: .*chmod 600/.test(warned.err)], [0, true]);
    const both = await callCli(args, { ...environment, PATCHBAY_OPERATOR_KEY: OPERATOR_KEY });
    assert.deepEqual([both.code, /exclude each other/.test(both.err)], [2, true]);
  });
});

describe('which way patchbay app takes', () => {
  test('without a key it is the database, also where an address is known', async () => {
    await using folder = await temporaryFolder();
    await using service = await startFakeService(() => assert.fail('it was asked'));
    const PATCHBAY_DATA = await makeMigratedDatabase(folder.path);
    const environment = { PATCHBAY_DATA, PATCHBAY_BASE_URL: service.url };
    assert.deepEqual(await callJson(['app', 'list'], environment), []);
    const shown = await callCli(['app', 'show', 'x'], environment);
    assert.deepEqual([shown.code, shown.err.includes(service.url)], [2, true]);
  });

  test('with the key of a start here it is the database where no service answers', async () => {
    await using folder = await temporaryFolder();
    const PATCHBAY_DATA = await makeMigratedDatabase(folder.path);
    await writeFile(`${PATCHBAY_DATA}.operator.key`, OPERATOR_KEY, { mode: 0o600 });
    const keys: unknown[] = [];
    await using other = await startFakeService((request, response) => {
      keys.push(request.headers.authorization);
      response.end('{"status":"ok"}');
    });
    for (const PATCHBAY_BASE_URL of ['http://127.0.0.1:9', other.url]) {
      const environment = { PATCHBAY_DATA, PATCHBAY_BASE_URL };
      await using _ = await openStore({ dataFolder: PATCHBAY_DATA });
      const { code, err } = await callCli(['app', 'list'], environment);
      const note = `No service answers at ${PATCHBAY_BASE_URL}: working on the database itself.\n`;
      assert.deepEqual([code, err.startsWith(note)], [4, true], err);
      assert.match(err, /is in use by another Patchbay process/);
      const shown = await callCli(['app', 'show', 'x'], environment);
      assert.deepEqual([shown.code, shown.out], [7, '']);
      assert.match(shown.err, /^patchbay: No service answers at /);
    }
    // Another program is asked who it is, and told no key.
    assert.deepEqual(keys, [undefined, undefined]);
  });

  test('with the key of a start here nobody is asked while no process has the folder open', async () => {
    await using folder = await temporaryFolder();
    const PATCHBAY_DATA = await makeMigratedDatabase(folder.path);
    await writeFile(`${PATCHBAY_DATA}.operator.key`, OPERATOR_KEY, { mode: 0o600 });
    const keys: unknown[] = [];
    // Whoever got the port first can answer as a service does.
    await using other = await startFakeService(({ headers }, response) => {
      keys.push(headers.authorization);
      response.writeHead(401).end(JSON.stringify(UNAUTHENTICATED));
    });
    const environment = { PATCHBAY_DATA, PATCHBAY_BASE_URL: other.url };
    const nobody = `No process has the data folder ${PATCHBAY_DATA} open`;
    const { code, err } = await callCli(['app', 'list'], environment);
    const note = `${nobody}: working on the database itself.\n`;
    assert.deepEqual([code, err], [0, `${note}There is no application yet.\n`]);
    for (const args of [
      ['app', 'show', 'x'],
      ['app', 'list', '--base-url', other.url],
      ['keys', 'status'],
    ]) {
      const refused = await callCli(args, environment);
      assert.deepEqual([refused.code, refused.out], [7, '']);
      assert.ok(refused.err.startsWith(`patchbay: ${nobody}. The operator's key in `), refused.err);
    }
    assert.deepEqual(keys, []);
    // While one has, it is the service that is asked.
    await using _ = await openStore({ dataFolder: PATCHBAY_DATA });
    assert.equal((await callCli(['app', 'show', 'x'], environment)).code, 4);
    assert.deepEqual(keys, [undefined, `Bearer ${OPERATOR_KEY}`]);
  });

  test('the key of a start here is sent to this machine alone', async () => {
    await using folder = await temporaryFolder();
    const PATCHBAY_DATA = await makeMigratedDatabase(folder.path);
    await writeFile(`${PATCHBAY_DATA}.operator.key`, OPERATOR_KEY, { mode: 0o600 });
    const PATCHBAY_BASE_URL = 'http://127.0.0.1.invalid';
    const environment = { PATCHBAY_DATA, PATCHBAY_BASE_URL };
    assert.deepEqual(await callJson(['app', 'list'], environment), []);
    for (const args of [
      ['show', 'x'],
      ['list', '--base-url', PATCHBAY_BASE_URL],
    ]) {
      const { code, err } = await callCli(['app', ...args], environment);
      assert.deepEqual(
        [code, /is not sent to http:\/\/127\.0\.0\.1\.invalid/.test(err)],
        [2, true],
      );
    }
    // With DATABASE_URL a service would not take that file either.
    const elsewhere = { ...environment, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' };
    const { code, err } = await callCli(
      ['app', 'list', '--base-url', 'http://127.0.0.1:9'],
      elsewhere,
    );
    assert.deepEqual([code, /set PATCHBAY_OPERATOR_KEY/.test(err)], [2, true]);
  });

  test('a key and an address that were given mean that service, answering or not', async () => {
    await using folder = await temporaryFolder();
    const PATCHBAY_DATA = await makeMigratedDatabase(folder.path);
    const PATCHBAY_OPERATOR_KEY = OPERATOR_KEY;
    const given = { PATCHBAY_DATA, PATCHBAY_OPERATOR_KEY };
    const PATCHBAY_BASE_URL = 'http://127.0.0.1:9';
    const down = await callCli(['app', 'create'], { ...given, PATCHBAY_BASE_URL });
    assert.deepEqual([down.code, /\(not_ready\)/.test(down.err)], [7, true]);
    // Where the service here would be, nobody answers.
    const here = await callJson(['app', 'list'], { ...given, PORT: '9' });
    assert.deepEqual(here, []);
  });

  test('an answer of something else is an error that repeats no key, and no redirect is followed', async () => {
    await using folder = await temporaryFolder();
    const PATCHBAY_DATA = join(folder.path, 'data');
    await mkdir(PATCHBAY_DATA);
    const paths: unknown[] = [];
    await using service = await startFakeService((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' });
      response.end(request.headers.authorization);
    });
    const environment = {
      PATCHBAY_DATA,
      PATCHBAY_OPERATOR_KEY: OPERATOR_KEY,
      PATCHBAY_BASE_URL: service.url,
    };
    const { code, err } = await callCli(['app', 'list'], environment);
    assert.deepEqual([code, /HTTP 302, not as a Patchbay service does/.test(err)], [3, true]);
    assert.ok(!err.includes(OPERATOR_KEY));
    assert.deepEqual(paths, ['/v1/applications']);
  });

  test('what a service calls an application and its secret, a shell never runs', async () => {
    const id = '01970000-0000-7000-8000-000000000000';
    const application = {
      id,
      client_id: "x'; echo ran; '",
      name: 'Odd',
      organization_id: id,
      allowed_origins: [],
      allowed_return_urls: [],
      rate_limit: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      revoked_at: null,
      secrets: [],
    };
    const added = { id, created_at: application.created_at, client_secret: '$(echo ran)' };
    await using service = await startFakeService(({ method, url = '' }, response) => {
      const made = method === 'POST' ? { ...application, ...added } : application;
      const isPage = method === 'GET' && !url.endsWith(id);
      response.end(JSON.stringify(isPage ? { data: [application], next: null } : made));
    });
    const environment = {
      PATCHBAY_OPERATOR_KEY: OPERATOR_KEY,
      PATCHBAY_BASE_URL: service.url,
    };
    for (const args of [['create'], ['secrets', 'add', id]]) {
      const { code, out, err } = await callCli(['app', ...args], environment);
      assert.equal(code, 0, err);
      const lines = `${out}printf '%s %s' "$PATCHBAY_CLIENT_ID" "$PATCHBAY_CLIENT_SECRET"`;
      const told = await runShell(lines);
      assert.equal(told.out, `${application.client_id} ${added.client_secret}`);
    }
  });

  test('Ctrl-C ends a call that nobody answers, and says how to find out', async () => {
    const asked = Promise.withResolvers<void>();
    await using service = await startFakeService(() => asked.resolve());
    const running = startCli(['app', 'create'], {
      PATCHBAY_OPERATOR_KEY: OPERATOR_KEY,
      PATCHBAY_BASE_URL: service.url,
    });
    await asked.promise;
    running.process.kill('SIGINT');
    const says = 'patchbay: `patchbay app list` tells what there is now.\n';
    assert.deepEqual(await running.finished, { code: 130, out: '', err: says });
  });

  test('a creation whose answer was lost is asked for again with the same key', async () => {
    await using cli = await startCliService();
    const keys: unknown[] = [];
    await using proxy = await startFakeService(async (request, response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk as Uint8Array);
      const key = String(request.headers['idempotency-key']);
      keys.push(key);
      const answer = await fetch(cli.service.url + (request.url ?? ''), {
        method: request.method ?? '',
        headers: {
          'content-type': 'application/json',
          authorization: request.headers.authorization ?? '',
          'idempotency-key': key,
        },
        body: Buffer.concat(chunks),
      });
      const text = await answer.text();
      if (keys.length === 1) response.destroy();
      else response.writeHead(answer.status).end(text);
    });
    const common = { ...cli.settings(), PATCHBAY_OPERATOR_KEY: OPERATOR_KEY };
    const made = await callCli(['app', 'create', '--name', 'Lost and found', '--json'], {
      ...common,
      PATCHBAY_BASE_URL: proxy.url,
    });
    assert.equal(made.code, 0, made.err);
    assert.match((JSON.parse(made.out) as Told).client_secret, SECRET);
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
    const all = await callJson<readonly Json[]>(['app', 'list'], common);
    assert.equal(all.filter(({ name }) => name === 'Lost and found').length, 1);
  });
});
