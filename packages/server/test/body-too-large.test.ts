import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { assertProblem } from './support/problem.ts';
import { parseRaw, readOnceSent } from './support/raw-request.ts';
import { useTestService } from './support/start-test-service.ts';

const BYTES = 8_000_000;

const headOf = (token: string) =>
  `POST /v1/integrations/connectors HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

describe('a body that is too large', async () => {
  const { running, token } = await useTestService({});

  for (const [whose, kept] of [
    ['a client', ''],
    ['one that does not keep its connection', 'Connection: close\r\n'],
  ] as const)
    test(`is told also to ${whose} that reads once it has sent all`, async () => {
      const body = 'x'.repeat(BYTES);
      const length = body.length.toString(16);
      for (const rest of [
        `Content-Length: ${body.length}\r\n\r\n${body}`,
        `Transfer-Encoding: chunked\r\n\r\n${length}\r\n${body}\r\n0\r\n\r\n`,
      ]) {
        const answer = await readOnceSent(running.service.url, `${headOf(token)}${kept}${rest}`);
        assertProblem(parseRaw(answer), 'body_too_large');
      }
    });
});

describe('a client that never ends its request', async () => {
  const { running, token } = await useTestService({
    httpLimits: { requestTimeoutMs: 300, headersTimeoutMs: 300, timeoutCheckIntervalMs: 25 },
  });

  for (const [what, head] of [
    ['after it was refused', `${headOf(token)}Content-Length: 90000000000\r\n\r\n`],
    [
      'after it was refused and the connection was to end',
      `${headOf(token)}Connection: close\r\nContent-Length: 90000000000\r\n\r\n`,
    ],
    [
      'without a token',
      'POST /v1/tokens/revoke HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n',
    ],
    ['nor its headers', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: '],
  ] as const)
    test(`is cut, whatever it makes of the answer: ${what}`, async () => {
      const { hostname, port } = new URL(running.service.url);
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      await once(socket, 'connect');
      socket.once('error', () => undefined);
      socket.resume();
      socket.write(head);
      // Until it is: the test would not end otherwise.
      while (!socket.closed) {
        socket.write('xxxxxxxxxx');
        await wait(20);
      }
    });
});
