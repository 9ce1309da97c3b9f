import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { flushLog, makeLogger } from '../../src/log.ts';

// Found with output in a file: there, unlike in a pipe, syncing works and says null, and the service
// fell over at its end.
test('a log is flushed into a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-log-'));
  try {
    const path = join(folder, 'service.log');
    const destination = pino.destination({ dest: path, sync: false, minLength: 4_096 });
    const logger = makeLogger({ destination });
    logger.info('the last line');
    await flushLog(logger);
    assert.match(await readFile(path, 'utf8'), /the last line/);
    destination.end();
  } finally {
    await rm(folder, { recursive: true });
  }
});
