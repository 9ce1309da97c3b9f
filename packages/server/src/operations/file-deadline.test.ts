import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import { CallDeadline } from './call-deadline.ts';
import { untilDeadline } from './file-deadline.ts';
import type { PageInTheMaking } from '../admission/admission.ts';
import type { OpenFile } from './outcome.ts';

test('bytes that come no more are left at the deadline', async () => {
  const { open } = fileOf(['a']);
  const { bytes } = untilDeadline(open, new CallDeadline(systemClock, 50));
  assert.equal(String((await bytes.next()).value), 'a');
  await assert.rejects(bytes.next(), (error) => isConnectorError(error, 'upstream_timeout'));
});

test('bytes may take their time once the deadline is released', async () => {
  const { open, end } = fileOf(['a']);
  const { bytes, release } = untilDeadline(open, new CallDeadline(systemClock, 50));
  await bytes.next();
  release();
  setTimeout(end, 100);
  assert.deepEqual(await bytes.next(), { done: true, value: undefined });
});

test('whoever leaves before the end leaves the file, and trouble of its own is told as it is', async () => {
  const { open, ended, fail } = fileOf(['a']);
  const { bytes } = untilDeadline(open, new CallDeadline(systemClock, 10_000));
  await bytes.next();
  await bytes.return();
  assert.equal(ended(), true);
  const other = fileOf([]);
  const reading = untilDeadline(other.open, new CallDeadline(systemClock, 10_000)).bytes.next();
  other.fail(new Error('broken'));
  await assert.rejects(reading, /broken/);
  fail(new Error('nobody reads it'));
});

test('bytes count as long as they are read here, and where there are too many the file is left', async () => {
  let kept = 0;
  const most = 2;
  const counting = {
    take: (bytes: number) => {
      kept += bytes;
      if (kept > most) throw new Error('too many');
    },
    release: () => (kept = 0),
  };
  const some = fileOf(['a', 'b'], counting);
  const { bytes, release } = untilDeadline(some.open, new CallDeadline(systemClock, 10_000));
  await bytes.next();
  assert.equal(kept, 1);
  release();
  assert.equal(kept, 0);
  await bytes.next();
  assert.equal(kept, 0, 'they are passed on');
  await bytes.return();
  const many = fileOf(['a', 'b', 'c'], counting);
  const read = async () => {
    const reading = untilDeadline(many.open, new CallDeadline(systemClock, 10_000));
    for await (const chunk of reading.bytes) assert.equal(chunk.length, 1);
  };
  await assert.rejects(read, /too many/);
  assert.equal(many.ended(), true);
  assert.equal(kept, 0);
});

const UNCOUNTED: PageInTheMaking = { take: () => undefined, release: () => undefined };

/** A file of which some chunks come at once, and the end when the test says. */
function fileOf(chunks: readonly string[], kept = UNCOUNTED) {
  const { promise: rest, resolve, reject } = Promise.withResolvers<void>();
  rest.catch(() => undefined);
  let hasEnded = false;
  async function* bytes() {
    try {
      for (const chunk of chunks) yield Buffer.from(chunk);
      await rest;
    } finally {
      hasEnded = true;
    }
  }
  const open: OpenFile = {
    type: 'file',
    file: {
      bytes: bytes(),
      isPartial: false,
      contentType: null,
      contentRange: null,
      sizeBytes: null,
    },
    kept,
    discard: () => reject(new Error('discarded')),
  };
  return { open, end: resolve, fail: reject, ended: () => hasEnded };
}
