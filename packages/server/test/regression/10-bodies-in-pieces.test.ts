/** Bodies of one-byte chunks: each chunk costs what a large one does, in memory and in time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { assertProblem } from '../support/problem.ts';
import { parseRaw } from '../support/raw-request.ts';
import { useTestService } from '../support/start-test-service.ts';

const CHUNKS = 100_000;
/** Of a call that is refused, or without a token, far fewer: several reads of a socket at most. */
const FEW_CHUNKS = 30_000;
const LOGIN = '/api/v1/account/applications/token';

describe('a body that comes in pieces', async () => {
  const { running, token } = await useTestService({ limits: { callsOfApplication: 1 } });

  const begin = async (path: string, authorization: string): Promise<Socket> => {
    const { hostname, port } = new URL(running.service.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    return socket;
  };

  for (const [what, path, hasToken] of [
    ['that nobody reads', '/v1/integrations/connectors', false],
    ['without a token', LOGIN, false],
    ['to a path that there is not', '/nowhere', false],
    ['with one', '/v1/integrations/connectors', true],
  ] as const)
    test(`of a byte each is cut soon: ${what}`, async () => {
      const socket = await begin(path, hasToken ? `Authorization: Bearer ${token}\r\n` : '');
      socket.resume();
      const closed = new Promise((resolve) => void socket.once('close', resolve));
      const some = Buffer.from('1\r\n \r\n'.repeat(1_000));
      const most = hasToken ? CHUNKS : FEW_CHUNKS;
      for (let sent = 0; sent < most && !socket.destroyed; sent += 1_000)
        if (!socket.write(some)) await Promise.race([once(socket, 'drain'), closed]);
      await closed;
    });

  test('of a few bytes each is read, as programs send what they write bit by bit', async () => {
    for (const [size, count] of [
      [1, 20_000],
      [5, 30_000],
      [300, 3_000],
    ] as const) {
      const socket = await begin(
        '/v1/integrations/connectors',
        `Authorization: Bearer ${token}\r\n`,
      );
      const spaces = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`.repeat(count - 2);
      socket.write(`1\r\n{\r\n${spaces}1\r\n}\r\n0\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assertProblem(parseRaw(answer.toString()), 'invalid_request');
      socket.destroy();
    }
  });

  test('and is cut while it is read gives the turn of its call back', async () => {
    const socket = await begin('/v1/integrations/connectors', `Authorization: Bearer ${token}\r\n`);
    socket.resume();
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    await wait(50);
    socket.write('1\r\n \r\n'.repeat(CHUNKS));
    await closed;
    const answer = await running.send('GET', '/v1/integrations/connectors', { token });
    assert.equal(answer.status, 200, answer.text);
  });

  test('and then is followed by another request is read to its end, though it was refused', async () => {
    const socket = await begin('/v1/integrations/connectors', '');
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    await once(socket, 'data');
    assert.match(text, /^HTTP\/1\.1 401 /);
    socket.write('3\r\n{ }\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    while (!text.includes('HTTP/1.1 200 ')) await once(socket, 'data');
    socket.destroy();
  });
});
