import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { EMBEDDED } from './support/test-databases.ts';

const MIB = 1024 * 1024;
const SCRIPT = join(import.meta.dirname, 'support/scarce-memory-process.ts');
/** In less, V8 would have begun to optimise what evaluates expressions, and taken 600 MB for it. */
const BUSY_MS = 4_000;

test('an embedded database needs no more than is there where memory is scarce', async () => {
  const place = await EMBEDDED.make();
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=patchbay-source',
      SCRIPT,
      place.options.dataFolder ?? '',
      String(512 * MIB),
      String(BUSY_MS),
    ]);
    const peakMiB = Number(stdout) / MIB;
    assert.ok(peakMiB > 0 && peakMiB < 450, `${peakMiB} MiB`);
  } finally {
    await place.remove();
  }
});
