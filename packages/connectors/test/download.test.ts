import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { Agent, Dispatcher } from 'undici';
import { ConnectorEngine } from '../src/execution/connector-engine.ts';
import { isConnectorError } from '../src/errors.ts';
import {
  bearer,
  connectorKind,
  credential,
  download,
  entity,
  field,
  list,
  param,
  type Download,
} from '../src/vocabulary/index.ts';
import { FailingDispatcher, systemError } from './support/failing-dispatcher.ts';

const reference = 'https://example.com';

/** A kind with files, and hosts of its own for them. */
const files = connectorKind({
  kind: 'file-shop',
  displayName: 'File Shop',
  aliases: [],
  definitionId: '00000000-0000-4000-8000-000000000001',
  doc: 'Files.',
  reference,
  baseUrl: 'https://x.zendesk.com/api/v2',
  auth: {
    token: bearer({
      label: 'Token',
      doc: 'A token.',
      fields: { access_token: credential.required('Token.') },
      token: 'access_token',
    }),
  },
  config: {},
  replicationConfig: {},
  requiresReplicationConfig: false,
  errors: { code: 'error', codes: {}, writeMayHaveHappened: [] },
  checks: [{ entity: 'comments', action: 'list', params: { ticket_id: 1 } }],
  entities: {
    comments: entity({
      name: 'comments',
      doc: 'Comments of a ticket.',
      reference,
      key: 'id',
      record: {
        id: field.integer('Id.', { always: true }),
        attachments: field.array('Files.'),
      },
      actions: {
        list: list({
          doc: 'Lists comments.',
          reference,
          request: 'GET /tickets/{ticket_id}/comments',
          params: { ticket_id: param.integer('Ticket.', { required: true }) },
          records: 'comments',
        }),
      },
    }),
    attachments: entity({
      name: 'attachments',
      doc: 'Files of comments.',
      reference,
      key: 'id',
      record: { id: field.integer('Id.', { always: true }) },
      actions: {
        download: download({
          doc: 'Reads a file.',
          reference,
          request: 'GET /attachments/{attachment_id}',
          params: {
            attachment_id: param.integer('Attachment.', { required: true }),
            range_header: param.string('Range of bytes.', { goesTo: 'nowhere' }),
          },
          url: 'attachment.content_url',
          rangeParam: 'range_header',
          fileHosts: ['*.zdusercontent.com', '*.zendesk.com'],
        }),
      },
    }),
  },
  extensions: [],
});

interface Attachment {
  readonly id: number;
  readonly size: number;
  readonly content_type: string;
}

/** Reaches this machine alone; what would go elsewhere is noted, and not found. */
class LocalDispatcher extends Dispatcher {
  readonly elsewhere: { readonly origin: string; readonly hasCredentials: boolean }[] = [];
  readonly #agent = new Agent();

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const origin = String(options.origin);
    if (new URL(origin).hostname === '127.0.0.1') return this.#agent.dispatch(options, handler);
    const hasCredentials = JSON.stringify(options.headers).includes('a-token-for-files');
    this.elsewhere.push({ origin, hasCredentials });
    return new FailingDispatcher(systemError('ENOTFOUND', 'getaddrinfo')).dispatch(
      options,
      handler,
    );
  }

  override close = (): Promise<void> => this.#agent.close();
}

function engineAt(
  baseUrl: string,
  fileOrigins: readonly string[] = [],
  dispatcher: Dispatcher = new Agent(),
): ConnectorEngine {
  return new ConnectorEngine({
    dispatcher,
    kind: files,
    authorize: () => ({ method: 'token', values: { access_token: 'a-token-for-files' } }),
    config: {},
    baseUrl,
    fileOrigins,
    upstreamLimits: 'reactive',
    random: () => 0,
  });
}

function open(
  engine: ConnectorEngine,
  params: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Download> {
  // The action is a download, so the outcome is a file.
  const options = signal === undefined ? {} : { signal };
  return engine.execute('attachments', 'download', params, options) as Promise<Download>;
}

async function read(file: Download): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('downloads', () => {
  let sandbox: Sandbox;
  let engine: ConnectorEngine;
  let attachments: readonly Attachment[];

  before(async () => {
    sandbox = await startSandbox({ scale: 10 });
    engine = engineAt(sandbox.urls.zendeskSupport, [sandbox.urls.zendeskFiles]);
    const page = (await engine.execute('comments', 'list', { ticket_id: 1 })) as {
      readonly data: readonly { readonly attachments: readonly Attachment[] | null }[];
    };
    attachments = page.data[0]?.attachments ?? [];
    assert.equal(attachments.length, 4);
  });
  after(() => sandbox.close());

  const bySize = (least: number, most: number) => {
    const found = attachments.find(({ size }) => size >= least && size <= most);
    assert.ok(found !== undefined);
    return found;
  };

  test('follow the redirect to the file host, and bring type, size and every byte', async () => {
    const { id, size, content_type } = bySize(1, 100_000);
    sandbox.resetRequests();
    const file = await open(engine, { attachment_id: id });
    assert.deepEqual(
      [file.isPartial, file.contentType, file.sizeBytes],
      [false, content_type, size],
    );
    assert.equal((await read(file)).length, size);
    const seen = sandbox.requests().map(({ method, authorization }) => [method, authorization]);
    assert.deepEqual(seen, [
      ['GET /attachments/{attachment_id}', 'Bearer'],
      ['GET /attachments/token/{token}', 'Bearer'],
      // Another origin: it gets no credentials.
      ['GET /files/{file}', null],
    ]);
  });

  test('take a range, and parts make the whole', async () => {
    const { id, size } = bySize(1, 100_000);
    const whole = await read(await open(engine, { attachment_id: id }));
    const half = Math.floor(size / 2);
    const parts: Buffer[] = [];
    for (const range_header of [`bytes=0-${half - 1}`, `bytes=${half}-`]) {
      const file = await open(engine, { attachment_id: id, range_header });
      assert.equal(file.isPartial, true);
      assert.match(file.contentRange ?? '', new RegExp(`/${size}$`));
      parts.push(await read(file));
    }
    assert.ok(Buffer.concat(parts).equals(whole));
    const beyond = open(engine, { attachment_id: id, range_header: `bytes=${size}-` });
    await assert.rejects(beyond, (error) => isConnectorError(error, 'upstream_rejected'));
  });

  test('hold one chunk of a file of 1 GiB, not the file', { timeout: 60_000 }, async () => {
    const { id, size } = bySize(2 ** 30, 2 ** 30);
    const file = await open(engine, { attachment_id: id });
    const digest = createHash('sha1');
    let bytes = 0;
    let mostHeld = 0;
    for await (const chunk of file.bytes) {
      if (bytes % (64 * 2 ** 20) < chunk.length) mostHeld = Math.max(mostHeld, heldBytes());
      bytes += chunk.length;
      digest.update(chunk.subarray(0, 16));
    }
    assert.equal(bytes, size);
    assert.ok(mostHeld < 300 * 2 ** 20, `${mostHeld} bytes of buffers held`);
  });

  test('end when the caller leaves or aborts', async () => {
    const { id } = bySize(2 ** 30, 2 ** 30);
    for await (const chunk of (await open(engine, { attachment_id: id })).bytes) {
      assert.ok(chunk.length > 0);
      break;
    }
    const controller = new AbortController();
    const file = await open(engine, { attachment_id: id }, controller.signal);
    const reading = (async () => {
      for await (const chunk of file.bytes)
        if (chunk.length > 0) controller.abort(new Error('enough'));
    })();
    await assert.rejects(reading, { message: 'enough' });
  });

  for (const to of ['undeclaredHost', 'http', 'loop'] as const)
    test(`do not follow a redirect to ${to}`, async () => {
      const { id } = bySize(1, 100_000);
      const fault = sandbox.faults.add({ kind: 'redirect', to });
      sandbox.resetRequests();
      try {
        await assert.rejects(open(engine, { attachment_id: id }), (error) =>
          isConnectorError(error, 'upstream_contract_broken'),
        );
      } finally {
        fault.release();
      }
      assert.ok(sandbox.requests().length < 12);
    });

  test('an unknown file is record_not_found', async () => {
    await assert.rejects(open(engine, { attachment_id: 1 }), (error) =>
      isConnectorError(error, 'record_not_found'),
    );
  });
});

describe('where files may come from', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ['https://p1.zdusercontent.com/file', true],
    ['https://x.zendesk.com/attachments/1', true],
    ['https://x.zendesk.com.evil/attachments/1', false],
    ['https://evilzendesk.com/attachments/1', false],
    ['https://zendesk.com.evil.example/', false],
    ['https://x.zendesk.com@evil.example/', false],
    ['http://x.zendesk.com/attachments/1', false],
    ['https://x.zendesk.com:8443/', false],
    ['ftp://x.zendesk.com/', false],
    ['file:///etc/passwd', false],
    ['https://127.0.0.1/', false],
    ['not a url', false],
  ];
  for (const [url, isTrusted] of rows)
    test(`${url} is ${isTrusted ? 'fetched without credentials' : 'refused, and never asked'}`, async () => {
      const dispatcher = new LocalDispatcher();
      await using upstream = await upstreamNaming(url, dispatcher);
      const outcome: unknown = await open(upstream.engine, { attachment_id: 1 }).catch(
        (error: unknown) => error,
      );
      assert.ok(isConnectorError(outcome));
      const code = isTrusted ? 'upstream_unavailable' : 'upstream_contract_broken';
      assert.equal(outcome.code, code, outcome.message);
      const asked = isTrusted ? [{ origin: new URL(url).origin, hasCredentials: false }] : [];
      // Nothing is reached there, so it is tried three times.
      assert.deepEqual(dispatcher.elsewhere, [...asked, ...asked, ...asked]);
    });
});

/** An upstream whose attachment lies at a URL; the engine that talks to it. */
async function upstreamNaming(
  url: string,
  dispatcher: LocalDispatcher,
): Promise<AsyncDisposable & { readonly engine: ConnectorEngine }> {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ attachment: { id: 1, content_url: url } }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    engine: engineAt(`http://127.0.0.1:${port}`, [], dispatcher),
    [Symbol.asyncDispose]: async () => {
      await dispatcher.close();
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function heldBytes(): number {
  const { arrayBuffers, external } = process.memoryUsage();
  return Math.max(arrayBuffers, external);
}
