import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderLock } from '../src/embedded/folder-lock.ts';
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
