import assert from 'node:assert/strict';
import fs, { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderLock } from '../src/embedded/folder-lock.ts';
import { isFolderHeld, isStoreError } from '../src/index.ts';
import { useEmptyFolder } from './support/temporary-folder.ts';

test('exactly one of many that ask at once gets the lock, every time', async () => {
  await using folder = await useEmptyFolder();
  for (let round = 0; round < 25; round += 1) {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, () => FolderLock.acquire(folder.path, folder.path)),
    );
    const held = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    assert.equal(held.length, 1);
    for (const { value } of held) await value.release();
    assert.deepEqual(readdirSync(folder.path), []);
  }
});

test('a published socket that nobody listens on any more is cleared away', async () => {
  await using folder = await useEmptyFolder();
  await leaveDeadSocket(join(folder.path, 'lock-000000000000'));
  await leaveDeadSocket(join(folder.path, 'lock-ffffffffffff'));
  const lock = await FolderLock.acquire(folder.path, folder.path);
  assert.equal(readdirSync(folder.path).length, 1);
  await lock.release();
});

test('a folder is held for as long as somebody has its lock, and asking changes nothing', async () => {
  await using folder = await useEmptyFolder();
  const nowhere = join(folder.path, 'nowhere');
  // Deeper than the path of a socket may be.
  const deep = join(folder.path, 'x'.repeat(200));
  mkdirSync(deep);
  await using run = await useEmptyFolder();
  const short = join(run.path, 'deep');
  symlinkSync(deep, short);
  await leaveDeadSocket(join(short, 'lock-000000000000'));
  assert.deepEqual([await isFolderHeld(nowhere), await isFolderHeld(deep)], [false, false]);
  const lock = await FolderLock.acquire(deep, short);
  await leaveDeadSocket(join(short, 'lock-ffffffffffff'));
  const names = readdirSync(deep);
  assert.equal(await isFolderHeld(deep), true);
  assert.deepEqual(readdirSync(deep), names);
  await lock.release();
  assert.equal(await isFolderHeld(deep), false);
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  await assert.rejects(isFolderHeld(file), (error) => isStoreError(error, 'folder_not_usable'));
});

test('a name that cannot be asked counts as a sign of life', async () => {
  await using folder = await useEmptyFolder();
  // Its socket is reached by nobody, as that of a process that is too busy.
  symlinkSync('lock-000000000000', join(folder.path, 'lock-000000000000'));
  assert.equal(await isFolderHeld(folder.path), true);
});

test('whoever wants the lock does not wait for one that cannot be asked', async () => {
  await using folder = await useEmptyFolder();
  // After any other name, so that its answer would be waited for.
  symlinkSync('lock-ffffffffffff', join(folder.path, 'lock-ffffffffffff'));
  await assert.rejects(FolderLock.acquire(folder.path, folder.path), { code: 'folder_in_use' });
  assert.deepEqual(readdirSync(folder.path), ['lock-ffffffffffff']);
});

test('a folder in which nothing can be renamed is refused, and left as it was', async (t) => {
  await using folder = await useEmptyFolder();
  const rename = t.mock.method(fs, 'renameSync', () => {
    throw new Error('no');
  });
  syncBuiltinESMExports();
  try {
    await assert.rejects(FolderLock.acquire(folder.path, folder.path), {
      code: 'folder_not_usable',
    });
  } finally {
    rename.mock.restore();
    syncBuiltinESMExports();
  }
  assert.deepEqual(readdirSync(folder.path), []);
});

/** Copies what `kill -9` leaves: a socket in the folder that refuses connections. */
async function leaveDeadSocket(path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = createServer();
  server.listen(`${path}.draft`, () => {
    // Under another name, since closing the server removes the one it listens on.
    renameSync(`${path}.draft`, path);
    server.close(() => {
      resolve();
    });
  });
  await promise;
  const refused = Promise.withResolvers<unknown>();
  connect(path).once('error', refused.resolve);
  assert.match(String(await refused.promise), /ECONNREFUSED/);
}
