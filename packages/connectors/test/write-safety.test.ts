import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Agent, interceptors } from 'undici';
import {
  isConnectorError,
  type CallOptions,
  type ConnectorError,
  type ErrorCode,
} from '@patchbay/connectors';
import { ConnectorEngine, findKind } from '@patchbay/connectors/engine';
import { startSandbox, type Fault, type Sandbox } from '@patchbay/sandbox';
import {
  connectorFor,
  CREDENTIALS,
  errorOf,
  untyped,
  type ChatWorkspace,
} from './support/connectors.ts';
import { FailingDispatcher, systemError } from './support/failing-dispatcher.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { deadUrl, reply, startUpstream, type Answer } from './support/upstreams.ts';

/** A write of the service reference, with the upstream method that does it. */
interface Write {
  readonly method: string;
  readonly entity: string;
  readonly action: string;
  readonly params: Readonly<Record<string, string>>;
}

const PLACES = { channel: 'C0000000000', ts: '1767225600.000100' } as const;

/** Every write, at a message of a channel. */
function writesAt({ channel, ts }: typeof PLACES | Place): readonly Write[] {
  const write = (method: string, call: string, params: Write['params']): Write => {
    const [entity = '', action = ''] = call.split('.');
    return { method, entity, action, params };
  };
  return [
    write('chat.postMessage', 'messages.create', { channel, text: 'Hello' }),
    write('chat.update', 'messages.update', { channel, ts, text: 'Hello again' }),
    write('conversations.create', 'channels.create', { name: 'a-new-channel' }),
    write('conversations.rename', 'channels.update', { channel, name: 'another-name' }),
    write('conversations.setTopic', 'channel_topics.create', { channel, topic: 'Tea' }),
    write('conversations.setPurpose', 'channel_purposes.create', { channel, purpose: 'Talk' }),
    write('reactions.add', 'reactions.create', { channel, timestamp: ts, name: 'tea' }),
  ];
}

interface Place {
  readonly channel: string;
  readonly ts: string;
}

/** A channel that is the app's own, with a message of its own. */
async function placeIn(connector: ChatWorkspace): Promise<Place> {
  const { id } = await connector.channels.create({ name: 'made-for-a-test' });
  const { ts } = await connector.messages.create({ channel: id, text: 'First' });
  return { channel: id, ts };
}

function timesSeen(sandbox: Sandbox, method: string): number {
  return sandbox.requests().filter((request) => request.method === method).length;
}

/** Runs every write against a sandbox of its own with the fault, once each. */
async function eachWrite(
  fault: Fault,
  judge: (write: Write, error: ConnectorError, sandbox: Sandbox) => void,
): Promise<void> {
  await using sandbox = await startSandbox();
  const connector = connectorFor(sandbox.urls.slack);
  const place = await placeIn(connector);
  for (const write of writesAt(place)) {
    sandbox.resetRequests();
    const handle = sandbox.faults.add({ ...fault, method: write.method });
    const call = untyped(connector)(write.entity, write.action, write.params);
    judge(write, await errorOf(call), sandbox);
    handle.release();
  }
}

describe('a write that may have happened is never repeated', () => {
  const faults: readonly (readonly [string, Fault])[] = [
    ...[500, 502, 503, 504].flatMap((status) =>
      [false, true].map(
        (afterApplying) =>
          [
            `HTTP ${status}, ${afterApplying ? 'after' : 'before'} it took effect`,
            { kind: 'serverError', status, afterApplying },
          ] as const,
      ),
    ),
    ['HTTP 500 with a page', { kind: 'serverError', body: 'html' }],
    ['a page instead of JSON', { kind: 'htmlBody' }],
    ['a page instead of JSON, after it took effect', { kind: 'htmlBody', afterApplying: true }],
    ['truncated JSON', { kind: 'truncate', how: 'json' }],
    ['an answer that is cut', { kind: 'truncate', how: 'connection' }],
    ['a cut connection', { kind: 'cutConnection' }],
    ['a cut connection, after it took effect', { kind: 'cutConnection', afterApplying: true }],
    ['an array instead of an object', { kind: 'arrayBody', where: 'body' }],
    ...[
      'fatal_error',
      'internal_error',
      'service_unavailable',
      'team_added_to_org',
      'update_failed',
      'unable_to_share_files',
      'duplicate_message_not_found',
      'duplicate_channel_not_found',
    ].map((error) => [`the code ${error}`, { kind: 'slackError', error }] as const),
  ];
  for (const [name, fault] of faults)
    test(`${name}: write_outcome_unknown, and the upstream saw it once`, async () => {
      await eachWrite(fault, (write, error, sandbox) => {
        assert.equal(error.code, 'write_outcome_unknown', write.method);
        assert.equal(error.retry, 'never');
        assert.equal(error.details.entity, write.entity);
        assert.match(error.message, /may or may not have happened/);
        assert.match(error.message, /(Get|List) /, 'it says how to find out');
        assert.equal(timesSeen(sandbox, write.method), 1, write.method);
      });
    });

  test('an answer of 50 MB: write_outcome_unknown, and the upstream saw it once', async () => {
    await using sandbox = await startSandbox();
    const connector = connectorFor(sandbox.urls.slack);
    const { channel } = await placeIn(connector);
    sandbox.resetRequests();
    sandbox.faults.add({ kind: 'oversize' });
    const error = await errorOf(connector.messages.create({ channel, text: 'Hello' }));
    assert.equal(error.code, 'write_outcome_unknown');
    assert.equal(timesSeen(sandbox, 'chat.postMessage'), 1);
  });

  // A proxy may answer so whose time for the upstream's answer is over.
  test('408: write_outcome_unknown, and the upstream saw it once', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 408, '', { 'retry-after': '0' }),
    );
    const { messages } = connectorFor(upstream.url);
    const error = await errorOf(messages.create({ channel: 'C1', text: 'Hello' }));
    assert.equal(error.code, 'write_outcome_unknown');
    assert.equal(upstream.seen.length, 1);
  });

  for (const afterApplying of [false, true])
    test(`silence until the deadline, ${afterApplying ? 'after' : 'before'} it took effect`, async () => {
      await using sandbox = await startSandbox();
      const clock = new HandClock();
      const place = await placeIn(connectorFor(sandbox.urls.slack));
      const connector = connectorFor(sandbox.urls.slack, { clock, timeoutMs: 7_000 });
      for (const write of writesAt(place)) {
        sandbox.resetRequests();
        const fault = sandbox.faults.add({ kind: 'hang', method: write.method, afterApplying });
        const call = errorOf(untyped(connector)(write.entity, write.action, write.params));
        await fault.whenHit();
        clock.advance(7_000);
        const error = await call;
        assert.equal(error.code, 'write_outcome_unknown', write.method);
        assert.equal(timesSeen(sandbox, write.method), 1);
        fault.release();
      }
      assert.equal(clock.pending, 0, 'no timer is left behind');
    });

  const strange: readonly (readonly [string, Answer])[] = [
    ['a redirect', (response) => reply(response, 307, {}, { location: '/elsewhere' })],
    ['an empty body', (response) => reply(response, 200, '')],
    ['an object that says nothing', (response) => reply(response, 200, {})],
    ['JSON null', (response) => reply(response, 200, null)],
    ['a number', (response) => reply(response, 200, 42)],
    // A code that elsewhere means "not done" means little beside a server error.
    ...['ratelimited', 'request_timeout', 'external_channel_migrating', 'channel_not_found'].map(
      (error) =>
        [
          `HTTP 502 with the code ${error}`,
          (response) => reply(response, 502, { ok: false, error }),
        ] as const satisfies readonly [string, Answer],
    ),
  ];
  for (const [name, answer] of strange)
    test(`${name}: write_outcome_unknown, and it was sent once`, async () => {
      for (const write of writesAt(PLACES)) {
        await using upstream = await startUpstream(answer);
        const call = untyped(connectorFor(upstream.url))(write.entity, write.action, write.params);
        const error = await errorOf(call);
        assert.equal(error.code, 'write_outcome_unknown', write.method);
        assert.equal(upstream.seen.length, 1, write.method);
      }
    });
});

describe('a write that surely did not happen', () => {
  const refusals: readonly (readonly [string, ErrorCode])[] = [
    ['channel_not_found', 'record_not_found'],
    ['missing_scope', 'upstream_forbidden'],
    ['token_revoked', 'credentials_rejected'],
    ['name_taken', 'upstream_rejected'],
    ['a_code_that_nobody_knows', 'upstream_rejected'],
  ];
  for (const [slackError, code] of refusals)
    test(`"${slackError}" is ${code}, and it is not repeated either`, async () => {
      await eachWrite({ kind: 'slackError', error: slackError }, (write, error, sandbox) => {
        assert.equal(error.code, code, write.method);
        assert.partialDeepStrictEqual(error.details, {
          entity: write.entity,
          action: write.action,
          upstreamCode: slackError,
        });
        assert.equal(timesSeen(sandbox, write.method), 1);
      });
    });

  const passing: readonly (readonly [string, Fault])[] = [
    ['HTTP 429', { kind: 'rateLimit', retryAfterSeconds: 3, times: 2 }],
    ['the code ratelimited', { kind: 'slackError', error: 'ratelimited', times: 2 }],
    ['the code request_timeout', { kind: 'slackError', error: 'request_timeout', times: 2 }],
  ];
  for (const [name, fault] of passing)
    test(`${name} twice, then success: sent three times, done once`, async () => {
      await using sandbox = await startSandbox();
      const place = await placeIn(connectorFor(sandbox.urls.slack));
      const clock = new HandClock();
      const connector = connectorFor(sandbox.urls.slack, { clock });
      for (const write of writesAt(place)) {
        sandbox.resetRequests();
        const handle = sandbox.faults.add({ ...fault, method: write.method });
        await turning(clock, untyped(connector)(write.entity, write.action, write.params));
        assert.equal(timesSeen(sandbox, write.method), 3, write.method);
        handle.release();
      }
      const messages = await connector.channel_messages.list({ channel: place.channel });
      const said = messages.data.filter(({ text }) => text === 'Hello');
      assert.equal(said.length, 1);
    });

  for (const status of [400, 401, 403, 404, 409, 422])
    test(`HTTP ${status} is answered at once`, async () => {
      for (const write of writesAt(PLACES)) {
        await using upstream = await startUpstream((response) =>
          reply(response, status, 'Not here'),
        );
        const call = untyped(connectorFor(upstream.url))(write.entity, write.action, write.params);
        const error = await errorOf(call);
        assert.notEqual(error.code, 'write_outcome_unknown');
        assert.notEqual(error.details.applied, true);
        assert.equal(upstream.seen.length, 1);
      }
    });

  test('a refused connection is tried three times, then told with the setting', async () => {
    const clock = new HandClock();
    const connector = connectorFor(await deadUrl(), { clock, random: () => 0.5 });
    for (const write of writesAt(PLACES)) {
      clock.asked.length = 0;
      const call = errorOf(untyped(connector)(write.entity, write.action, write.params));
      const error = await turning(clock, call);
      assert.equal(error.code, 'upstream_unavailable');
      assert.match(error.message, /baseUrl/);
      assert.deepEqual(clock.asked, [60_000, 250, 1_000], 'the deadline and two waits');
    }
  });
});

/** What each write fails with that is given up before its turn; none of them may go out, then or later. */
async function whatQueuedFailWith(
  giveUp: (clock: HandClock, controller: AbortController) => void,
): Promise<readonly unknown[]> {
  await using sandbox = await startSandbox();
  const dispatcher = new Agent({ connections: 1 });
  const clock = new HandClock();
  const engine = new ConnectorEngine({
    kind: findKind('chat-workspace'),
    config: {},
    authorize: () => ({ method: 'token', values: CREDENTIALS }),
    baseUrl: sandbox.urls.slack,
    upstreamLimits: 'reactive',
    dispatcher,
    clock,
  });
  const failures: unknown[] = [];
  for (const { method, ...asked } of writesAt(PLACES)) {
    const hang = sandbox.faults.add({ kind: 'hang', method: 'users.list' });
    const other = new AbortController();
    const reading = engine.execute('users', 'list', {}, { signal: other.signal });
    await hang.whenHit();
    const own = new AbortController();
    const told: boolean[] = [];
    const writing = engine.prepare(asked).send({
      timeoutMs: 7_000,
      signal: own.signal,
      onUnderWay: (isUnderWay) => told.push(isUnderWay),
    });
    const failed = writing.then(
      () => assert.fail('the call should have failed'),
      (error: unknown) => failures.push(error),
    );
    await new Promise(setImmediate);
    giveUp(clock, own);
    await failed;
    other.abort();
    await assert.rejects(reading);
    hang.release();
    await engine.execute('users', 'list', {}, { timeoutMs: 600_000 });
    assert.equal(timesSeen(sandbox, method), 0, method);
    assert.deepEqual(told.filter(Boolean), [], `${method} was never under way`);
  }
  await dispatcher.destroy();
  return failures;
}

describe('a write that waits for a connection while another call has it', () => {
  test('until its deadline was not sent, and never will be: upstream_timeout', async () => {
    const failures = await whatQueuedFailWith((clock) => clock.advance(7_000));
    for (const error of failures) {
      assert.ok(isConnectorError(error, 'upstream_timeout'));
      assert.equal(error.retry, 'backoff');
      assert.match(error.message, /nothing was sent/);
    }
  });

  test('until its caller gave up was not sent either', async () => {
    const reason = new Error('given up');
    const failures = await whatQueuedFailWith((_, controller) => controller.abort(reason));
    assert.deepEqual([...new Set(failures)], [reason]);
  });
});

test('a write whose answer leads a dispatcher on to where nothing is was sent, and is not sent again', async () => {
  const location = await deadUrl();
  for (const write of writesAt(PLACES)) {
    await using upstream = await startUpstream((response) =>
      reply(response, 303, {}, { location }),
    );
    const agent = new Agent();
    const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 1 }));
    const connector = connectorFor(upstream.url, { dispatcher });
    const error = await errorOf(untyped(connector)(write.entity, write.action, write.params));
    assert.equal(error.code, 'write_outcome_unknown', write.method);
    assert.equal(upstream.seen.length, 1);
    await agent.close();
  }
});

describe('bare answers to writes', () => {
  test('chat.update without a ts in its message takes it from the top level', async () => {
    await using sandbox = await startSandbox();
    const connector = connectorFor(sandbox.urls.slack);
    const { channel, ts } = await placeIn(connector);
    const message = await connector.messages.update({ channel, ts, text: 'Changed' });
    assert.equal(message.ts, ts);
    assert.equal(message.text, 'Changed');
    assert.equal(timesSeen(sandbox, 'conversations.history'), 0, 'nothing is read back');
  });

  for (const entity of ['channel_topics', 'channel_purposes'] as const) {
    const what = entity === 'channel_topics' ? 'topic' : 'purpose';
    const method =
      entity === 'channel_topics' ? 'conversations.setTopic' : 'conversations.setPurpose';
    const write = (connector: ChatWorkspace, channel: string, options?: CallOptions) =>
      untyped(connector)(entity, 'create', { channel, [what]: 'Tea' }, options);

    test(`${entity}.create reads the channel where the answer lacks it, once`, async () => {
      await using sandbox = await startSandbox();
      const connector = connectorFor(sandbox.urls.slack);
      const { channel } = await placeIn(connector);
      sandbox.faults.add({ kind: 'bareWrites', method });
      const record = await write(connector, channel);
      assert.equal(record['id'], channel);
      assert.partialDeepStrictEqual(record[what], { value: 'Tea' });
      assert.deepEqual(Object.keys(record), Object.keys(await connector.channels.get({ channel })));
      assert.equal(timesSeen(sandbox, method), 1);
      assert.equal(timesSeen(sandbox, 'conversations.info'), 2, 'one was this test');
    });

    const failures: readonly (readonly [string, Fault, ErrorCode, number])[] = [
      ['a server error', { kind: 'serverError' }, 'upstream_unavailable', 5],
      ['a page', { kind: 'htmlBody' }, 'upstream_contract_broken', 1],
      ['a refusal', { kind: 'slackError', error: 'missing_scope' }, 'upstream_forbidden', 1],
      ['no record', { kind: 'slackError', error: 'channel_not_found' }, 'record_not_found', 1],
      ['an array', { kind: 'arrayBody', where: 'records' }, 'upstream_contract_broken', 1],
    ];
    for (const [name, fault, code, reads] of failures)
      test(`${entity}.create: ${name} on reading back says that the write was accepted`, async () => {
        await using sandbox = await startSandbox();
        const connector = connectorFor(sandbox.urls.slack);
        const { channel } = await placeIn(connector);
        sandbox.faults.add({ kind: 'bareWrites', method });
        sandbox.faults.add({ ...fault, method: 'conversations.info' });
        const error = await errorOf(write(connector, channel));
        assert.equal(error.code, code);
        assert.equal(error.retry, 'never');
        assert.equal(error.details.applied, true);
        assert.equal(error.details.entity, entity);
        assert.match(error.message, /accepted.*Do not repeat/s);
        assert.equal(timesSeen(sandbox, method), 1);
        assert.equal(timesSeen(sandbox, 'conversations.info'), reads);
      });

    for (const how of ['deadline', 'abort'] as const)
      test(`${entity}.create: the ${how} while reading back says that the write was accepted`, async () => {
        await using sandbox = await startSandbox();
        const { channel } = await placeIn(connectorFor(sandbox.urls.slack));
        const clock = new HandClock();
        const controller = new AbortController();
        const connector = connectorFor(sandbox.urls.slack, { clock });
        sandbox.faults.add({ kind: 'bareWrites', method });
        const hang = sandbox.faults.add({ kind: 'hang', method: 'conversations.info' });
        const call = errorOf(write(connector, channel, { signal: controller.signal }));
        await hang.whenHit();
        if (how === 'deadline') clock.advance(60_000);
        else controller.abort();
        const error = await call;
        assert.equal(error.details.applied, true);
        assert.equal(error.retry, 'never');
        assert.equal(timesSeen(sandbox, method), 1);
      });
  }

  const useless: readonly (readonly [string, unknown])[] = [
    ['nothing but ok', { ok: true }],
    ['records that are texts', { ok: true, message: 'x', channel: 'C1' }],
    ['records that are arrays', { ok: true, message: [], channel: [] }],
    ['keys that are objects', { ok: true, ts: {}, message: { ts: {} }, channel: { id: {} } }],
  ];
  for (const [name, body] of useless)
    test(`an accepted write that answers ${name} is told as applied, and sent once`, async () => {
      for (const write of writesAt(PLACES)) {
        if (write.entity === 'reactions') continue;
        await using upstream = await startUpstream((response) => reply(response, 200, body));
        const call = untyped(connectorFor(upstream.url))(write.entity, write.action, write.params);
        const error = await errorOf(call);
        assert.equal(error.code, 'upstream_contract_broken', write.method);
        assert.equal(error.details.applied, true);
        assert.equal(error.retry, 'never');
        const posts = upstream.seen.filter(({ line }) => line.startsWith('POST '));
        assert.equal(posts.length, 1);
      }
    });
});

describe('a connection that breaks in a way of its own', () => {
  const failures: readonly (readonly [
    error: Error,
    read: ErrorCode,
    reads: number,
    write: ErrorCode,
    writes: number,
  ])[] = [
    [systemError('UND_ERR_HEADERS_TIMEOUT'), 'upstream_timeout', 5, 'write_outcome_unknown', 1],
    [systemError('UND_ERR_BODY_TIMEOUT'), 'upstream_timeout', 5, 'write_outcome_unknown', 1],
    [systemError('UND_ERR_SOCKET'), 'upstream_unavailable', 5, 'write_outcome_unknown', 1],
    [systemError('ECONNRESET', 'read'), 'upstream_unavailable', 5, 'write_outcome_unknown', 1],
    [systemError('EHOSTUNREACH', 'read'), 'upstream_unavailable', 5, 'write_outcome_unknown', 1],
    [systemError('ENETUNREACH', 'write'), 'upstream_unavailable', 5, 'write_outcome_unknown', 1],
    [systemError('ECONNREFUSED', 'read'), 'upstream_unavailable', 5, 'write_outcome_unknown', 1],
    [new Error('what'), 'upstream_unavailable', 5, 'write_outcome_unknown', 1],
    [systemError('EHOSTUNREACH', 'connect'), 'upstream_unavailable', 3, 'upstream_unavailable', 3],
    [systemError('ENOTFOUND', 'getaddrinfo'), 'upstream_unavailable', 3, 'upstream_unavailable', 3],
    [systemError('UND_ERR_CONNECT_TIMEOUT'), 'upstream_unavailable', 3, 'upstream_unavailable', 3],
  ];
  for (const [cause, read, reads, written, writes] of failures)
    test(`${cause.message} ${'syscall' in cause ? String(cause.syscall) : ''}: ${reads} reads, ${writes} write`, async () => {
      for (const { entity, action, params } of writesAt(PLACES)) {
        const dispatcher = new FailingDispatcher(cause);
        const connector = connectorFor('http://127.0.0.1:9', { dispatcher });
        const error = await errorOf(untyped(connector)(entity, action, params));
        assert.equal(error.code, written);
        assert.equal(dispatcher.seen.length, writes);
      }
      const dispatcher = new FailingDispatcher(cause);
      const connector = connectorFor('http://127.0.0.1:9', { dispatcher });
      assert.equal((await errorOf(connector.users.list())).code, read);
      assert.equal(dispatcher.seen.length, reads);
    });
});
