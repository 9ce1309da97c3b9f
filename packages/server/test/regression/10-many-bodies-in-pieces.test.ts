/** Many bodies of one-byte chunks at once: Node's parser goes through all that a read brings, before anybody else's turn. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { useTestService } from '../support/start-test-service.ts';

const PATH = '/v1/integrations/connectors';
const LOGIN = '/api/v1/account/applications/token';

/** A body of so many chunks of a byte. */
function inChunks(count: number): string {
  return `1\r\n{\r\n${'1\r\n \r\n'.repeat(count - 2)}1\r\n}\r\n0\r\n\r\n`;
}

/** The status of the answer; nothing where the connection is closed. */
async function statusOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString();
    socket.destroy();
  });
  await once(socket, 'close');
  return text.slice(9, 12);
}

/** All in one go, so that one round of the event loop finds them. */
async function sendAll(sockets: readonly Socket[], request: string) {
  const statuses = sockets.map(statusOf);
  for (const socket of sockets) socket.write(request);
  const of = await Promise.all(statuses);
  return { answered: of.filter((each) => each === '422').length, of };
}

function headOf(path: string, authorization: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
}

describe('many bodies in pieces', async () => {
  const { running, token } = await useTestService();

  const open = async (): Promise<Socket> => {
    const { hostname, port } = new URL(running.service.url);
    const socket = connect({ port: Number(port), host: hostname });
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    return socket;
  };
  for (const [what, path, hasToken, chunks] of [
    ['with a token', PATH, true, 10_000],
    ['without one', LOGIN, false, 4_000],
  ] as const)
    test(`that come at once are cut but for some of them: ${what}`, async () => {
      const sockets = await Promise.all(Array.from({ length: 60 }, open));
      const head = headOf(path, hasToken ? `Authorization: Bearer ${token}\r\n` : '');
      const { answered, of } = await sendAll(sockets, head + inChunks(chunks));
      assert.ok(answered >= 1 && answered <= 30, String(of));
      // What the parsers of those that were cut left undone, others' connections have again.
      const others = await Promise.all(Array.from({ length: 60 }, open));
      const few = await sendAll(others, head + inChunks(10));
      assert.equal(few.answered, 60, String(few.of));
    });

  test('of a few hundred pieces each are read, however many there are', async () => {
    const sockets = await Promise.all(Array.from({ length: 200 }, open));
    const head = headOf(PATH, `Authorization: Bearer ${token}\r\n`);
    const { answered, of } = await sendAll(sockets, head + inChunks(300));
    assert.equal(answered, 200, String(of));
  });

  test('a long one is read on though its socket was stopped, and so is what follows it', async () => {
    for (const authorization of [`Authorization: Bearer ${token}\r\n`, '']) {
      const socket = await open();
      let text = '';
      socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
      const path = authorization === '' ? '/nowhere' : PATH;
      const chunks = authorization === '' ? 900 : 30_000;
      socket.write(headOf(path, authorization) + inChunks(chunks));
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      while (!text.includes('HTTP/1.1 200 ')) await once(socket, 'data');
      assert.match(text, authorization === '' ? /^HTTP\/1\.1 404 / : /^HTTP\/1\.1 422 /);
      socket.destroy();
    }
  });
});
