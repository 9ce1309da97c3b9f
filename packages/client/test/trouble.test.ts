import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { isConnectorError, type Kinds } from '@patchbay/connectors';
import type { HostedConnector, Patchbay } from '../src/index.ts';
import {
  makeFastClock,
  startHosted,
  TEAM_CHAT,
  watchFetch,
  type Hosted,
  type WatchedFetch,
} from './support/start-hosted.ts';

/** Nobody waits for backoff here: this clock, timers included, runs 50 times as fast. */
const clock = makeFastClock(50);
let hosted: Hosted;
let watched: WatchedFetch;
let patchbay: Patchbay;
let slack: HostedConnector<Kinds['chat-workspace']>;
before(async () => {
  hosted = await startHosted();
  watched = watchFetch();
  patchbay = hosted.client({ fetch: watched.fetch, clock });
  await patchbay.connectors.create(TEAM_CHAT);
  slack = await patchbay.connector('chat-workspace');
});
beforeEach(() => {
  watched.instead = undefined;
  watched.sent.length = 0;
  hosted.sandbox.faults.clear();
  hosted.sandbox.resetRequests();
});
after(() => hosted[Symbol.asyncDispose]());

describe('trouble between client and service', () => {
  test('nothing listens there: not_ready, which names baseUrl', async () => {
    const baseUrl = await freeAddress();
    const other = hosted.client({ baseUrl, clock });
    const startedAt = clock.now();
    await assert.rejects(other.connectors.list(), (error) => {
      assert.ok(isConnectorError(error, 'not_ready'));
      return error.retry === 'backoff' && error.message.includes(baseUrl);
    });
    assert.ok(clock.now() - startedAt < 10_000);
  });

  test('a read is repeated with backoff, up to five times', async () => {
    failing(2, down);
    assert.equal((await slack.users.list({ limit: 1 })).data.length, 1);
    assert.equal(watched.to('/execute').length, 3);
    watched.sent.length = 0;
    failing(100, async () => new Response('<html>', { status: 502 }));
    await assert.rejects(slack.users.list(), { code: 'not_ready' });
    assert.equal(watched.to('/execute').length, 5);
  });

  test('an answer that breaks off is repeated for reads', async () => {
    failing(1, async () => new Response(brokenBody(), { status: 200 }));
    assert.equal((await slack.users.list({ limit: 1 })).data.length, 1);
    assert.equal(watched.to('/execute').length, 2);
  });

  test('Retry-After is honoured, within the deadline', async () => {
    failing(1, limited);
    const startedAt = clock.now();
    await slack.channels.create({ name: 'after-a-limit' });
    assert.ok(clock.now() - startedAt >= 950);
    watched.sent.length = 0;
    failing(1, limited);
    await assert.rejects(slack.users.list({}, { timeoutMs: 500 }), { code: 'rate_limited' });
    assert.equal(watched.to('/execute').length, 1);
  });

  test('a write without a key is not repeated, and says that nobody knows', async () => {
    for (const fail of [down, async () => new Response('bad gateway', { status: 502 })]) {
      watched.sent.length = 0;
      failing(1, fail, true);
      await assert.rejects(
        slack.channels.create({ name: `made-${watched.sent.length}-${fail.name}` }),
        (error) => {
          assert.ok(isConnectorError(error, 'write_outcome_unknown'));
          assert.match(error.message, /may or may not have happened; it was not repeated/);
          return typeof error.details.howToFindOut === 'string' && error.retry === 'never';
        },
      );
      assert.equal(watched.to('/execute').length, 1);
    }
    assert.equal(created(), 2);
  });

  test('a write with a key is repeated with that key, and happens once', async () => {
    failing(2, down, true);
    const options = { idempotencyKey: 'key-1' };
    const channel = await slack.channels.create({ name: 'with-a-key' }, options);
    assert.equal(channel.name, 'with-a-key');
    assert.equal(created(), 1);
    const keys = watched.to('/execute').map(({ headers }) => headers.get('idempotency-key'));
    assert.deepEqual(keys, ['key-1', 'key-1', 'key-1']);
    watched.instead = undefined;
    assert.deepEqual(await slack.channels.create({ name: 'with-a-key' }, options), channel);
    assert.equal(created(), 1);
    await assert.rejects(slack.channels.create({ name: 'another' }, options), {
      code: 'idempotency_key_reused',
    });
  });

  test('a write with a key that stays unanswered is unknown, and safe to repeat', async () => {
    failing(100, down);
    await assert.rejects(slack.channels.create({ name: 'lost' }, { idempotencyKey: 'key-2' }), {
      code: 'write_outcome_unknown',
      message: /same idempotencyKey is safe/,
    });
  });

  test('a write that surely did not leave may be repeated, or is just not done', async () => {
    failing(1, refused);
    await slack.channels.create({ name: 'second-try' });
    assert.equal(created(), 1);
    failing(100, refused);
    await assert.rejects(slack.channels.create({ name: 'third' }), { code: 'not_ready' });
  });

  test('a service that is not ready: reads are repeated, writes without a key are told', async () => {
    failing(1, notReady);
    await slack.users.list({ limit: 1 });
    failing(1, notReady);
    await assert.rejects(slack.channels.create({ name: 'early' }), { code: 'not_ready' });
    failing(1, notReady);
    await slack.channels.create({ name: 'early' }, { idempotencyKey: 'key-3' });
    assert.equal(created(), 1);
  });

  test('connectors are not created twice', async () => {
    let count = 0;
    watched.instead = async ({ method }, send) => {
      if (method !== 'POST' || count++ > 0) return send();
      await send();
      return down();
    };
    const name = 'Created once';
    await assert.rejects(patchbay.connectors.create({ ...TEAM_CHAT, name }), {
      code: 'write_outcome_unknown',
      message: /List the connectors/,
    });
    const { data } = await patchbay.connectors.list();
    const made = data.filter((each) => each.name === name);
    assert.equal(made.length, 1);
    await Promise.all(made.map(({ id }) => patchbay.connectors.delete(id)));
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
    failing(1, async () => new Response('<html>Welcome</html>', { status: 200 }));
    await assert.rejects(slack.users.list(), { code: 'route_not_found', message: /baseUrl/ });
    failing(1, async () => Response.json({ hello: 'world' }));
    await assert.rejects(slack.users.list(), { code: 'internal' });
  });

  test('keys that no header can carry are refused here', async () => {
    for (const idempotencyKey of ['', ' x', 'a\nb', 'ü', 'x'.repeat(256)])
      await assert.rejects(slack.channels.create({ name: 'x' }, { idempotencyKey }), {
        code: 'invalid_request',
      });
    assert.equal(watched.sent.length, 0);
  });
});

/** The first `times` requests to execute go wrong, before or after the service has had them. */
function failing(times: number, fail: () => Promise<Response>, hasArrived = false): void {
  let count = 0;
  watched.instead = async ({ path }, send) => {
    if (!path.endsWith('/execute') || ++count > times) return send();
    if (hasArrived) await (await send()).text();
    return fail();
  };
}

async function down(): Promise<Response> {
  throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
}

async function refused(): Promise<Response> {
  const cause = Object.assign(new Error('refused'), { syscall: 'connect' });
  throw new TypeError('fetch failed', { cause: new AggregateError([cause, cause]) });
}

async function limited(): Promise<Response> {
  return Response.json(
    { code: 'rate_limited', status: 429, retry: 'after', message: 'Slow down.', errors: [] },
    { status: 429, headers: { 'retry-after': '1' } },
  );
}

async function notReady(): Promise<Response> {
  return Response.json(
    { code: 'not_ready', status: 503, retry: 'backoff', message: 'Starting.', errors: [] },
    { status: 503 },
  );
}

/** How many channels the upstream was asked to make. */
function created(): number {
  return hosted.sandbox.requests().filter(({ method }) => method === 'conversations.create').length;
}

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
