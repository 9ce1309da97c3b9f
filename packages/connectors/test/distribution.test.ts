import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createConnector, describeKind, isConnectorError, KINDS } from '@patchbay/connectors';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import {
  collect,
  connectorFor,
  CREDENTIALS,
  errorOf,
  type ChatWorkspace,
} from './support/connectors.ts';
import { HandClock, turning } from './support/hand-clock.ts';

const MINUTE_MS = 60_000;

/** A workspace whose Slack keeps to its limits for distributed apps, on the clock of the test. */
async function workspace() {
  const clock = new HandClock();
  const sandbox = await startSandbox({
    slackDistribution: 'distributed',
    limits: 'vendor',
    clock: () => clock.now(),
    scale: 1_000,
  });
  const app = (): ChatWorkspace =>
    connectorFor(sandbox.urls.slack, {
      distribution: 'distributed',
      upstreamLimits: 'vendor',
      clock,
    });
  return { clock, sandbox, app, [Symbol.asyncDispose]: () => sandbox.close() };
}

async function channelIn(connector: ChatWorkspace): Promise<string> {
  const { data } = await connector.channels.list({ limit: 1_000 });
  return data.find((each) => each.is_member === true)?.id ?? assert.fail();
}

function historyCalls(sandbox: Sandbox): number {
  return sandbox.requests().filter(({ method }) => method === 'conversations.history').length;
}

function ofNoDistribution(): unknown {
  return connectorFor('http://127.0.0.1:9', { distribution: 'toString' as 'internal' });
}

function ofAnotherKind(): unknown {
  return createConnector('customer-messaging', {
    credentials: { access_token: CREDENTIALS.api_token },
    // @ts-expect-error -- Apps of this kind are all alike.
    distribution: 'distributed',
  });
}

describe('an app that is distributed outside the Marketplace', () => {
  test('reads 15 messages at a time; a larger limit is brought down, with a warning', async () => {
    await using there = await workspace();
    const connector = there.app();
    const channel = await channelIn(connector);
    const { data, warnings } = await connector.channel_messages.list({ channel, limit: 200 });
    assert.equal(data.length, 15);
    assert.deepEqual(warnings, [
      {
        code: 'limit_clamped',
        message: 'params.limit was 200; a page of this list has at most 15 records.',
        field: 'params.limit',
      },
    ]);
    const ts = data[0]?.ts ?? '';
    const replies = await connector.threads.list({ channel, ts, limit: 16 });
    assert.equal(replies.warnings[0]?.code, 'limit_clamped');
  });

  test('waits a minute between two reads of messages, and for nothing else', async () => {
    await using there = await workspace();
    const { clock, sandbox } = there;
    const connector = there.app();
    const channel = await channelIn(connector);
    const first = await connector.channel_messages.list({ channel });
    const params = { channel, cursor: first.meta.next_cursor };
    const second = connector.channel_messages.list(params, { timeoutMs: 2 * MINUTE_MS });
    await clock.whenPending(2);
    clock.advance(MINUTE_MS - 1);
    await connector.users.list({ limit: 1 });
    assert.equal(historyCalls(sandbox), 1);
    clock.advance(1);
    assert.equal((await second).data.length, 15);
    assert.equal(historyCalls(sandbox), 2);
  });

  test('is told at once where its deadline comes before its turn, and asks Slack nothing', async () => {
    await using there = await workspace();
    const connector = there.app();
    const channel = await channelIn(connector);
    await connector.channel_messages.list({ channel });
    there.clock.advance(50);
    // The usual deadline, too: what is left of it when the turn comes is no time to answer in.
    for (const options of [{}, { timeoutMs: 30_000 }]) {
      const error = await errorOf(connector.channel_messages.list({ channel }, options));
      assert.equal(error.code, 'upstream_rate_limited');
      assert.equal(
        error.message,
        'The rate limit of Slack allows no such call before the deadline.',
      );
      assert.equal(isConnectorError(error, 'upstream_rate_limited'), true);
      assert.deepEqual(error.details, {
        entity: 'channel_messages',
        action: 'list',
        retryAfterSeconds: 60,
      });
    }
    assert.equal(historyCalls(there.sandbox), 1);
  });

  test('waits as Slack asks where another process has had the minute', async () => {
    await using there = await workspace();
    const { clock, sandbox } = there;
    const channel = await channelIn(there.app());
    await there.app().channel_messages.list({ channel });
    const call = there.app().channel_messages.list({ channel }, { timeoutMs: 2 * MINUTE_MS });
    await clock.whenPending(3);
    assert.equal(historyCalls(sandbox), 2);
    clock.advance(MINUTE_MS);
    assert.equal((await call).data.length, 15);
    assert.equal(historyCalls(sandbox), 3);
  });

  test('walks a channel at that rate', async () => {
    await using there = await workspace();
    const { clock, sandbox } = there;
    const connector = there.app();
    const channel = await channelIn(connector);
    const whole = connectorFor(sandbox.urls.slack, {
      credentials: { api_token: 'another-app' },
      clock,
    });
    const from = clock.now();
    const walk = collect(connector.channel_messages.list.all({ channel }, { timeoutMs: 90_000 }));
    const seen = (await turning(clock, walk)).map(({ ts }) => ts);
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(seen.length > 15, String(seen.length));
    assert.equal(clock.now() - from, (historyCalls(sandbox) - 1) * MINUTE_MS);
    const one = await whole.channel_messages.list({ channel });
    assert.deepEqual(one.data.map(({ ts }) => ts).slice(0, 15), seen.slice(0, 15));
  });
});

describe('other apps', () => {
  for (const distribution of [undefined, 'internal', 'marketplace'] as const)
    test(`that are ${distribution ?? 'of no stated kind'} read as much as ever`, async () => {
      await using sandbox = await startSandbox({ scale: 1_000, limits: 'vendor' });
      const connector = connectorFor(sandbox.urls.slack, {
        upstreamLimits: 'vendor',
        ...(distribution === undefined ? {} : { distribution }),
      });
      const channel = await channelIn(connector);
      const page = await connector.channel_messages.list({ channel, limit: 200 });
      assert.deepEqual(page.warnings, []);
      assert.ok(page.data.length > 15);
      await connector.channel_messages.list({ channel, limit: 200 });
    });
});

describe('a distribution', () => {
  test('is described, with what follows from it', () => {
    const connector = connectorFor('http://127.0.0.1:9', { distribution: 'distributed' });
    const described = connector.describe();
    assert.equal(described.distributions?.applies, 'distributed');
    const terms = described.distributions.each.find(({ name }) => name === 'distributed');
    assert.deepEqual(terms?.lists, [
      { entity: 'channel_messages', calls_per_minute: 1, largest_page: 15 },
      { entity: 'threads', calls_per_minute: 1, largest_page: 15 },
    ]);
    assert.deepEqual(terms.not_copied, ['channel_messages', 'threads']);
    const searched = (entity: 'threads' | 'users') =>
      connector.describe(entity).actions.some(({ name }) => name === 'search');
    assert.equal(searched('threads'), false);
    assert.equal(searched('users'), true);
    assert.deepEqual(connector.describe('threads').searchable, []);
    const limit = connector
      .describe('threads')
      .actions[0]?.params.find(({ name }) => name === 'limit');
    assert.equal(limit?.expects, 'an integer from 1 to 15');
  });

  test('of the usual kind is what the definition says', () => {
    const usual = connectorFor('http://127.0.0.1:9', { distribution: 'internal' }).describe();
    assert.deepEqual(usual, describeKind(KINDS['chat-workspace']));
    assert.equal(usual.distributions?.applies, 'internal');
  });

  test('that a kind does not have is refused, with those it has', () => {
    assert.throws(ofNoDistribution, (error) => {
      assert.ok(isConnectorError(error, 'invalid_config'));
      assert.deepEqual(error.details.faults, [
        {
          field: 'distribution',
          errorCode: 'not_allowed',
          message: 'must be one of internal, distributed, marketplace, got "toString"',
          allowed: 'one of internal, distributed, marketplace',
        },
      ]);
      return true;
    });
    assert.throws(ofAnotherKind, /all apps are alike/);
  });
});
