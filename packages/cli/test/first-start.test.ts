import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { callCli, callJson } from './support/call-cli.ts';
import { makeMigratedDatabase } from './support/migrated-database.ts';
import { startCli, temporaryFolder } from './support/run-cli.ts';

/** Faults of places, not of rights: they stop root as well. */
describe('a first start that cannot keep its secrets', () => {
  test('makes no application, and names the settings that choose another place', async () => {
    await using folder = await temporaryFolder();
    const dataFolder = await makeMigratedDatabase(folder.path);
    const clientFile = `${dataFolder}.client.json`;
    await mkdir(clientFile);
    const environment = { PATCHBAY_DATA: dataFolder, PORT: '0' };
    const { code, out, err } = await startCli(['start', '--no-sandbox'], environment).finished;
    assert.equal(code, 4, err);
    assert.ok(err.includes(`patchbay: Cannot write ${clientFile} (`), err);
    for (const name of ['PATCHBAY_DATA', 'PATCHBAY_CLIENT_ID', 'PATCHBAY_CLIENT_SECRET'])
      assert.ok(err.includes(name), err);
    assert.doesNotMatch(out, /ready/);
    assert.deepEqual(await callJson(['app', 'list'], databaseOf(dataFolder)), []);

    await rm(clientFile, { recursive: true });
    const again = startCli(['start', '--no-sandbox'], environment);
    await again.untilOut(clientFile);
    assert.equal((await stat(clientFile)).mode & 0o777, 0o600);
    again.process.kill('SIGTERM');
    assert.equal((await again.finished).code, 0);
  });

  test('keeps the secret of another database that is in its place', async () => {
    await using folder = await temporaryFolder();
    const dataFolder = await makeMigratedDatabase(folder.path);
    const clientFile = `${dataFolder}.client.json`;
    const earlier = '{"client_id":"of another","client_secret":"and only here"}';
    await writeFile(clientFile, earlier, { mode: 0o600 });
    const running = startCli(['start', '--no-sandbox'], { PATCHBAY_DATA: dataFolder, PORT: '0' });
    await running.untilOut(clientFile);
    running.process.kill('SIGHUP');
    const { code, err } = await running.finished;
    assert.equal(code, 0, 'SIGHUP ends it in order');
    const [kept = ''] = /\S+\.client\.json\.\S+/.exec(err) ?? assert.fail(err);
    assert.equal(await readFile(kept, 'utf8'), earlier);
    assert.equal((await stat(kept)).mode & 0o777, 0o600);
    assert.notEqual(await readFile(clientFile, 'utf8'), earlier);
  });

  test('says which setting names the data folder, where that is in no folder', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    const { code, out, err } = await callCli(['start', '--no-sandbox'], {
      PATCHBAY_DATA: join(file, 'data'),
      PORT: '0',
    });
    assert.deepEqual([code, out], [4, '']);
    assert.match(err, /^patchbay: Cannot make or enter the data folder .*\n.*PATCHBAY_DATA/);
  });

  test('says which setting names the file of the master key', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    const dataFolder = await makeMigratedDatabase(folder.path);
    const { code, err } = await startCli(['start', '--no-sandbox'], {
      PATCHBAY_DATA: dataFolder,
      PATCHBAY_MASTER_KEY_FILE: join(file, 'key'),
      PORT: '0',
    }).finished;
    assert.equal(code, 4, err);
    assert.match(err, /^patchbay: The master key file .*PATCHBAY_MASTER_KEY_FILE names another/m);
    assert.deepEqual(await callJson(['app', 'list'], databaseOf(dataFolder)), []);
  });
});

/** The settings with which a command works on the database itself, and asks no service. */
function databaseOf(dataFolder: string): Readonly<Record<string, string>> {
  return { PATCHBAY_DATA: dataFolder, PATCHBAY_BASE_URL: 'http://127.0.0.1:9' };
}
