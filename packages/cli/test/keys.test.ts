import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { callCli } from './support/call-cli.ts';
import { startFakeService } from './support/fake-service.ts';
import { makeMigratedDatabase } from './support/migrated-database.ts';
import { startCli, temporaryFolder } from './support/run-cli.ts';

type Environment = Readonly<Record<string, string>>;

test('a master key is rotated in four steps, and the old one is not needed afterwards', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const PATCHBAY_DATA = await makeMigratedDatabase(folder.path);
  const environment = {
    PATCHBAY_DATA,
    PATCHBAY_LOG_LEVEL: 'silent',
    PATCHBAY_SANDBOX: 'off',
    XDG_CONFIG_HOME: folder.path,
    PORT: '0',
  };
  const keyFile = `${PATCHBAY_DATA}.key`;
  {
    await using service = await startService(environment);
    const one = await service.call('keys', 'status');
    assert.match(one.out, /^master +[0-9a-f]{16} +in force +\d+$/m);
    assert.match(one.err, /no master key before it is needed/);
    const nothing = await service.call('keys', 'rotate');
    assert.deepEqual([nothing.code, nothing.out], [0, '']);
    assert.match(
      nothing.err,
      /^There was nothing to do: everything is sealed with [0-9a-f]{16}, the key in force, .* give it to every process first/,
    );
    const made = await service.call('keys', 'rotate', '--signing', '--json');
    const { id } = JSON.parse(made.out) as { readonly id: string };
    const ended = await service.call('keys', 'rotate', '--revoke-tokens');
    assert.match(ended.err, /All tokens from before are refused within 1 s/);
    const { signing_keys: signing } = await service.status();
    assert.equal(signing.length, 1);
    assert.ok(signing[0]?.id !== id && signing[0]?.signs === true);
  }

  const newFile = at('new.key');
  await writeFile(newFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  const newAlone = { ...environment, PATCHBAY_MASTER_KEY_FILE: newFile };
  const refused = await startCli(['start'], newAlone).finished;
  assert.match(refused.err, /sealed with, [0-9a-f]{16}, .*PATCHBAY_OLD_MASTER_KEY beside the new/);
  {
    await using service = await startService({
      ...newAlone,
      PATCHBAY_OLD_MASTER_KEY_FILE: keyFile,
    });
    const before = await service.call('keys', 'status');
    assert.match(before.err, /patchbay keys rotate/);
    assert.deepEqual(
      (await service.status()).master_keys.map((key) => key.in_force),
      [false, true],
    );
    const done = await service.call('keys', 'rotate');
    assert.equal(done.code, 0, done.err);
    assert.match(done.err, /^Sealed \d+ values with [0-9a-f]{16}, which is in force/m);
    const [now, old] = (await service.status()).master_keys;
    assert.deepEqual([now?.in_force, old?.in_force, old?.sealed], [true, false, 0]);
    const backup = await service.call('backup', at('after.backup'));
    assert.equal(backup.code, 0, backup.err);
  }
  await rename(keyFile, at('old.key'));
  await rename(newFile, keyFile);
  {
    await using service = await startService(environment);
    assert.equal((await service.status()).master_keys.length, 1);
  }
  const restore = ['restore', at('after.backup'), '--force'];
  const wrong = { ...environment, PATCHBAY_MASTER_KEY_FILE: at('old.key') };
  assert.match((await callCli(restore, wrong)).err, /not the one that this database was sealed/);
  assert.equal((await callCli(restore, environment)).code, 0);
  await rm(at('old.key'));
});

test('a service that dies in the middle of a rotation: the command says that it can be repeated', async () => {
  let steps = 0;
  await using service = await startFakeService((request, response) => {
    if (steps > 0) return void request.socket.destroy();
    steps += 1;
    const step = { key: '0123456789abcdef', resealed: 5, left: 5, lacked_by: 0, unreadable: 0 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(step));
  });
  const { code, err } = await callCli(['keys', 'rotate'], {
    PATCHBAY_OPERATOR_KEY: 'a-key-that-the-tests-made-up-themselves',
    PATCHBAY_BASE_URL: service.url,
  });
  assert.deepEqual([code, steps], [7, 1]);
  assert.match(err, /^Some values may be sealed .*: keep both keys, and run this again/m);
});

interface Status {
  readonly master_keys: readonly { readonly in_force: boolean; readonly sealed: number }[];
  readonly signing_keys: readonly { readonly id: string; readonly signs: boolean }[];
}

/** A service, with the commands of its operator. */
async function startService(environment: Environment) {
  const cli = startCli(['start'], environment);
  const said = await cli.untilOut('/docs)');
  const [url = ''] = /http:\/\/[\d.:]+/.exec(said) ?? [];
  const call = (...args: readonly string[]) =>
    callCli(args, { ...environment, PATCHBAY_BASE_URL: url });
  return {
    call,
    status: async () => JSON.parse((await call('keys', 'status', '--json')).out) as Status,
    [Symbol.asyncDispose]: async () => {
      cli.process.kill('SIGTERM');
      await cli.finished;
    },
  };
}
