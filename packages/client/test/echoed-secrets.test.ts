/** What a peer says back stands in no error: undici keeps the bytes of an answer that is no HTTP. */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { systemClock } from '@patchbay/connectors/definitions';
import { readFile } from '../src/file-stream.ts';
import { isConnectorError, Patchbay } from '../src/index.ts';
import { AMPLE_MS } from './support/start-fast-slack.ts';
import { makeFastClock, TEAM_CHAT } from './support/start-hosted.ts';

const SECRET = 'a-secret-of-a-test';
const application = { clientId: 'an-id', clientSecret: SECRET, externalUserId: 'somebody' };
const user = { token: async () => SECRET };
const timeoutMs = AMPLE_MS;

/** An answer whose body is a piece that has come, and what the peer says then. */
const BEGUN = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n';

interface EchoServer extends AsyncDisposable {
  readonly url: string;
  /** How often something came that has the secret in it. */
  readonly heard: () => number;
}

/** Says back what it hears, after `first`. */
async function startEcho(first = ''): Promise<EchoServer> {
  let heard = 0;
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (bytes.includes(SECRET)) heard += 1;
      socket.write(first);
      socket.end(bytes);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // Proof: it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    heard: () => heard,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** Fails with such an error, which says that the answer was no HTTP, and the secret nowhere. */
async function assertSecretless(call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(isConnectorError(error));
    const shown = inspect(error, { depth: 20, showHidden: true });
    assert.match(shown, /HTTPParserError\]?: Response does not match/);
    assert.ok(!shown.includes(SECRET), shown);
    return true;
  });
}

describe('a peer that says back what it hears', () => {
  const calls: Readonly<Record<string, (baseUrl: string) => Promise<unknown>>> = {
    'a read': (baseUrl) =>
      new Patchbay({ baseUrl, ...user, clock: makeFastClock(50), timeoutMs }).connectors.list(),
    'a write': (baseUrl) =>
      new Patchbay({ baseUrl, ...user, clock: makeFastClock(50), timeoutMs }).connectors.create(
        TEAM_CHAT,
      ),
    'a login': (baseUrl) =>
      new Patchbay({ baseUrl, ...application, clock: makeFastClock(50), timeoutMs }).scopedToken(),
  };
  for (const [what, call] of Object.entries(calls))
    test(`shows in no error of ${what}`, async () => {
      await using echo = await startEcho();
      await assertSecretless(call(echo.url));
      assert.ok(echo.heard() > 0);
    });

  test('shows in no error of a file that breaks off', async () => {
    await using echo = await startEcho(BEGUN);
    const response = await fetch(echo.url, { headers: { authorization: `Bearer ${SECRET}` } });
    const place = {
      baseUrl: echo.url,
      clock: systemClock,
      idleTimeoutMs: 5_000,
      signal: undefined,
    };
    const file = await readFile(place)(response);
    assert.ok(!file.isFailure);
    await assertSecretless(buffer(file.value.bytes));
    assert.ok(echo.heard() > 0);
  });
});

test('a message with the token in it shows it neither, nor what else an error carries', async () => {
  const lost = new Error(`"Bearer ${SECRET}" is lost`);
  const cause = Object.assign(lost, { request: { headers: [SECRET] }, code: 'ELOST' });
  const patchbay = new Patchbay({
    baseUrl: 'http://127.0.0.1:9',
    ...user,
    clock: makeFastClock(50),
    timeoutMs,
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  });
  await assert.rejects(patchbay.connectors.list(), (error) => {
    const shown = inspect(error, { depth: 20, showHidden: true });
    assert.ok(!shown.includes(SECRET), shown);
    for (const told of [/TypeError\]: fetch failed/, /"Bearer \[secret\]" is lost/, /ELOST/])
      assert.match(shown, told);
    return true;
  });
});
