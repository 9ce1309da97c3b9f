import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { ServiceOptions } from '../../src/index.ts';
import { startFileUpstream, type FileUpstream } from '../support/file-upstream.ts';
import { assertProblem } from '../support/problem.ts';
import { startTestService, type TestService } from '../support/start-test-service.ts';
import { until } from '../support/until.ts';

const DOWNLOAD = { entity: 'attachments', action: 'download', params: { attachment_id: 1 } };
const LIST = { entity: 'brands', action: 'list' };
/** More than the buffers of two sockets take. */
const LARGE = 24 * 1024 * 1024;
/** As many as one connection pool of calls has, and some. */
const MANY = 132;
/** Cut at once by the measure of a person. */
const CUT = { httpLimits: { writeIdleTimeoutMs: 250 } };

describe('answers that nobody reads', () => {
  test('lists do not wait behind downloads, however many are open', async () => {
    await using upstream = await startFileUpstream('silent');
    await using running = await startOn(upstream, {
      limits: {
        downloadsOfConnector: MANY,
        downloadsOfCaller: MANY,
        callsOfApplication: 2 * MANY,
      },
    });
    const token = await running.applicationToken();
    const id = await files(running, token);
    const clients = Array.from({ length: MANY }, () => leaveUnread(running, { token, id }));
    await until(() => upstream.openFiles() === MANY);
    const answer = await running.execute(token, id, LIST);
    assert.equal(answer.status, 200, answer.text);
    for (const client of clients) client.destroy();
    await until(() => upstream.openFiles() === 0);
  });

  test('a connector has a number of downloads at once, and gets them back', async () => {
    await using upstream = await startFileUpstream('silent');
    await using running = await startOn(upstream, { limits: { downloadsOfConnector: 2 } });
    const token = await running.applicationToken();
    const [id, other] = [await files(running, token), await files(running, token)];
    const clients = [1, 2].map(() => leaveUnread(running, { token, id }));
    await until(() => upstream.openFiles() === 2);
    const refused = await running.execute(token, id, DOWNLOAD);
    assertProblem(refused, 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), '5');
    clients.push(leaveUnread(running, { token, id: other }));
    await until(() => upstream.openFiles() === 3);
    clients[0]?.destroy();
    await until(() => upstream.openFiles() === 2);
    clients.push(leaveUnread(running, { token, id }));
    await until(() => upstream.openFiles() === 3);
    assertProblem(await running.execute(token, id, DOWNLOAD), 'rate_limited');
    for (const client of clients) client.destroy();
  });

  test('a download that nobody reads is cut, and with it the connection to the upstream', async () => {
    await using upstream = await startFileUpstream('endless');
    await using running = await startOn(upstream, { ...CUT, limits: { downloadsOfConnector: 1 } });
    const token = await running.applicationToken();
    const id = await files(running, token);
    for (const _ of ['once', 'and again, since its place is free']) {
      const logged = running.log.nextCall();
      const client = leaveUnread(running, { token, id });
      await until(() => upstream.openFiles() === 1);
      await until(() => upstream.openFiles() === 0);
      assert.equal(await logged, 'client_disconnected');
      await bytesUntilCut(client);
    }
  });

  const ROOM = { unreadBytesOfCaller: LARGE / 2 };
  const BOUNDS = {
    'taking nothing': { ...CUT, limits: ROOM },
    'taking all': { limits: { ...ROOM, largeAnswerTimeoutMs: 1_500 } },
    'taking all of what is not large': {
      limits: { ...ROOM, largeAnswerTimeoutMs: 1_500, largeAnswerBytes: 2 * LARGE },
    },
  };
  for (const [what, bounds] of Object.entries(BOUNDS))
    test(`a page is cut at the bound for ${what}, and its caller gets no other until then`, async () => {
      await using upstream = await startFileUpstream('silent');
      await using running = await startOn(upstream, bounds);
      const token = await running.scopedToken('user-1');
      const other = await running.scopedToken('user-2');
      const id = await files(running, token);
      const otherId = await files(running, other, { external_user_id: 'user-2' });
      upstream.listBytes = LARGE;
      const client = leaveUnread(running, { token, id, body: LIST });
      await once(client, 'readable');
      upstream.listBytes = 10;
      assertProblem(await running.execute(token, id, LIST), 'rate_limited');
      assert.equal(upstream.lists(), 1, 'it was refused before the upstream was asked');
      assert.equal((await running.execute(other, otherId, LIST)).status, 200);
      await untilAnswered(() => running.execute(token, id, LIST));
      assert.ok((await bytesUntilCut(client)) < LARGE);
    });

  test('a large page that is read arrives whole, again and again', async () => {
    await using upstream = await startFileUpstream('silent');
    await using running = await startOn(upstream, {
      limits: { unreadBytesOfCaller: 1, pageBytesOfCaller: 1 },
    });
    const token = await running.applicationToken();
    const id = await files(running, token);
    upstream.listBytes = LARGE;
    for (const _ of [1, 2]) {
      const logged = running.log.nextCall();
      const answer = await running.execute(token, id, LIST);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)));
      assert.ok(answer.text.length > LARGE);
      assert.equal(await logged, 'ok');
    }
  });

  test('a client that waits for us is not cut', async () => {
    await using running = await startTestService({ httpLimits: { writeIdleTimeoutMs: 50 } });
    const token = await running.applicationToken();
    const id = await running.connector(token);
    running.sandbox.faults.add({ kind: 'delay', delayMs: 250, times: 1 });
    const answer = await running.execute(token, id, { entity: 'users', action: 'list' });
    assert.equal(answer.status, 200, answer.text);
  });
});

function startOn(
  upstream: FileUpstream,
  options: Pick<ServiceOptions, 'httpLimits' | 'limits'>,
): Promise<TestService> {
  const { url: baseUrl } = upstream;
  const upstreams = { 'support-ticketing': { baseUrl, limits: 'reactive' as const } };
  return startTestService({ upstreams, ...options });
}

function files(
  running: TestService,
  token: string,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const credentials = { access_token: 'token-of-a-test' };
  return running.connector(token, {
    connector_type: 'support-ticketing',
    credentials,
    replication_config: undefined,
    ...changes,
  });
}

/** Sends a call, and reads nothing of its answer but what the system buffers. */
function leaveUnread(
  running: TestService,
  call: { readonly token: string; readonly id: string; readonly body?: object },
): Socket {
  const { hostname, port } = new URL(running.service.url);
  const body = JSON.stringify(call.body ?? DOWNLOAD);
  const socket = connect(Number(port), hostname);
  // What becomes of it is asked of the other side.
  socket.on('error', () => socket.destroy());
  socket.write(
    [
      `POST /api/v1/connectors/sources/${call.id}/execute HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${call.token}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
  return socket;
}

/** What the system still has for a socket that the other side has cut. */
async function bytesUntilCut(socket: Socket): Promise<number> {
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return socket.bytesRead;
}

async function untilAnswered(send: () => Promise<{ readonly status: number }>): Promise<void> {
  while ((await send()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
}
