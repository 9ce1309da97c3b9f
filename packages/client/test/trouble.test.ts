import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { down, failing, limited, notReady, problem } from './support/failures.ts';
import { connectorAnswer } from './support/sample-answers.ts';
import { AMPLE_MS, startFastSlack, type FastSlack } from './support/start-fast-slack.ts';
import { TEAM_CHAT, watchFetch } from './support/start-hosted.ts';

let fast: FastSlack;
let clock: FastSlack['clock'];
let hosted: FastSlack['hosted'];
let watched: FastSlack['watched'];
let patchbay: FastSlack['patchbay'];
let slack: FastSlack['slack'];
before(async () => {
  fast = await startFastSlack();
  ({ clock, hosted, watched, patchbay, slack } = fast);
});
beforeEach(() => fast.reset());
after(() => fast[Symbol.asyncDispose]());

describe('trouble between client and service', () => {
  test('nothing listens there: not_ready, which names baseUrl', async () => {
    const baseUrl = await freeAddress();
    const other = hosted.client({ baseUrl, clock, timeoutMs: AMPLE_MS });
    const startedAt = clock.now();
    await assert.rejects(other.connectors.list(), (error) => {
      assert.ok(isConnectorError(error, 'not_ready'));
      return error.retry === 'backoff' && error.message.includes(baseUrl);
    });
    assert.ok(clock.now() - startedAt < AMPLE_MS / 2);
  });

  test('a read is repeated with backoff, up to five times', async () => {
    failing(watched, 2, down);
    assert.equal((await slack.users.list({ limit: 1 })).data.length, 1);
    assert.equal(watched.to('/execute').length, 3);
    watched.sent.length = 0;
    failing(watched, 100, async () => new Response('<html>', { status: 502 }));
    await assert.rejects(slack.users.list(), { code: 'not_ready' });
    assert.equal(watched.to('/execute').length, 5);
  });

  test('what the service says never to repeat is not repeated', async () => {
    failing(watched, 100, async () => problem(503, 'not_ready', 'never'));
    await assert.rejects(slack.users.list(), { code: 'not_ready', retry: 'never' });
    assert.equal(watched.to('/execute').length, 1);
  });

  test('an answer that breaks off is repeated for reads', async () => {
    failing(watched, 1, async () => new Response(brokenBody(), { status: 200 }));
    assert.equal((await slack.users.list({ limit: 1 })).data.length, 1);
    assert.equal(watched.to('/execute').length, 2);
  });

  test('Retry-After is honoured, within the deadline', async () => {
    failing(watched, 1, limited);
    const startedAt = clock.now();
    await slack.channels.create({ name: 'after-a-limit' });
    assert.ok(clock.now() - startedAt >= 950);
    watched.sent.length = 0;
    failing(watched, 1, () => limited(100));
    await assert.rejects(slack.users.list({}, { timeoutMs: 50_000 }), { code: 'rate_limited' });
    assert.equal(watched.to('/execute').length, 1);
  });

  test('a service that is not ready yet is asked again', async () => {
    failing(watched, 1, notReady);
    await slack.users.list({ limit: 1 });
    assert.equal(watched.to('/execute').length, 2);
  });

  test('a signal ends a call with its own reason', async () => {
    hosted.sandbox.faults.add({ kind: 'hang' });
    const controller = new AbortController();
    const { signal } = controller;
    const calls = [
      slack.users.list({}, { signal }),
      slack.channels.create({ name: 'aborted' }, { signal }),
      slack.users.list.all({}, { signal }).next(),
      patchbay.connectors.list({}, { signal: AbortSignal.abort(new Error('enough')) }),
    ];
    controller.abort(new Error('enough'));
    for (const call of calls) await assert.rejects(call, { message: 'enough' });
  });

  test('a service that says nothing runs into the deadline', async () => {
    const silent = watchFetch();
    // A `fetch` that hangs until its signal aborts, as the real one does.
    const other = hosted.client({
      fetch: (input, init) =>
        typeof input === 'string' && input.endsWith('/connectors')
          ? new Promise((_, reject) =>
              init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
            )
          : silent.fetch(input, init),
    });
    await other.connectors.list({ limit: 1 });
    await assert.rejects(other.connectors.list({}, { timeoutMs: 20 }), {
      code: 'upstream_timeout',
      message: /no answer within the deadline of 20 ms/,
    });
    await assert.rejects(other.connectors.create(TEAM_CHAT, { timeoutMs: 20 }), {
      code: 'write_outcome_unknown',
    });
  });

  test('another program at baseUrl is told from a service', async () => {
    failing(watched, 1, async () => new Response('<html>Welcome</html>', { status: 200 }));
    await assert.rejects(slack.users.list(), { code: 'route_not_found', message: /baseUrl/ });
    failing(watched, 1, async () => Response.json({ hello: 'world' }));
    await assert.rejects(slack.users.list(), (error) => {
      assert.ok(isConnectorError(error, 'internal'));
      assert.match(error.message, /something else than the answer to POST \/api\/.*\/execute \(/);
      return !error.message.includes('world');
    });
  });

  test('what a later service adds is no trouble; what is missing or of another type is', async () => {
    const info = connectorAnswer({ id: slack.id, status: 'resting' });
    const answers: readonly (readonly [answer: object, told?: RegExp])[] = [
      [{ ...info, mood: 'fine' }],
      [{ ...info, config: { ...info.config, more: 1 } }],
      [{ ...info, name: null }, /\/name must be string/],
      [{ ...info, created_at: 1 }, /\/created_at must be string/],
      [{ id: info.id }, /must have required properties name/],
    ];
    for (const [answer, told] of answers) {
      watched.instead = async () => Response.json(answer);
      const found = patchbay.connectors.get(slack.id);
      if (told === undefined) assert.deepEqual(await found, answer);
      else await assert.rejects(found, { code: 'internal', message: told });
    }
  });

  test('of an earlier service, what came later is null: alone, in a list, and inside of objects', async () => {
    const info = connectorAnswer({ id: slack.id });
    const { freshness, last_error: _, ...earliest } = info;
    const { interval_seconds: __, record_count: ___, ...earlier } = freshness ?? {};
    watched.instead = async () => Response.json(earliest);
    assert.deepEqual(await patchbay.connectors.get(slack.id), {
      ...earliest,
      freshness: null,
      last_error: null,
    });
    watched.instead = async () =>
      Response.json({ data: [{ ...info, freshness: earlier }], next: null });
    const { data } = await patchbay.connectors.list();
    assert.deepEqual(data, [
      { ...info, freshness: { ...earlier, interval_seconds: null, record_count: null } },
    ]);
  });
});

/** An address where nothing listens. */
async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP, so it has a port.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

function brokenBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"status"'));
      controller.error(new Error('terminated'));
    },
  });
}
