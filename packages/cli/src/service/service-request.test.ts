import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startFakeService } from '../../test/support/fake-service.ts';
import { sendToService, streamFromService } from './service-request.ts';

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

const REFUSAL = {
  type: 'https://patchbay.dev/errors/unauthenticated',
  title: 'The request carries no valid bearer token.',
  status: 401,
  code: 'unauthenticated',
  retry: 'never',
  request_id: '01a22de7-8463-7835-b030-0a663a13a6f1',
  errors: [],
};

for (const [what, secret, said] of [
  ['keeps its words, where the secret is a short one', 'y', 'y'],
  ['does not repeat a secret', 'a secret of the program', '[secret]'],
  ['does not repeat a secret that JSON has escaped', 'a "secret" of the program', '[secret]'],
] as const)
  test(`the refusal of a service ${what}`, async () => {
    await using service = await startFakeService((_request, response) => {
      const detail = `No application has ${secret}.`;
      const problem = { ...REFUSAL, detail, message: detail };
      response.writeHead(401, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify(problem));
    });
    const { signal } = new AbortController();
    await assert.rejects(
      sendToService({ method: 'POST', path: '/' }, { baseUrl: service.url, signal, secret }),
      { code: 'unauthenticated', message: `No application has ${said}.` },
    );
  });
