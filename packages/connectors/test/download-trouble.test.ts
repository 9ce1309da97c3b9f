import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { createConnector, type Download, type ErrorCode } from '@patchbay/connectors';
import { errorOf } from './support/connectors.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { deadUrl, reply, startUpstream, type OwnUpstream } from './support/upstreams.ts';

/** Tries of a read before the engine gives up. */
const TRIES = 5;

type Ticketing = ReturnType<typeof ticketingAt>;
type FileAnswer = (response: ServerResponse, nth: number, path: string) => void;

/** An upstream whose attachment 1 lies at `/file`, where `answer` has the word. */
async function startFiles(
  answer: FileAnswer,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<OwnUpstream & { readonly files: () => number }> {
  let files = 0;
  const upstream = await startUpstream((response, _nth, { line, headers }) => {
    const path = line.slice('GET '.length);
    if (!path.startsWith('/attachments/')) return answer(response, files++, path);
    const content_url = `http://${headers.host ?? ''}/file`;
    reply(response, 200, { attachment: { id: 1, content_url, ...metadata } });
  });
  return Object.assign(upstream, { files: () => files });
}

function ticketingAt(baseUrl: string, clock?: HandClock) {
  return createConnector('support-ticketing', {
    credentials: { access_token: 'opens-the-files' },
    config: { subdomain: 'acme' },
    baseUrl,
    upstreamLimits: 'reactive',
    random: () => 0,
    ...(clock === undefined ? {} : { clock }),
  });
}

function open(connector: Ticketing, options: object = {}): Promise<Download> {
  return connector.attachments.download({ attachment_id: 1 }, options);
}

async function textOf({ bytes }: Download): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The head of an answer and a piece of its body, of which the rest does not come. */
function begin(response: ServerResponse, status: number, headers: object = {}): void {
  response.writeHead(status, { 'content-length': '1000', ...headers });
  response.write('{"err');
}

test('a file of which nothing comes is given up at the deadline', async () => {
  await using upstream = await startFiles((response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.flushHeaders();
  });
  const error = await errorOf(open(ticketingAt(upstream.url), { timeoutMs: 200 }));
  assert.equal(error.code, 'upstream_timeout');
});

test('a part that nobody asked for is not taken for the file', async () => {
  await using upstream = await startFiles((response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-4/100' });
    response.end('hello');
  });
  const error = await errorOf(open(ticketingAt(upstream.url)));
  assert.equal(error.code, 'upstream_contract_broken');
});

describe('passing trouble of the host of files', () => {
  const troubles: readonly (readonly [string, FileAnswer])[] = [
    ['HTTP 500', (response) => reply(response, 500, 'Trouble')],
    ['HTTP 502', (response) => reply(response, 502, 'Trouble')],
    ['HTTP 503', (response) => reply(response, 503, 'Trouble')],
    ['HTTP 504', (response) => reply(response, 504, 'Trouble')],
    ['a reset before the answer', (response) => response.destroy()],
    ['an error that breaks off', breakOff],
    ['a file that breaks off before its first byte', breakOffUnbegun],
  ];
  for (const [name, trouble] of troubles) {
    test(`${name}, then the file: the file comes`, async () => {
      await using upstream = await startFiles((response, nth) =>
        nth < TRIES - 1 ? trouble(response, nth, '') : reply(response, 200, 'the file'),
      );
      const clock = new HandClock();
      const file = await turning(clock, open(ticketingAt(upstream.url, clock)));
      assert.equal(await textOf(file), 'the file');
      assert.equal(upstream.files(), TRIES);
    });

    test(`${name} for good: upstream_unavailable after five tries`, async () => {
      await using upstream = await startFiles(trouble);
      const clock = new HandClock();
      const error = await turning(clock, errorOf(open(ticketingAt(upstream.url, clock))));
      assert.equal(error.code, 'upstream_unavailable');
      assert.equal(upstream.files(), TRIES);
    });
  }

  test('HTTP 429: the next try comes when the host says', async () => {
    const clock = new HandClock();
    const startedAt = clock.now();
    const at: number[] = [];
    await using upstream = await startFiles((response, nth) => {
      at.push(clock.now() - startedAt);
      if (nth === 0) reply(response, 429, '', { 'retry-after': '7' });
      else reply(response, 200, 'the file');
    });
    const file = await turning(clock, open(ticketingAt(upstream.url, clock)));
    assert.equal(await textOf(file), 'the file');
    assert.deepEqual(at, [0, 7_000]);
  });

  test('HTTP 429 beyond the deadline is answered at once, with the seconds', async () => {
    await using upstream = await startFiles((response) =>
      reply(response, 429, '', { 'retry-after': '61' }),
    );
    const error = await errorOf(open(ticketingAt(upstream.url, new HandClock())));
    assert.equal(error.code, 'upstream_rate_limited');
    assert.equal(error.details.retryAfterSeconds, 61);
    assert.equal(upstream.files(), 1);
  });

  test('nothing listens there: three tries, then its address', async () => {
    const nowhere = await deadUrl();
    await using upstream = await startFiles(() => undefined, { content_url: `${nowhere}/file` });
    const clock = new HandClock();
    const connector = createConnector('support-ticketing', {
      credentials: { access_token: 'opens-the-files' },
      config: { subdomain: 'acme' },
      baseUrl: upstream.url,
      fileOrigins: [nowhere],
      random: () => 1,
      clock,
    });
    const error = await turning(clock, errorOf(open(connector)));
    assert.equal(error.code, 'upstream_unavailable');
    assert.ok(error.message.includes(nowhere), error.message);
    assert.doesNotMatch(error.message, /baseUrl/);
    assert.deepEqual(clock.asked, [60_000, 500, 2_000], 'the deadline, and 3 s of retries at most');
  });

  test('the way to the file begins anew with each try: what a redirect leads to may have ended', async () => {
    const asked: string[] = [];
    await using upstream = await startFiles((response, nth, path) => {
      asked.push(path);
      if (path === '/file') reply(response, 302, '', { location: `/signed/${nth}` });
      else if (nth === 1) reply(response, 503, '');
      else reply(response, 200, 'the file');
    });
    const clock = new HandClock();
    await textOf(await turning(clock, open(ticketingAt(upstream.url, clock))));
    assert.deepEqual(asked, ['/file', '/signed/0', '/file', '/signed/2']);
  });

  for (const [status, code] of [
    [403, 'upstream_forbidden'],
    [404, 'record_not_found'],
    [416, 'upstream_rejected'],
  ] as readonly (readonly [number, ErrorCode])[])
    test(`HTTP ${status} is ${code}, after one try`, async () => {
      await using upstream = await startFiles((response) => reply(response, status, 'No'));
      const error = await errorOf(open(ticketingAt(upstream.url)));
      assert.equal(error.code, code);
      assert.equal(upstream.files(), 1);
    });
});

describe('until the file is handed over, the deadline counts', () => {
  const silences: readonly (readonly [string, FileAnswer])[] = [
    ['an error', (response) => begin(response, 500)],
    ['a redirect', (response) => begin(response, 302, { location: '/elsewhere' })],
    ['a refusal', (response) => begin(response, 403)],
  ];
  for (const [what, answer] of silences) {
    test(`${what} that does not end is upstream_timeout`, { timeout: 10_000 }, async () => {
      await using upstream = await startFiles((response, nth, path) => {
        if (path === '/file') answer(response, nth, path);
      });
      const error = await errorOf(open(ticketingAt(upstream.url), { timeoutMs: 200 }));
      assert.equal(error.code, 'upstream_timeout');
    });

    test(
      `${what} that does not end is left when the caller aborts`,
      { timeout: 10_000 },
      async () => {
        const controller = new AbortController();
        const reason = new Error('the caller has left');
        await using upstream = await startFiles((response, nth, path) => {
          if (path === '/file') answer(response, nth, path);
          setTimeout(() => controller.abort(reason), 50);
        });
        const opening = open(ticketingAt(upstream.url), { signal: controller.signal });
        await assert.rejects(opening, (error) => error === reason);
      },
    );
  }

  test('afterwards it does not', async () => {
    const clock = new HandClock();
    await using upstream = await startFiles((response) => begin(response, 200));
    const file = await open(ticketingAt(upstream.url, clock));
    clock.advance(60_000);
    const reading = file.bytes[Symbol.asyncIterator]();
    assert.equal(Buffer.from((await reading.next()).value ?? []).toString(), '{"err');
    assert.equal(clock.pending, 0);
    await reading.return?.();
  });
});

const signIn: FileAnswer = (response) =>
  reply(response, 200, '<title>Sign in</title>', { 'content-type': 'text/html; charset=utf-8' });

function send(coding: string, bytes: Uint8Array, status = 200): FileAnswer {
  return (response) => {
    response.writeHead(status, {
      'content-type': 'text/plain',
      'content-encoding': coding,
      'content-length': bytes.length,
    });
    response.end(bytes);
  };
}

describe('a file that its host keeps compressed', () => {
  const text = 'the file, '.repeat(50_000);

  for (const [coding, bytes] of [
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ] as const)
    test(`as ${coding} comes as what it is`, async () => {
      await using upstream = await startFiles(send(coding, bytes));
      const file = await open(ticketingAt(upstream.url));
      assert.equal(file.sizeBytes, coding === 'identity' ? text.length : null);
      assert.equal(await textOf(file), text);
    });

  test('is asked for as what it is', async () => {
    const asked: unknown[] = [];
    await using upstream = await startFiles((response) => {
      asked.push(response.req.headers['accept-encoding']);
      reply(response, 200, text);
    });
    await textOf(await open(ticketingAt(upstream.url)));
    assert.deepEqual(asked, ['identity']);
  });

  for (const [what, answer] of [
    ['in a way that nobody knows', send('zip', Buffer.from('PK'))],
    ['twice', send('gzip, br', gzipSync(text))],
    ['of which a part was asked for', send('gzip', gzipSync(text).subarray(0, 20), 206)],
  ] as const)
    test(`${what} is upstream_contract_broken at once`, async () => {
      await using upstream = await startFiles(answer);
      const error = await errorOf(open(ticketingAt(upstream.url)));
      assert.equal(error.code, 'upstream_contract_broken');
      assert.match(error.message, /encoded as "/);
    });

  for (const [what, coding, bytes] of [
    ['is not what it says', 'gzip', Buffer.from('the file')],
    ['is not Brotli', 'br', Buffer.from([255, 255, 255, 255])],
    ['ends too early', 'gzip', gzipSync(text).subarray(0, 100)],
  ] as const)
    test(`that ${what} is upstream_contract_broken where that shows`, async () => {
      await using upstream = await startFiles(send(coding, bytes));
      // Some show when they are opened, others while they are read.
      const error = await errorOf(open(ticketingAt(upstream.url)).then(textOf));
      assert.equal(error.code, 'upstream_contract_broken');
    });

  test('breaks off as any other', async () => {
    await using upstream = await startFiles((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '100000' });
      response.write(gzipSync(text).subarray(0, 100), () => response.destroy());
    });
    const clock = new HandClock();
    const reading = errorOf(open(ticketingAt(upstream.url, clock)).then(textOf));
    assert.equal((await turning(clock, reading)).code, 'upstream_unavailable');
  });

  test('is left when its reader leaves, and is not read ahead of it', async () => {
    const left = Promise.withResolvers<void>();
    await using upstream = await startFiles((response) => {
      response.on('close', () => left.resolve());
      response.writeHead(200, { 'content-encoding': 'gzip' });
      // 64 MiB, of which each chunk is a thousandth as long.
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.end(Buffer.alloc(64 * 1024 * 1024));
    });
    const file = await open(ticketingAt(upstream.url));
    let sizeBytes = 0;
    for await (const chunk of file.bytes) {
      sizeBytes += chunk.length;
      assert.ok(chunk.length <= 64 * 1024, 'a chunk is a chunk');
      if (sizeBytes >= 100_000) break;
    }
    await left.promise;
    assert.ok(sizeBytes < 200_000);
  });
});

describe('a web page where a file belongs', () => {
  test('is upstream_forbidden where the metadata says otherwise', async () => {
    await using upstream = await startFiles(signIn, { content_type: 'application/pdf' });
    const error = await errorOf(open(ticketingAt(upstream.url)));
    assert.equal(error.code, 'upstream_forbidden');
    assert.equal(error.retry, 'never');
    assert.match(error.message, /web page .* sign-in page/);
    assert.match(error.message, /application\/pdf/);
    assert.ok(error.message.includes(upstream.url));
    assert.equal(upstream.files(), 1);
  });

  test('also behind a redirect', async () => {
    await using upstream = await startFiles(
      (response, nth, path) =>
        path === '/file'
          ? reply(response, 302, '', { location: '/access/unauthenticated?return_to=x' })
          : signIn(response, nth, path),
      { content_type: 'image/png' },
    );
    const error = await errorOf(open(ticketingAt(upstream.url)));
    assert.equal(error.code, 'upstream_forbidden');
  });

  for (const content_type of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    '',
    null,
    7,
  ])
    test(`is the file where the metadata says ${JSON.stringify(content_type)}`, async () => {
      await using upstream = await startFiles(signIn, { content_type });
      assert.equal(await textOf(await open(ticketingAt(upstream.url))), '<title>Sign in</title>');
    });

  test('is the file where the metadata says nothing', async () => {
    await using upstream = await startFiles(signIn);
    assert.equal(await textOf(await open(ticketingAt(upstream.url))), '<title>Sign in</title>');
  });

  test('one that says how to save it is a file, whatever the metadata says', async () => {
    await using upstream = await startFiles(
      (response) =>
        reply(response, 200, '<h1>A canvas</h1>', {
          'content-type': 'text/html',
          'content-disposition': 'inline; filename="canvas.html"',
        }),
      { content_type: 'application/vnd.notes' },
    );
    assert.equal(await textOf(await open(ticketingAt(upstream.url))), '<h1>A canvas</h1>');
  });

  test('a file of another type than the metadata says is no web page', async () => {
    await using upstream = await startFiles(
      (response) => reply(response, 200, 'the file', { 'content-type': 'text/plain' }),
      { content_type: 'application/pdf' },
    );
    assert.equal(await textOf(await open(ticketingAt(upstream.url))), 'the file');
  });
});

function breakOffUnbegun(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '1000' });
  response.flushHeaders();
  setImmediate(() => response.destroy());
}

function breakOff(response: ServerResponse): void {
  begin(response, 500);
  setImmediate(() => response.destroy());
}
