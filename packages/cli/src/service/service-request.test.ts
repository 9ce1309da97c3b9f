import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startFakeService } from '../../test/support/fake-service.ts';
import { streamFromService } from './service-request.ts';

test('whoever reads a stream no further leaves nobody sending', async () => {
  let isOver: Promise<unknown> | undefined;
  await using service = await startFakeService((_request, response) => {
    isOver = once(response, 'close', { signal: AbortSignal.timeout(10_000) });
    response.writeHead(200).write('a beginning');
  });
  const { signal } = new AbortController();
  const bytes = await streamFromService(
    { method: 'GET', path: '/' },
    { baseUrl: service.url, signal },
  );
  for await (const chunk of bytes) {
    assert.equal(Buffer.from(chunk).toString(), 'a beginning');
    break;
  }
  await isOver;
});
