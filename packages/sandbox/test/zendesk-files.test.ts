import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { field, objects, sandboxForTest, text, TOKEN } from './support.ts';
import { support } from './zendesk-calls.ts';

async function firstTicketFiles(sandbox: Sandbox) {
  const { body } = await support(sandbox, '/tickets/1/comments');
  const [comment] = objects(field(body, 'comments'));
  return objects(comment?.['attachments']);
}

/** The address of a file of the first ticket: an image, a text, a huge one or an empty one. */
async function fileUrl(sandbox: Sandbox, nth: number): Promise<string> {
  return text((await firstTicketFiles(sandbox))[nth], 'content_url');
}

async function download(url: string, range?: string) {
  return await fetch(url, range === undefined ? {} : { headers: { range } });
}

describe('files', () => {
  it('an attachment says what it is, and its address leads to the file host', async () => {
    await using sandbox = await sandboxForTest();
    const [image] = await firstTicketFiles(sandbox);
    const alone = await support(sandbox, `/attachments/${String(image?.['id'])}.json`);
    assert.deepEqual(field(alone.body, 'attachment'), image);
    const url = text(image, 'content_url');
    assert.equal(new URL(url).origin, sandbox.url);
    assert.ok(!url.startsWith(sandbox.urls.zendeskSupport));
    const redirect = await fetch(url, { redirect: 'manual' });
    assert.equal(redirect.status, 302);
    const location = redirect.headers.get('location') ?? '';
    assert.equal(new URL(location).origin, sandbox.urls.zendeskFiles);
    assert.notEqual(sandbox.urls.zendeskFiles, sandbox.url);
    const file = await download(url);
    assert.equal(file.status, 200);
    assert.equal(file.headers.get('content-type'), 'image/png');
    assert.equal(file.headers.get('content-length'), '45678');
    assert.equal((await file.arrayBuffer()).byteLength, 45_678);
    assert.equal((await support(sandbox, '/attachments/123')).status, 404);
  });

  it('every attachment that a comment lists can be had', async () => {
    // As `patchbay start` has it.
    await using sandbox = await startSandbox();
    const missing: string[] = [];
    let listed = 0;
    for (let ticket = 1; ; ticket += 1) {
      const path = `/tickets/${ticket}/comments?include_inline_images=true&page[size]=100`;
      const { status: found, body } = await support(sandbox, path);
      if (found === 404) break;
      const comments = objects(field(body, 'comments'));
      for (const attachment of comments.flatMap((each) => objects(each['attachments']))) {
        listed += 1;
        const url = text(attachment, 'content_url');
        const { status } = await fetch(url, { redirect: 'manual' });
        if (status !== 302) missing.push(`${status} ${url}`);
      }
    }
    assert.ok(listed > 250, `only ${listed} were listed`);
    assert.deepEqual(missing, []);
  });

  it('article attachments work alike', async () => {
    await using sandbox = await sandboxForTest({ scale: 130 });
    const { body } = await support(
      sandbox,
      '/help_center/articles?per_page=100&sort_by=created_at',
    );
    const id = String(objects(field(body, 'articles'))[3]?.['id']);
    const list = await support(sandbox, `/help_center/articles/${id}/attachments.json`);
    const [first, second] = objects(field(list.body, 'article_attachments'));
    const path = `/help_center/articles/${id}/attachments/${String(first?.['id'])}`;
    const alone = await support(sandbox, path);
    assert.deepEqual(field(alone.body, 'article_attachment'), first);
    const file = await download(text(second, 'content_url'));
    assert.equal((await file.arrayBuffer()).byteLength, second?.['size']);
    assert.equal((await support(sandbox, `/help_center/articles/1/attachments`)).status, 404);
    const other = await support(
      sandbox,
      `/help_center/articles/${String(objects(field(body, 'articles'))[2]?.['id'])}/attachments/${String(first?.['id'])}`,
    );
    assert.equal(other.status, 404);
  });

  it('a range gives the bytes that the whole file has there', async () => {
    await using sandbox = await sandboxForTest();
    const url = await fileUrl(sandbox, 1);
    const whole = Buffer.from(await (await download(url)).arrayBuffer());
    assert.equal(whole.length, 2_000_000);
    const ranges: readonly (readonly [string, number, number])[] = [
      ['bytes=0-0', 0, 1],
      ['bytes=65500-65600', 65_500, 65_601],
      ['bytes=131042-400000', 131_042, 400_001],
      ['bytes=1999999-', 1_999_999, 2_000_000],
      ['bytes=1999990-9999999', 1_999_990, 2_000_000],
      ['bytes=-100', 1_999_900, 2_000_000],
    ];
    for (const [range, start, end] of ranges) {
      const part = await download(url, range);
      assert.equal(part.status, 206, range);
      assert.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/2000000`);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(start, end), range);
    }
    for (const wrong of ['bytes=2000000-', 'bytes=-0']) {
      const refused = await download(url, wrong);
      assert.equal(refused.status, 416);
      assert.equal(refused.headers.get('content-range'), 'bytes */2000000');
    }
    for (const ignored of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=5-2']) {
      const full = await download(url, ignored);
      assert.equal(full.status, 200);
      await full.body?.cancel();
    }
    const empty = await download(await fileUrl(sandbox, 3));
    assert.equal((await empty.arrayBuffer()).byteLength, 0);
  });

  it('a file of a gigabyte begins at once, can be left, and is never in memory', async () => {
    await using sandbox = await sandboxForTest();
    const url = await fileUrl(sandbox, 2);
    const before = process.memoryUsage().rss;
    const stop = new AbortController();
    const response = await fetch(url, { signal: stop.signal });
    assert.equal(response.headers.get('content-length'), '1073741824');
    const chunks: AsyncIterable<Uint8Array> | null = response.body;
    let bytes = 0;
    for await (const chunk of chunks ?? []) {
      bytes += chunk.length;
      if (bytes > 100_000_000) break;
    }
    stop.abort();
    assert.ok(process.memoryUsage().rss - before < 100_000_000);
    const end = await download(url, 'bytes=1073741820-');
    assert.equal((await end.arrayBuffer()).byteLength, 4);
  });

  it('the log shows whether credentials came to the file host', async () => {
    await using sandbox = await sandboxForTest();
    const url = await fileUrl(sandbox, 0);
    sandbox.resetRequests();
    const authorization = `Bearer ${TOKEN}`;
    // A careful client sends no credentials to another origin, so the test sends them by hand.
    const redirect = await fetch(url, { redirect: 'manual', headers: { authorization } });
    await fetch(redirect.headers.get('location') ?? '', { headers: { authorization } });
    await fetch(url, { headers: { authorization } });
    const seen = sandbox.requests().map(({ method, authorization: scheme }) => [method, scheme]);
    assert.deepEqual(seen, [
      ['GET /attachments/token/{token}', 'Bearer'],
      ['GET /files/{file}', 'Bearer'],
      ['GET /attachments/token/{token}', 'Bearer'],
      ['GET /files/{file}', null],
    ]);
  });

  it('redirects can lead astray: to an undeclared host, nowhere, in a circle', async () => {
    await using sandbox = await sandboxForTest();
    const url = await fileUrl(sandbox, 0);
    const locationFor = async (to: string) => {
      sandbox.faults.add({ kind: 'redirect', to, times: 1 });
      const response = await fetch(url, { redirect: 'manual' });
      return response.headers.get('location') ?? '';
    };
    const undeclared = await locationFor('undeclaredHost');
    assert.match(undeclared, /^http:\/\/localhost:\d+\/files\//);
    assert.match(await locationFor('http'), /^http:\/\/files\.zendesk\.invalid\//);
    assert.equal(new URL(await locationFor('loop')).pathname, new URL(url).pathname);
    const given = 'https://x.zendesk.com.evil.example/file';
    assert.equal(await locationFor(given), given);
    const handle = sandbox.faults.add({ kind: 'redirect', to: 'loop' });
    await support(sandbox, '/tickets/1');
    assert.equal(sandbox.faults.list()[0]?.hits, 0);
    await assert.rejects(download(url), TypeError);
    assert.ok(handle.hits > 5);
    handle.release();
    assert.throws(() => sandbox.faults.add({ kind: 'redirect', to: 'elsewhere' }));
  });

  it('faults in the transport meet files too', async () => {
    await using sandbox = await sandboxForTest();
    const url = await fileUrl(sandbox, 1);
    const method = 'GET /files/{file}';
    sandbox.faults.add({ kind: 'truncate', method, times: 1 });
    await assert.rejects((await download(url)).arrayBuffer());
    sandbox.faults.add({ kind: 'truncate', how: 'json', method, times: 1 });
    assert.equal((await (await download(url)).arrayBuffer()).byteLength, 1_000_000);
    sandbox.faults.add({ kind: 'serverError', status: 503, method, times: 1 });
    assert.equal((await download(url)).status, 503);
    sandbox.faults.add({ kind: 'upstreamError', error: 'AccessDenied', method, times: 1 });
    assert.equal((await download(url)).status, 403);
    sandbox.faults.add({ kind: 'rateLimit', retryAfterSeconds: 3, times: 1 });
    assert.equal((await download(url)).headers.get('retry-after'), '3');
    assert.equal((await download(`${sandbox.urls.zendeskFiles}/files/1/none`)).status, 404);
    assert.equal((await download(`${sandbox.url}/zendesk/attachments/token/none/`)).status, 404);
  });
});
