import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac, hkdfSync, scryptSync } from 'node:crypto';
import promises, { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { inspect } from 'node:util';
import { CompactEncrypt } from 'jose';
import { HEAD_CHARACTERS } from '@patchbay/store';
import { vaultOf } from '../../test/support/vault-of.ts';
import { loadKeyFile } from './key-file.ts';
import { Keyring, makeKeyring } from './keyring.ts';
import { loadMasterKeys, type MasterKeySource } from './load-master-keys.ts';
import { isPassphrase, parseMasterKey } from './master-key.ts';
import { makeSalt } from './passphrase.ts';
import { headOf, keyIdOf, openText, resealText, sealText } from './sealed-text.ts';

const OTHER_KEY = new Uint8Array(32).fill(2);
const PASSPHRASE = 'correct horse battery staple, and more';
const KEY = new Uint8Array(32).fill(1);

test('what is sealed opens for its owner alone, with the same key', async () => {
  const vault = vaultOf(KEY);
  const sealed = await vault.seal('connector:a', 'a secret');
  assert.ok(!sealed.includes('secret'));
  assert.equal(await vault.open('connector:a', sealed), 'a secret');
  await assert.rejects(vault.open('connector:b', sealed), /another owner/);
  await assert.rejects(vaultOf(new Uint8Array(32).fill(2)).open('connector:a', sealed));
  const [header = '', ...rest] = sealed.split('.');
  const parsed = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
  assert.equal(Reflect.get(parsed, 'alg'), 'A256GCMKW');
  assert.equal(Reflect.get(parsed, 'enc'), 'A256GCM');
  const moved = Buffer.from(JSON.stringify({ ...parsed, owner: 'connector:b' }));
  const forged = [moved.toString('base64url'), ...rest].join('.');
  await assert.rejects(vault.open('connector:b', forged));
});

test('a digest is the same for the same secret of the same owner, under the same key alone', () => {
  const vault = vaultOf(KEY);
  const digest = vault.digest('connector:a', 'a secret');
  assert.equal(digest, vaultOf(KEY).digest('connector:a', 'a secret'));
  const others = [
    vault.digest('connector:b', 'a secret'),
    vault.digest('connector:a', 'another'),
    vaultOf(new Uint8Array(32).fill(2)).digest('connector:a', 'a secret'),
    createHmac('sha256', KEY).update('connector:a\na secret').digest('base64url'),
  ];
  assert.equal(new Set([digest, ...others]).size, 5);
});

test('a text says which key sealed it, and opens with whichever of the keys that was', async () => {
  const [old, both] = [new Keyring(KEY), new Keyring(OTHER_KEY, KEY)];
  const sealed = await sealText(old.newest, 'check', 'a secret');
  assert.equal(keyIdOf(sealed), old.newest.id);
  assert.ok(sealed.startsWith(headOf(old.newest)));
  assert.equal(headOf(old.newest).length, HEAD_CHARACTERS);
  const resealed = await resealText(both, both.newest, sealed);
  assert.equal(keyIdOf(resealed), both.newest.id);
  for (const text of [sealed, resealed])
    assert.partialDeepStrictEqual(await openText(both, text), {
      owner: 'check',
      secret: 'a secret',
    });
  await assert.rejects(
    openText(old, resealed),
    new RegExp(`${both.newest.id}, which this process`),
  );
  const forged = resealed.replace(headOf(both.newest), headOf(old.newest));
  await assert.rejects(openText(both, forged), 'the id is bound in');
});

test('what was sealed before keys had ids opens with the key that sealed it', async () => {
  const sealed = await new CompactEncrypt(new TextEncoder().encode('a secret'))
    .setProtectedHeader({ alg: 'A256GCMKW', enc: 'A256GCM', owner: 'check' })
    .encrypt(KEY);
  assert.equal(keyIdOf(sealed), undefined);
  for (const keyring of [new Keyring(KEY), new Keyring(OTHER_KEY, KEY)])
    assert.equal((await openText(keyring, sealed)).key.id, new Keyring(KEY).newest.id);
  await assert.rejects(openText(new Keyring(OTHER_KEY), sealed), /sealed with another key/);
});

test('the id of a key says nothing of it, and is always the same', () => {
  const { id, bytes } = new Keyring(KEY).newest;
  assert.equal(id, '354e308e740aed31');
  assert.ok(!Buffer.from(bytes).toString('hex').includes(id));
  assert.notEqual(new Keyring(OTHER_KEY).newest.id, id);
  assert.equal(new Keyring(KEY, KEY).all.length, 1);
});

test('a master key is 32 bytes in base64 or hex, or a passphrase that nothing prints', () => {
  const bytes = Buffer.alloc(32, 0xab);
  for (const form of ['hex', 'base64', 'base64url'] as const)
    assert.deepEqual(parseMasterKey(` ${bytes.toString(form)}\n`), bytes);
  const given = parseMasterKey(` ${PASSPHRASE}\n`);
  assert.ok(isPassphrase(given));
  assert.equal(given.passphrase(), PASSPHRASE);
  assert.ok(!inspect(given).includes('horse') && !JSON.stringify(given).includes('horse'));
  for (const short of ['', 'short', bytes.subarray(0, 16).toString('base64'), 'x'.repeat(31)])
    assert.equal(parseMasterKey(short), undefined);
});

test('a passphrase is stretched with the salt of the database, and still opens what it sealed before', async () => {
  const masterKey = { passphrase: () => PASSPHRASE };
  const unstretched = hkdfSync('sha256', PASSPHRASE, 'patchbay', 'patchbay master key v1', 32);
  const before = await makeKeyring({ masterKey }, undefined);
  assert.deepEqual(Buffer.from(before.newest.bytes), Buffer.from(unstretched));
  const salt = makeSalt();
  const now = await makeKeyring({ masterKey }, salt);
  const options = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
  const stretched = scryptSync(PASSPHRASE, Buffer.from(salt, 'base64url'), 32, options);
  assert.deepEqual(Buffer.from(now.newest.bytes), stretched);
  assert.deepEqual(
    now.all.map(({ id }) => id),
    [now.newest.id, before.newest.id],
  );
  const elsewhere = await makeKeyring({ masterKey }, makeSalt());
  assert.notEqual(elsewhere.newest.id, now.newest.id);
});

test('a key file is made once, for the owner alone, and read from then on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  const path = join(folder, 'deeper', 'data.key');
  const load = async (mayCreate: boolean, at = path) => {
    const key = await loadKeyFile(at, { mayCreate, variable: 'PATCHBAY_MASTER_KEY' });
    assert.ok(key instanceof Uint8Array);
    return Buffer.from(key);
  };
  await assert.rejects(load(false), /is missing/);
  const [first, second] = await Promise.all([load(true), load(true)]);
  assert.deepEqual(first, second);
  assert.deepEqual(await load(false), first);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await writeFile(path, 'too short');
  await assert.rejects(load(true), /holds no master key/);
  await assert.rejects(load(true, folder), /cannot be read/);
  await writeFile(path, 'x'.repeat(70_000));
  await assert.rejects(load(true), /too large for a key/);
  await assert.rejects(load(true, '/dev/zero'), /too large for a key/);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  await assert.rejects(load(true, pipe), /is a named pipe: name a file/);
  await rm(folder, { recursive: true });
});

test('a key file that is made is flushed, and then its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  const path = join(folder, 'data.key');
  const open = promises.open;
  const flushed: unknown[] = [];
  const mocked = mock.method(promises, 'open', async (...args: Parameters<typeof open>) => {
    const file = await open(...args);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      const names = await readdir(folder);
      flushed.push([args[0] === folder ? 'names' : 'text', names.includes('data.key')]);
      await sync();
    };
    return file;
  });
  syncBuiltinESMExports();
  try {
    await loadKeyFile(path, { mayCreate: true, variable: 'PATCHBAY_MASTER_KEY' });
  } finally {
    mocked.mock.restore();
    syncBuiltinESMExports();
    await rm(folder, { recursive: true });
  }
  assert.deepEqual(flushed, [
    ['text', false],
    ['names', true],
  ]);
});

test('no key is left on a file system without modes, but where the operator names its file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  const path = join(folder, 'data.key');
  const found = promises.stat;
  const mocked = mock.method(promises, 'stat', async (...args: Parameters<typeof found>) =>
    Object.assign(await found(...args), { mode: 0o100777 }),
  );
  syncBuiltinESMExports();
  try {
    const source = { mayCreate: true, variable: 'PATCHBAY_MASTER_KEY' } as const;
    await assert.rejects(loadKeyFile(path, source), (error: Error) =>
      error.message.endsWith(
        'data.key cannot be kept from others, since its file system has no modes: let PATCHBAY_DATA name a folder elsewhere. PATCHBAY_MASTER_KEY_FILE names another file, PATCHBAY_MASTER_KEY gives the key itself.',
      ),
    );
    assert.deepEqual(await readdir(folder), []);
    let warning = '';
    const onReadable = (problem: string) => (warning = problem);
    await loadKeyFile(path, { ...source, onReadable });
    assert.match(warning, /has mode 0777/);
    assert.deepEqual(await readdir(folder), ['data.key']);
  } finally {
    mocked.mock.restore();
    syncBuiltinESMExports();
    await rm(folder, { recursive: true });
  }
});

test('a key file that others may read is refused, but where the operator names it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  const path = join(folder, 'data.key');
  const masterKey = await loadKeyFile(path, { mayCreate: true, variable: 'PATCHBAY_MASTER_KEY' });
  const source = { from: 'file', path, mayCreate: false } as const;
  const store = { settings: { get: never, ensure: never } };
  let warning = '';
  const load = (masterKeySource: MasterKeySource) =>
    loadMasterKeys({ masterKey: masterKeySource, oldMasterKey: undefined }, store, (problem) => {
      warning = problem;
    });
  const loaded = { masterKey, oldMasterKey: undefined };
  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    await chmod(path, mode);
    await assert.rejects(load(source), (error: Error) =>
      error.message.endsWith(`Run: chmod 600 ${path}`),
    );
    assert.equal(warning, '');
    assert.deepEqual(await load({ ...source, isNamedByOperator: true }), loaded);
    assert.match(warning, /chmod 600/);
    warning = '';
  }
  for (const mode of [0o600, 0o400]) {
    await chmod(path, mode);
    assert.deepEqual(await load(source), loaded);
  }
  await assert.rejects(
    loadMasterKeys(
      { masterKey: source, oldMasterKey: { ...source, path: join(folder, 'none') } },
      store,
    ),
    /PATCHBAY_OLD_MASTER_KEY_FILE names another file/,
  );
  await rm(folder, { recursive: true });
});

function never(): Promise<never> {
  throw new Error('nothing is to be asked');
}
