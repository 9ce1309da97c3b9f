import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isConnectorError } from '../errors.ts';
import { givenUpUnread } from './unread-file.ts';

async function* twoBytes(): AsyncGenerator<Uint8Array, void, undefined> {
  yield Uint8Array.of(1);
  yield Uint8Array.of(2);
}

function watched(idleTimeoutMs: number) {
  const seen = { givenUp: 0 };
  const bytes = givenUpUnread(twoBytes(), { idleTimeoutMs, giveUp: () => (seen.givenUp += 1) });
  return { bytes, seen };
}

test('a file that is read is not given up, however slowly', async () => {
  const { bytes, seen } = watched(20);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) {
    chunks.push(chunk);
    await setTimeout(40);
  }
  assert.deepEqual([chunks.length, seen.givenUp], [2, 0]);
});

test('one that nobody asks for, as where its place cannot be opened, is; whoever asks later is told', async () => {
  const { bytes, seen } = watched(50);
  await assert.rejects(writeFile('/nowhere/at/all', bytes), { code: 'ENOENT' });
  assert.equal(seen.givenUp, 0);
  await setTimeout(80);
  assert.equal(seen.givenUp, 1);
  await assert.rejects(bytes.next(), (error) => isConnectorError(error, 'upstream_timeout'));
});

test('so is one that is left before its first byte, once', async () => {
  const { bytes, seen } = watched(20);
  await bytes.return();
  await setTimeout(40);
  assert.equal(seen.givenUp, 1);
  assert.equal((await bytes.next()).done, true);
});

test('one that nobody reads keeps no process alive', async () => {
  const before = timersThatKeep();
  const { bytes } = watched(60_000);
  assert.equal(timersThatKeep(), before);
  await bytes.return();
});

/** How many timers the process waits for. */
function timersThatKeep(): number {
  return process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
}
