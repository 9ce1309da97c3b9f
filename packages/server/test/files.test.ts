import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { AdmissionLimits } from '../src/admission/limits.ts';
import { at } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { startTestService } from './support/start-test-service.ts';

const DOWNLOAD = { entity: 'attachments', action: 'download', params: { attachment_id: 1 } };

/** An upstream with one attachment, whose file `answer` sends. */
async function startFiles(answer: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    const { host = '' } = request.headers;
    if (request.url === '/file') return answer(response);
    response.setHeader('content-type', 'application/json');
    const attachment = { id: 1, content_type: 'text/plain', content_url: `http://${host}/file` };
    response.end(JSON.stringify({ attachment, user: { id: 1 } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function startServiceBefore(baseUrl: string, limits: Partial<AdmissionLimits> = {}) {
  const running = await startTestService({
    limits,
    upstreams: { 'support-ticketing': { baseUrl, limits: 'reactive' } },
  });
  const token = await running.applicationToken();
  const id = await running.connector(token, {
    connector_type: 'support-ticketing',
    credentials: { access_token: 'opens-the-files' },
    replication_config: null,
    config: { subdomain: 'acme' },
  });
  return Object.assign(running, { token, id });
}

test('a file that its host keeps compressed comes as what it is, streamed and as JSON', async () => {
  using files = await startFiles((response) => {
    const bytes = gzipSync('hello');
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bytes.length });
    response.end(bytes);
  });
  await using running = await startServiceBefore(files.baseUrl);
  const { token, id } = running;
  const streamed = await running.execute(token, id, DOWNLOAD);
  assert.equal(streamed.text, 'hello');
  assert.equal(streamed.headers.get('content-encoding'), null);
  const inline = await running.execute(token, id, DOWNLOAD, { accept: 'application/json' });
  assert.equal(Buffer.from(String(at(inline, 'content_base64')), 'base64').toString(), 'hello');
  assert.equal(at(inline, 'size'), 5);
});

test('a part of a file says so, streamed and as JSON', async () => {
  const contentRange = 'bytes 0-4/11';
  using files = await startFiles((response) => {
    response.writeHead(206, { 'content-range': contentRange, 'content-type': 'text/plain' });
    response.end('hello');
  });
  await using running = await startServiceBefore(files.baseUrl);
  const { token, id } = running;
  const part = { ...DOWNLOAD, params: { ...DOWNLOAD.params, range_header: 'bytes=0-4' } };
  const streamed = await running.execute(token, id, part);
  assert.deepEqual([streamed.status, streamed.headers.get('content-range')], [206, contentRange]);
  const inline = await running.execute(token, id, part, { accept: 'application/json' });
  assert.deepEqual(inline.body, {
    content_base64: 'aGVsbG8=',
    content_type: 'text/plain',
    size: 5,
    content_range: contentRange,
  });
});

test('as JSON, such a file is no larger than others may be, however small it is kept', async () => {
  using files = await startFiles((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(9 * 1024 * 1024)));
  });
  await using running = await startServiceBefore(files.baseUrl);
  const { token, id } = running;
  const answer = await running.execute(token, id, DOWNLOAD, { accept: 'application/json' });
  assertProblem(answer, 'invalid_request');
});

test('of unknown length, it comes so too, and a short one as JSON', async () => {
  const numbers = Array.from({ length: 1_200_000 }, (_, n) => `${String(n).padStart(7)}\n`);
  let bytes = Buffer.from(numbers.join(''));
  using files = await startFiles((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(bytes));
  });
  await using running = await startServiceBefore(files.baseUrl);
  const { token, id } = running;
  const accept = 'application/json, text/plain, */*';
  const long = await running.execute(token, id, DOWNLOAD, { accept });
  assert.equal(long.status, 200);
  assert.equal(long.headers.get('content-disposition'), 'attachment');
  assert.ok(long.text === String(bytes), 'all of it, in order');
  bytes = Buffer.from('hello');
  assert.equal(at(await running.execute(token, id, DOWNLOAD, { accept }), 'size'), 5);
});

test('what was kept of one until it proved to be long counts until its reader has taken it', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  using files = await startFiles((response) => {
    const go = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', go);
    go();
  });
  const accept = 'application/json, */*';
  await using running = await startServiceBefore(files.baseUrl, {
    unreadBytesOfCaller: 12 * chunk.length,
  });
  const [unread, refused] = [
    await openDownload(running, accept),
    await openDownload(running, accept),
  ];
  assert.match(unread.head, /^HTTP\/1\.1 200 /);
  assert.match(refused.head, /^HTTP\/1\.1 429 /);
  refused.socket.destroy();
  unread.socket.resume();
  await unread.hasTaken(16 * chunk.length);
  // Its beginning is no longer in memory, though the file goes on.
  const next = await openDownload(running, accept);
  assert.match(next.head, /^HTTP\/1\.1 200 /);
  for (const { socket } of [unread, next]) socket.destroy();
});

test('as JSON, a file is there by the deadline', async () => {
  using files = await startFiles((response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('x');
  });
  await using running = await startServiceBefore(files.baseUrl);
  const { token, id } = running;
  const headers = { accept: 'application/json', 'patchbay-timeout-ms': '300' };
  assertProblem(await running.execute(token, id, DOWNLOAD, headers), 'upstream_timeout');
});

/** A download whose first bytes have come, of which nothing more is read for now. */
async function openDownload(
  { service, token, id }: Awaited<ReturnType<typeof startServiceBefore>>,
  accept: string,
) {
  const { hostname, port } = new URL(service.url);
  const body = JSON.stringify(DOWNLOAD);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(
    `POST /api/v1/connectors/sources/${id}/execute HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Accept: ${accept}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  let taken = first.length;
  const hasTaken = async (bytes: number) => {
    while (taken < bytes) {
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      taken += chunk.length;
    }
  };
  return { socket, head: first.toString('latin1'), hasTaken };
}

test('a broken file does not look whole in HTTP/1.0', async () => {
  using files = await startFiles((response) => {
    response.writeHead(200);
    response.write('hello');
    setTimeout(() => response.destroy(), 50);
  });
  await using running = await startServiceBefore(files.baseUrl);
  const { token, id, service } = running;
  const { hostname, port } = new URL(service.url);
  const body = JSON.stringify(DOWNLOAD);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(
    `POST /api/v1/connectors/sources/${id}/execute HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const came: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => came.push(chunk));
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNRESET');
  assert.match(Buffer.concat(came).toString(), /^HTTP\/1\.[01] 200 [^]*hello$/);
});

test('a file too long for JSON comes as bytes to a client that takes anything', async () => {
  const length = 9 * 1024 * 1024;
  using files = await startFiles((response) => {
    response.writeHead(200, { 'content-length': length });
    response.end(Buffer.alloc(length));
  });
  await using running = await startServiceBefore(files.baseUrl);
  const { token, id } = running;
  const accept = 'application/json, text/plain, */*';
  const streamed = await running.execute(token, id, DOWNLOAD, { accept });
  assert.deepEqual([streamed.status, streamed.text.length], [200, length]);
  const refused = await running.execute(token, id, DOWNLOAD, { accept: 'application/json' });
  assertProblem(refused, 'invalid_request');
});

test('a page to sign in in its place does not say where the operator has the calls sent', async () => {
  using files = await startFiles((response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<title>Sign in</title>');
  });
  await using running = await startServiceBefore(files.baseUrl);
  const answer = await running.execute(running.token, running.id, DOWNLOAD);
  assertProblem(answer, 'upstream_forbidden');
  assert.ok(!answer.text.includes(files.baseUrl), answer.text);
});
