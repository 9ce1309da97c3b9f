import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { leaveLogin } from './left-login.ts';
import { writeProfile, type Profile } from './profile-file.ts';
import { resolveSettings } from './service-settings.ts';

/** A login as the start of a service with that data folder leaves it. */
function loginOf(dataFolder: string, port = 8080, clientId = `client-${dataFolder}`) {
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    clientId,
    clientSecret: `secret-of-${clientId}`,
    externalUserId: 'demo-user',
    dataFolder,
  };
}

describe('the login that a start leaves', () => {
  let folder: string;
  let environment: Readonly<Record<string, string>>;
  let count = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patchbay-left-login-'));
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(() => {
    environment = { XDG_CONFIG_HOME: join(folder, `config-${++count}`) };
  });

  const leave = (login: ReturnType<typeof loginOf>, mayCreate = true) =>
    leaveLogin(login, { environment, mayCreate })?.name;
  const byHand: Profile = {
    baseUrl: 'https://patchbay.example.com',
    clientId: 'mine',
    clientSecret: 'a secret of mine',
    externalUserId: 'alice',
  };
  const filesOf = () => readdir(join(environment['XDG_CONFIG_HOME'] ?? '', 'patchbay'));
  const used = (more: Readonly<Record<string, string>> = {}) =>
    resolveSettings({}, { ...environment, ...more }).clientId;

  test('is called local, and its owner alone can read it', async () => {
    const left = leaveLogin(loginOf('/a'), { environment, mayCreate: true });
    assert.equal(left?.name, 'local');
    assert.equal((await stat(left.path)).mode & 0o777, 0o600);
    assert.deepEqual(await filesOf(), ['local.json']);
  });

  test('follows its service to another port and a new database', async () => {
    leave(loginOf('/a'));
    assert.equal(leave(loginOf('/a', 9000, 'new')), 'local');
    assert.deepEqual(await filesOf(), ['local.json']);
    assert.deepEqual(resolveSettings({}, environment), {
      baseUrl: 'http://127.0.0.1:9000',
      clientId: 'new',
      clientSecret: 'secret-of-new',
      externalUserId: 'demo-user',
    });
  });

  test('has to be its owner’s alone where it is meant, and no other one', async () => {
    const own = leaveLogin(loginOf('/a'), { environment, mayCreate: true });
    const other = leaveLogin(loginOf('/b'), { environment, mayCreate: true });
    assert.ok(own !== undefined && other !== undefined);
    await chmod(other.path, 0o644);
    assert.equal(used({ PATCHBAY_DATA: '/a' }), 'client-/a');
    assert.throws(() => used({ PATCHBAY_DATA: '/b' }), { message: /has mode 0644/ });
  });

  test('takes no name of another service, nor of a login by hand', async () => {
    writeProfile('local', byHand, environment);
    assert.deepEqual(
      [leave(loginOf('/a')), leave(loginOf('/b')), leave(loginOf('/a'))],
      ['local-2', 'local-3', 'local-2'],
    );
    assert.equal(resolveSettings({ profile: 'local' }, environment).clientId, 'mine');
    assert.equal(resolveSettings({ profile: 'local-3' }, environment).clientId, 'client-/b');
    const files = await filesOf();
    assert.deepEqual(files.toSorted(), ['local-2.json', 'local-3.json', 'local.json']);
  });

  test('is made only where it may be, and brought up to date everywhere', async () => {
    assert.equal(leave(loginOf('/a'), false), undefined);
    leave(loginOf('/a'));
    assert.equal(leave(loginOf('/a', 9000), false), 'local');
    const path = join(environment['XDG_CONFIG_HOME'] ?? '', 'patchbay', 'local.json');
    assert.match(await readFile(path, 'utf8'), /"base_url": "http:\/\/127\.0\.0\.1:9000"/);
  });

  test('counts after default, and not where something else says which service', () => {
    leave(loginOf('/a'));
    assert.equal(used(), 'client-/a');
    for (const name of ['PATCHBAY_BASE_URL', 'PATCHBAY_CLIENT_ID', 'PATCHBAY_CLIENT_SECRET'])
      assert.throws(() => used({ [name]: 'https://elsewhere.example.com' }), /Which application/);
    assert.throws(
      () => resolveSettings({ baseUrl: 'https://elsewhere.example.com' }, environment),
      /Which application/,
    );
    writeProfile('default', byHand, environment);
    assert.equal(used(), 'mine');
  });

  test('counts after what was started in the folder of the command', async () => {
    leave(loginOf('/a'));
    leave(loginOf(join(folder, 'b')));
    assert.equal(used({ PATCHBAY_DATA: join(folder, 'b') }), `client-${join(folder, 'b')}`);
    const file = { client_id: 'of this folder', client_secret: 'x' };
    await writeFile(join(folder, 'c.client.json'), JSON.stringify(file));
    assert.equal(used({ PATCHBAY_DATA: join(folder, 'c') }), 'of this folder');
  });

  test('of a service that is still there counts before one of a folder that has gone', async () => {
    const kept = join(folder, 'kept');
    await mkdir(kept);
    leave(loginOf(join(folder, 'gone')));
    leave(loginOf(kept));
    assert.equal(used(), `client-${kept}`);
  });
});
