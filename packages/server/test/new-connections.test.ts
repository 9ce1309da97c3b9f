import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { setImmediate as round } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { assertProblem } from './support/problem.ts';
import { parseRaw, sendRaw } from './support/raw-request.ts';
import { startServiceOn, startTestService } from './support/start-test-service.ts';

const CONNECTIONS = 200;
const NO_SECOND = !(await hasTwoAddresses()) && 'localhost has no IPv6 address here';

/** Connects so often at once, from a thread of its own. */
const CONNECTING = `
  const { connect } = require('node:net');
  const { workerData } = require('node:worker_threads');
  for (let each = 0; each < workerData.connections; each++)
    connect(workerData.port, '127.0.0.1').on('error', () => undefined);
`;

describe('new connections', () => {
  const skip = process.platform !== 'linux' && 'elsewhere one socket takes all connections';

  test('wait for few rounds of an event loop that is busy', { skip }, async () => {
    await using running = await startTestService();
    const { server } = running.service.app;
    const taken: unknown[] = [];
    server.on('connection', (socket) => taken.push(socket));
    const port = Number(new URL(running.service.url).port);
    const workerData = { port, connections: CONNECTIONS };
    const worker = new Worker(CONNECTING, { eval: true, workerData });
    let rounds = 0;
    while (taken.length < CONNECTIONS) {
      const until = performance.now() + 10;
      while (performance.now() < until);
      if (taken.length > 0) rounds += 1;
      await round();
    }
    await worker.terminate();
    assert.ok(rounds < CONNECTIONS / 8, `${rounds} rounds`);
  });

  test('are of one service: a second one cannot have its port', async () => {
    await using running = await startTestService();
    const port = Number(new URL(running.service.url).port);
    await assert.rejects(startServiceOn(running, { port }), { code: 'address_unusable' });
  });

  test('are of the same server at every address of localhost', { skip: NO_SECOND }, async () => {
    await using running = await startTestService({ host: 'localhost' });
    const { port } = new URL(running.service.url);
    for (const address of ['127.0.0.1', '[::1]']) {
      const url = `http://${address}:${port}`;
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
      // What no request is made of is ours to answer, too.
      assertProblem(parseRaw(await sendRaw(url, 'no HTTP\r\n\r\n')), 'malformed_json');
    }
  });
});

/** Whether `localhost` is an address of IPv6, too, and this machine has it. */
async function hasTwoAddresses(): Promise<boolean> {
  const named = await lookup('localhost', { all: true });
  const here = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return [named, here].every((some) => some.some(({ address }) => address === '::1'));
}
