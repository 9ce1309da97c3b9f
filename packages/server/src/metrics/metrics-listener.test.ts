import assert from 'node:assert/strict';
import { Server } from 'node:http';
import { connect } from 'node:net';
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

test('a body of chunks of a byte is cut, as at the service itself', async () => {
  const listener = await startMetricsListener({
    metrics: { text: () => Promise.resolve('') },
    host: '127.0.0.1',
    port: 0,
    token: undefined,
    logger: makeLogger({ destination: makeLogSink() }),
  });
  try {
    const { port, pathname } = new URL(listener.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    const head = `GET ${pathname} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    // Read to its end, it would lead to a second answer.
    socket.write(head + '1\r\n \r\n'.repeat(10_000) + '0\r\n\r\n');
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await closed;
    assert.ok(text.split('HTTP/1.1 ').length <= 2, text);
  } finally {
    await listener.close();
  }
});
