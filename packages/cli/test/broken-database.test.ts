import assert from 'node:assert/strict';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { queryOnce } from '@patchbay/store/testing';
import { startCli, temporaryFolder } from './support/run-cli.ts';

test('patchbay start ends when its embedded database breaks down, and says what to do', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const environment = { PATCHBAY_DATA: data, PORT: '0' };
  const running = startCli(['start'], environment);
  await running.untilOut('Patchbay is ready');
  // As on a full disk, no further piece of the database's log can be made.
  const log = join(data, 'postgres', 'pg_wal');
  await rename(log, `${log}-elsewhere`);
  const host = await readFile(join(data, 'run-folder'), 'utf8');
  const filling = queryOnce(
    { host, port: 5432, user: 'postgres', database: 'postgres', password: '', ssl: false },
    `select pg_logical_emit_message(true, 'x', repeat('x', 1000000)) from generate_series(1, 40)`,
  ).catch(() => undefined);
  const { code, err } = await running.finished;
  assert.equal(code, 9);
  assert.match(err, /^patchbay: The embedded database in \S+ has broken down .* start again\.$/m);
  await filling;

  await rename(`${log}-elsewhere`, log);
  const again = startCli(['start'], environment);
  await again.untilOut('Patchbay is ready');
  again.process.kill('SIGTERM');
  assert.equal((await again.finished).code, 0);
});
