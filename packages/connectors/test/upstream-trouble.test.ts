import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Agent } from 'undici';
import type { ErrorCode } from '@patchbay/connectors';
import { startSandbox, type Fault } from '@patchbay/sandbox';
import { connectorFor, errorOf } from './support/connectors.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { deadUrl, reply, startUpstream } from './support/upstreams.ts';

/** Tries of a read before the engine gives up. */
const TRIES = 5;
const USERS = { ok: true, members: [], response_metadata: { next_cursor: '' } };

describe('Slack’s own refusals', () => {
  const refusals: readonly (readonly [string, ErrorCode])[] = [
    ['invalid_auth', 'credentials_rejected'],
    ['token_expired', 'credentials_rejected'],
    ['access_denied', 'upstream_forbidden'],
    ['user_not_found', 'record_not_found'],
    ['invalid_cursor', 'invalid_cursor'],
    ['invalid_arguments', 'upstream_rejected'],
    ['a_code_that_nobody_knows', 'upstream_rejected'],
    ['constructor', 'upstream_rejected'],
  ];
  for (const [error, code] of refusals)
    test(`"${error}" is ${code}, with Slack's code, after one try`, async () => {
      await using sandbox = await startSandbox();
      sandbox.faults.add({ kind: 'slackError', error });
      const failure = await errorOf(connectorFor(sandbox.urls.slack).users.list());
      assert.equal(failure.code, code);
      assert.ok(failure.message.includes(error));
      assert.partialDeepStrictEqual(failure.details, {
        entity: 'users',
        action: 'list',
        upstreamCode: error,
        upstreamStatus: 200,
      });
      assert.equal(sandbox.requests().length, 1);
    });

  test('a missing scope is named, with the scopes there are', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, {
        ok: false,
        error: 'missing_scope',
        needed: 'users:read',
        provided: 'chat:write',
      }),
    );
    const error = await errorOf(connectorFor(upstream.url).users.list());
    assert.equal(error.code, 'upstream_forbidden');
    assert.match(error.message, /needed: users:read; provided: chat:write/);
    assert.partialDeepStrictEqual(error.details, {
      upstreamHints: { needed: 'users:read', provided: 'chat:write' },
    });
  });

  test('what Slack says of wrong arguments is passed on, cut to a readable length', async () => {
    const messages = ['[ERROR] must be a valid cursor', 'x'.repeat(1_000)];
    await using upstream = await startUpstream((response) =>
      reply(response, 200, {
        ok: false,
        error: 'invalid_arguments',
        response_metadata: { messages },
      }),
    );
    const { details } = await errorOf(connectorFor(upstream.url).users.list());
    const said = `[ERROR] must be a valid cursor; ${'x'.repeat(1_000)}`;
    assert.partialDeepStrictEqual(details, { upstreamMessage: said.slice(0, 500) });
  });

  const codeless: readonly unknown[] = [
    { ok: false },
    { ok: false, error: null },
    { ok: false, error: {} },
    { ok: false, error: ['invalid_auth'] },
  ];
  for (const body of codeless)
    test(`${JSON.stringify(body)} is upstream_rejected`, async () => {
      await using upstream = await startUpstream((response) => reply(response, 200, body));
      const error = await errorOf(connectorFor(upstream.url).users.list());
      assert.equal(error.code, 'upstream_rejected');
      assert.equal(upstream.seen.length, 1);
    });
});

describe('HTTP statuses', () => {
  const statuses: readonly (readonly [number, ErrorCode, number])[] = [
    [301, 'upstream_contract_broken', 1],
    [302, 'upstream_contract_broken', 1],
    [304, 'upstream_contract_broken', 1],
    [400, 'upstream_rejected', 1],
    [401, 'credentials_rejected', 1],
    [403, 'upstream_forbidden', 1],
    [404, 'record_not_found', 1],
    [405, 'upstream_rejected', 1],
    [408, 'upstream_unavailable', TRIES],
    [500, 'upstream_unavailable', TRIES],
    [502, 'upstream_unavailable', TRIES],
    [503, 'upstream_unavailable', TRIES],
    [504, 'upstream_unavailable', TRIES],
  ];
  for (const [status, code, tries] of statuses)
    for (const body of ['<h1>Trouble</h1>', '', '{"ok":fal', [], { ok: true }])
      test(`${status} with ${JSON.stringify(body)} is ${code} after ${tries}`, async () => {
        await using upstream = await startUpstream((response) => reply(response, status, body));
        const error = await errorOf(connectorFor(upstream.url).users.get({ user: 'U1' }));
        assert.equal(error.code, code);
        assert.partialDeepStrictEqual(error.details, { upstreamStatus: status });
        assert.equal(upstream.seen.length, tries);
      });

  test('404 for a list is no missing record', async () => {
    await using upstream = await startUpstream((response) => reply(response, 404, 'Nothing'));
    const error = await errorOf(connectorFor(upstream.url).users.list());
    assert.equal(error.code, 'upstream_rejected');
  });

  test('a redirect is not followed, above all not with the credentials', async () => {
    await using elsewhere = await startUpstream((response) => reply(response, 200, USERS));
    await using upstream = await startUpstream((response) =>
      reply(response, 302, '', { location: `${elsewhere.url}/users.list` }),
    );
    const error = await errorOf(connectorFor(upstream.url).users.list());
    assert.equal(error.code, 'upstream_contract_broken');
    assert.equal(elsewhere.seen.length, 0);
  });
});

describe('passing trouble', () => {
  const passing: readonly (readonly [string, Fault])[] = [
    ['HTTP 500', { kind: 'serverError' }],
    ['HTTP 503 with a page', { kind: 'serverError', status: 503, body: 'html' }],
    ['a cut connection', { kind: 'cutConnection' }],
    ['an answer that is cut', { kind: 'truncate', how: 'connection' }],
    ['the code internal_error', { kind: 'slackError', error: 'internal_error' }],
  ];
  for (const [name, fault] of passing) {
    test(`${name} four times, then success: the read succeeds`, async () => {
      await using sandbox = await startSandbox();
      sandbox.faults.add({ ...fault, times: TRIES - 1 });
      const { data } = await connectorFor(sandbox.urls.slack).users.list({ limit: 2 });
      assert.equal(data.length, 2);
      assert.equal(sandbox.requests().length, TRIES);
    });

    test(`${name} for good: upstream_unavailable after five tries`, async () => {
      await using sandbox = await startSandbox();
      sandbox.faults.add(fault);
      const error = await errorOf(connectorFor(sandbox.urls.slack).users.list());
      assert.equal(error.code, 'upstream_unavailable');
      assert.equal(error.retry, 'backoff');
      assert.equal(sandbox.requests().length, TRIES);
    });
  }

  const broken: readonly (readonly [string, Fault])[] = [
    ['a page instead of JSON', { kind: 'htmlBody' }],
    ['truncated JSON', { kind: 'truncate', how: 'json' }],
    ['an array as the body', { kind: 'arrayBody', where: 'body' }],
    ['arrays as records', { kind: 'arrayBody', where: 'records' }],
  ];
  for (const [name, fault] of broken)
    test(`${name} is upstream_contract_broken, at once`, async () => {
      await using sandbox = await startSandbox();
      sandbox.faults.add(fault);
      const error = await errorOf(connectorFor(sandbox.urls.slack).users.list());
      assert.equal(error.code, 'upstream_contract_broken');
      assert.equal(sandbox.requests().length, 1);
    });

  test('the waits between tries double, full jitter, up to the maximum', async () => {
    await using sandbox = await startSandbox();
    sandbox.faults.add({ kind: 'serverError' });
    const clock = new HandClock();
    const connector = connectorFor(sandbox.urls.slack, { clock, random: () => 0.5 });
    await turning(clock, errorOf(connector.users.list()));
    assert.deepEqual(clock.asked, [60_000, 125, 250, 500, 1_000]);
    assert.equal(clock.pending, 0);
  });

  test('no try begins when its wait would outlast the deadline', async () => {
    await using sandbox = await startSandbox();
    sandbox.faults.add({ kind: 'serverError' });
    const clock = new HandClock();
    const connector = connectorFor(sandbox.urls.slack, { clock, random: () => 1 });
    const call = connector.users.list({}, { timeoutMs: 700 });
    const error = await turning(clock, errorOf(call));
    assert.equal(error.code, 'upstream_unavailable', 'what was wrong, not that time ran out');
    assert.equal(sandbox.requests().length, 2);
  });
});

describe('50 MB where a page belongs', () => {
  test('the answer is cut short, and memory stays bounded', async () => {
    let sentBytes = 0;
    const cut = Promise.withResolvers<boolean>();
    const chunk = Buffer.alloc(1 << 20, 'x');
    await using upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.on('close', () => cut.resolve(!response.writableFinished));
      const more = () => {
        while (sentBytes < 500 * chunk.length && !response.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const rssBefore = process.memoryUsage().rss;
    const error = await errorOf(connectorFor(upstream.url).users.list());
    const grown = process.memoryUsage().rss - rssBefore;
    assert.equal(error.code, 'upstream_contract_broken');
    assert.match(error.message, /too large/);
    assert.equal(upstream.seen.length, 1, 'it is not asked for again');
    assert.ok(grown < 200 * (1 << 20), `memory grew by ${grown} bytes`);
    assert.ok(sentBytes < 100 * (1 << 20), `${sentBytes} bytes were sent`);
    assert.equal(await cut.promise, true);
  });
});

describe('asked to wait', () => {
  const sayings: readonly (readonly [string, (now: number) => string, number])[] = [
    ['seconds', () => '7', 7_000],
    ['a date', (now) => new Date(now + 9_000).toUTCString(), 9_000],
    ['a fraction of a second', () => '1.5', 1_500],
    ['a date that is past', (now) => new Date(now - 9_000).toUTCString(), 125],
    ['zero', () => '0', 125],
    ['no time at all', () => '', 125],
    ['nonsense', () => 'soon', 125],
    ['a negative number', () => '-5', 125],
  ];
  for (const [name, retryAfter, waitMs] of sayings)
    test(`HTTP 429 with ${name}: the next try comes after ${waitMs} ms`, async () => {
      const clock = new HandClock();
      const startedAt = clock.now();
      const at: number[] = [];
      await using upstream = await startUpstream((response, nth) => {
        at.push(clock.now() - startedAt);
        const header = retryAfter(startedAt);
        if (nth > 0) return reply(response, 200, USERS);
        const date = new Date(clock.now()).toUTCString();
        reply(response, 429, '', header === '' ? {} : { 'retry-after': header, date });
      });
      await turning(clock, connectorFor(upstream.url, { clock }).users.list());
      assert.deepEqual(at, [0, waitMs]);
    });

  for (const status of [500, 503])
    test(`HTTP ${status} with a Retry-After: a read waits that long before the next try`, async () => {
      const clock = new HandClock();
      const startedAt = clock.now();
      const at: number[] = [];
      await using upstream = await startUpstream((response, nth) => {
        at.push(clock.now() - startedAt);
        if (nth > 0) reply(response, 200, USERS);
        else reply(response, status, '', { 'retry-after': '4' });
      });
      await turning(clock, connectorFor(upstream.url, { clock }).users.list());
      assert.deepEqual(at, [0, 4_000]);
    });

  test('a wait beyond the deadline is answered at once, with the seconds', async () => {
    await using sandbox = await startSandbox();
    sandbox.faults.add({ kind: 'rateLimit', retryAfterSeconds: 61 });
    const clock = new HandClock();
    const error = await errorOf(connectorFor(sandbox.urls.slack, { clock }).users.list());
    assert.equal(error.code, 'upstream_rate_limited');
    assert.equal(error.retry, 'after');
    assert.equal(error.details.retryAfterSeconds, 61);
    assert.equal(sandbox.requests().length, 1);
  });

  test('a wait beyond the deadline holds for the calls after it: they are told the rest of it', async () => {
    await using sandbox = await startSandbox();
    sandbox.faults.add({ kind: 'rateLimit', retryAfterSeconds: 120, times: 1 });
    const clock = new HandClock();
    const connector = connectorFor(sandbox.urls.slack, { clock });
    for (const [passedMs, leftSeconds] of [
      [0, 120],
      [0, 120],
      [20_500, 100],
    ] as const) {
      clock.advance(passedMs);
      const error = await errorOf(connector.users.list());
      assert.equal(error.code, 'upstream_rate_limited');
      assert.equal(error.retry, 'after');
      assert.equal(error.details.retryAfterSeconds, leftSeconds);
    }
    assert.equal(sandbox.requests().length, 1, 'the later ones were not sent');
    await turning(clock, connector.users.list({ limit: 1 }, { timeoutMs: 120_000 }));
    assert.equal(sandbox.requests().length, 2, 'one whose deadline allows it waits');
  });

  test('a wait of more than an hour is taken for an hour: the upstream is asked again', async () => {
    await using upstream = await startUpstream((response, nth) =>
      nth > 0 ? reply(response, 200, USERS) : reply(response, 429, '', { 'retry-after': '90000' }),
    );
    const clock = new HandClock();
    const connector = connectorFor(upstream.url, { clock });
    const error = await errorOf(connector.users.list());
    assert.equal(error.details.retryAfterSeconds, 90_000);
    clock.advance(3_600_000);
    await connector.users.list();
    assert.equal(upstream.seen.length, 2);
  });

  test('seconds in an error are whole, rounded up', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 429, '', { 'retry-after': '100.2' }),
    );
    const error = await errorOf(connectorFor(upstream.url).users.list());
    assert.equal(error.details.retryAfterSeconds, 101);
  });

  test('other calls of the same method wait too, calls of another do not', async () => {
    await using sandbox = await startSandbox();
    const clock = new HandClock();
    const connector = connectorFor(sandbox.urls.slack, { clock });
    sandbox.faults.add({
      kind: 'rateLimit',
      method: 'users.list',
      retryAfterSeconds: 30,
      times: 1,
    });
    const first = connector.users.list({ limit: 1 });
    await clock.whenPending(3);
    const second = connector.users.list({ limit: 1 });
    await connector.channels.list({ limit: 1 });
    assert.equal(sandbox.requests().filter(({ method }) => method === 'users.list').length, 1);
    const error = await errorOf(connector.users.list({}, { timeoutMs: 29_000 }));
    assert.equal(error.code, 'upstream_rate_limited');
    assert.equal(error.details.retryAfterSeconds, 30);
    clock.advance(30_001);
    await Promise.all([first, second]);
  });
});

describe('nothing there', () => {
  test('a refused connection: three tries, then the address and the setting', async () => {
    const url = await deadUrl();
    const clock = new HandClock();
    const connector = connectorFor(`${url}/below`, { clock, random: () => 1 });
    const error = await turning(clock, errorOf(connector.users.list()));
    assert.equal(error.code, 'upstream_unavailable');
    assert.ok(error.message.includes(url));
    assert.ok(!error.message.includes('/below'));
    assert.match(error.message, /setting baseUrl/);
    assert.deepEqual(clock.asked, [60_000, 500, 2_000], 'the deadline, and 3 s of retries at most');
  });
});

describe('deadlines and aborts', () => {
  test('silence until the deadline is upstream_timeout for a read', async () => {
    await using sandbox = await startSandbox();
    const clock = new HandClock();
    const fault = sandbox.faults.add({ kind: 'hang' });
    const connector = connectorFor(sandbox.urls.slack, { clock, timeoutMs: 5_000 });
    const call = errorOf(connector.users.list());
    await fault.whenHit();
    clock.advance(5_000);
    const error = await call;
    assert.equal(error.code, 'upstream_timeout');
    assert.equal(error.retry, 'backoff');
    assert.equal(sandbox.requests().length, 1);
    assert.equal(clock.pending, 0);
  });

  const reason = new Error('the caller has left');

  test('calls that gave up while they waited for a connection leave it to those after them', async () => {
    await using sandbox = await startSandbox();
    const dispatcher = new Agent({ connections: 1 });
    let connections = 0;
    dispatcher.on('connect', () => void connections++);
    const { users } = connectorFor(sandbox.urls.slack, { dispatcher });
    const hang = sandbox.faults.add({ kind: 'hang', times: 1 });
    const first = users.list();
    await hang.whenHit();
    const controller = new AbortController();
    const queued = Array.from({ length: 50 }, () =>
      assert.rejects(users.list({}, { signal: controller.signal })),
    );
    await new Promise(setImmediate);
    controller.abort(new Error('given up'));
    await Promise.all(queued);
    const next = users.list();
    hang.release();
    await Promise.allSettled([first, next]);
    assert.equal((await next).data.length > 0, true);
    assert.ok(connections <= 2, `${connections} connections`);
    await dispatcher.destroy();
  });

  test('a signal that has aborted already: nothing is sent, its reason comes back', async () => {
    await using sandbox = await startSandbox();
    const call = connectorFor(sandbox.urls.slack).users.list(
      {},
      { signal: AbortSignal.abort(reason) },
    );
    await assert.rejects(call, (error) => error === reason);
    assert.deepEqual(sandbox.requests(), []);
  });

  test('a signal during flight: its reason comes back, for reads and writes', async () => {
    await using sandbox = await startSandbox();
    const connector = connectorFor(sandbox.urls.slack);
    const fault = sandbox.faults.add({ kind: 'hang' });
    const calls = [
      (signal: AbortSignal) => connector.users.list({}, { signal }),
      (signal: AbortSignal) => connector.channels.create({ name: 'a' }, { signal }),
    ];
    for (const [index, start] of calls.entries()) {
      const controller = new AbortController();
      const call = start(controller.signal);
      await fault.whenHit(index + 1);
      controller.abort(reason);
      await assert.rejects(call, (error) => error === reason);
    }
    assert.equal(sandbox.requests().length, 2, 'neither was sent again');
  });

  test('a signal while waiting for another try: its reason comes back', async () => {
    await using sandbox = await startSandbox();
    sandbox.faults.add({ kind: 'serverError' });
    const clock = new HandClock();
    const controller = new AbortController();
    const connector = connectorFor(sandbox.urls.slack, { clock, random: () => 1 });
    const call = connector.users.list({}, { signal: controller.signal });
    await clock.whenPending(2);
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    assert.equal(clock.pending, 0);
    assert.equal(sandbox.requests().length, 1);
  });

  test('a signal while waiting in the limiter: its reason comes back, its place is free', async () => {
    await using sandbox = await startSandbox();
    const clock = new HandClock();
    // A twentieth of 20 a minute: one call, and the next after a minute.
    const connector = connectorFor(sandbox.urls.slack, { clock, upstreamLimits: 0.05 });
    await connector.users.list({ limit: 1 });
    const controller = new AbortController();
    const options = { timeoutMs: 100_000 };
    const call = connector.users.list({}, { ...options, signal: controller.signal });
    await clock.whenPending(3);
    const next = connector.users.list({ limit: 1 }, { timeoutMs: 150_000 });
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    clock.advance(60_000);
    await next;
    assert.equal(sandbox.requests().length, 2);
    assert.equal(clock.pending, 0);
  });

  test('a budget that allows no call before the deadline is told at once', async () => {
    await using sandbox = await startSandbox();
    const clock = new HandClock();
    const connector = connectorFor(sandbox.urls.slack, { clock, upstreamLimits: 0.05 });
    await connector.users.list({ limit: 1 });
    const error = await errorOf(connector.users.list({}, { timeoutMs: 59_000 }));
    assert.equal(error.code, 'upstream_rate_limited');
    assert.equal(error.details.retryAfterSeconds, 60);
    assert.equal(sandbox.requests().length, 1);
  });
});
