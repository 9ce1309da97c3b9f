import assert from 'node:assert/strict';
import { Server } from 'node:http';
import { test } from 'node:test';
import { makeLogSink } from '../../test/support/log-sink.ts';
import { makeLogger } from '../log.ts';
import { startMetricsListener } from './metrics-listener.ts';

test('a connection that cannot be taken is logged, and no more', async (t) => {
  const listen = t.mock.method(Server.prototype, 'listen');
  const log = makeLogSink();
  const listener = await startMetricsListener({
    metrics: { text: () => Promise.resolve('') },
    host: '127.0.0.1',
    port: 0,
    token: undefined,
    logger: makeLogger({ destination: log }),
  });
  try {
    listen.mock.calls[0]?.result?.emit('error', new Error('accept EMFILE'));
    assert.deepEqual(
      log.lines().map(({ msg }) => msg),
      ['A connection could not be taken.'],
    );
    assert.equal((await fetch(listener.url)).status, 200);
  } finally {
    await listener.close();
  }
});
