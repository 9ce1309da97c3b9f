import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadKeyFile } from './key-file.ts';
import { loadMasterKey } from './load-master-key.ts';
import { parseMasterKey } from './master-key.ts';
import { Vault } from './vault.ts';

const KEY = new Uint8Array(32).fill(1);

test('what is sealed opens for its owner alone, with the same key', async () => {
  const vault = new Vault(KEY);
  const sealed = await vault.seal('connector:a', 'a secret');
  assert.ok(!sealed.includes('secret'));
  assert.equal(await vault.open('connector:a', sealed), 'a secret');
  await assert.rejects(vault.open('connector:b', sealed), /another owner/);
  await assert.rejects(new Vault(new Uint8Array(32).fill(2)).open('connector:a', sealed));
  const [header = '', ...rest] = sealed.split('.');
  const parsed = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
  assert.equal(Reflect.get(parsed, 'alg'), 'A256GCMKW');
  assert.equal(Reflect.get(parsed, 'enc'), 'A256GCM');
  const moved = Buffer.from(JSON.stringify({ ...parsed, owner: 'connector:b' }));
  const forged = [moved.toString('base64url'), ...rest].join('.');
  await assert.rejects(vault.open('connector:b', forged));
});

test('a digest is the same for the same secret of the same owner, under the same key alone', () => {
  const vault = new Vault(KEY);
  const digest = vault.digest('connector:a', 'a secret');
  assert.equal(digest, new Vault(KEY).digest('connector:a', 'a secret'));
  const others = [
    vault.digest('connector:b', 'a secret'),
    vault.digest('connector:a', 'another'),
    new Vault(new Uint8Array(32).fill(2)).digest('connector:a', 'a secret'),
    createHmac('sha256', KEY).update('connector:a\na secret').digest('base64url'),
  ];
  assert.equal(new Set([digest, ...others]).size, 5);
});

test('a master key is 32 bytes in base64 or hex, or made of a passphrase', () => {
  const bytes = Buffer.alloc(32, 0xab);
  for (const form of ['hex', 'base64', 'base64url'] as const)
    assert.deepEqual(Buffer.from(parseMasterKey(` ${bytes.toString(form)}\n`) ?? []), bytes);
  const passphrase = 'correct horse battery staple, and more';
  assert.equal(parseMasterKey(passphrase)?.length, 32);
  assert.deepEqual(parseMasterKey(passphrase), parseMasterKey(passphrase));
  assert.notDeepEqual(parseMasterKey(passphrase), parseMasterKey(`${passphrase}!`));
  for (const short of ['', 'short', bytes.subarray(0, 16).toString('base64'), 'x'.repeat(31)])
    assert.equal(parseMasterKey(short), undefined);
});

test('a key file is made once, for the owner alone, and read from then on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  const path = join(folder, 'deeper', 'data.key');
  await assert.rejects(loadKeyFile(path, { mayCreate: false }), /is missing/);
  const [first, second] = await Promise.all([
    loadKeyFile(path, { mayCreate: true }),
    loadKeyFile(path, { mayCreate: true }),
  ]);
  assert.deepEqual(Buffer.from(first), Buffer.from(second));
  assert.deepEqual(Buffer.from(await loadKeyFile(path, { mayCreate: false })), Buffer.from(first));
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await writeFile(path, 'too short');
  await assert.rejects(loadKeyFile(path, { mayCreate: true }), /holds no master key/);
  await assert.rejects(loadKeyFile(folder, { mayCreate: true }), /cannot be read/);
  await rm(folder, { recursive: true });
});

test('a key file that others may read is refused, but where the operator names it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  const path = join(folder, 'data.key');
  const key = await loadKeyFile(path, { mayCreate: true });
  const source = { from: 'file', path, mayCreate: false } as const;
  const store = { settings: { get: never, ensure: never } };
  let warning = '';
  const warn = (problem: string) => {
    warning = problem;
  };
  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    await chmod(path, mode);
    await assert.rejects(loadMasterKey(source, store, warn), (error: Error) =>
      error.message.endsWith(`Run: chmod 600 ${path}`),
    );
    assert.equal(warning, '');
    assert.deepEqual(await loadMasterKey({ ...source, isOthers: true }, store, warn), key);
    assert.match(warning, /chmod 600/);
    warning = '';
  }
  for (const mode of [0o600, 0o400]) {
    await chmod(path, mode);
    assert.deepEqual(await loadMasterKey(source, store, warn), key);
  }
  await rm(folder, { recursive: true });
});

function never(): Promise<never> {
  throw new Error('nothing is to be asked');
}
