/** A download that nobody begins to read lets its connection go. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { createConnector, type Download } from '@patchbay/connectors';
import { reply, startUpstream, type OwnUpstream } from './support/upstreams.ts';

let upstream: OwnUpstream;
let open = 0;
let closed = Promise.withResolvers<void>();
before(async () => {
  upstream = await startUpstream((response, _, { line }) => {
    if (!line.endsWith('/file'))
      return reply(response, 200, { attachment: { id: 1, content_url: `${upstream.url}/file` } });
    open += 1;
    closed = Promise.withResolvers<void>();
    response.once('close', () => {
      open -= 1;
      closed.resolve();
    });
    response.writeHead(200, { 'content-type': 'image/png' });
    // More than is buffered on the way, so that it waits for its reader.
    response.end(Buffer.alloc(64 * 1024 * 1024));
  });
});
after(() => upstream[Symbol.asyncDispose]());

function download(): Promise<Download> {
  const connector = createConnector('support-ticketing', {
    credentials: { access_token: 'any' },
    baseUrl: upstream.url,
    upstreamLimits: 'reactive',
  });
  return connector.attachments.download({ attachment_id: 1 });
}

const ABANDONMENTS: Readonly<Record<string, (file: Download) => unknown>> = {
  'bytes.return() before the first chunk': ({ bytes }) => bytes[Symbol.asyncIterator]().return?.(),
  'a Readable of it that is destroyed': ({ bytes }) => Readable.from(bytes).destroy(),
};

for (const [what, abandon] of Object.entries(ABANDONMENTS))
  test(`${what} ends it`, async () => {
    await abandon(await download());
    await Promise.race([closed.promise, setTimeout(5_000, undefined, { ref: false })]);
    assert.equal(open, 0);
  });
