import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createConnector } from '@patchbay/connectors';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { at } from './support/http-client.ts';
import { startTestService, type TestService } from './support/start-test-service.ts';

/** What earlier operations brought, for the params of later ones. */
interface Known {
  user: string;
  /** A channel that the app is in. */
  channel: string;
  /** A channel made by this test. */
  madeChannel: string;
  /** Timestamp of a message posted by this test. */
  ts: string;
}

interface Row {
  readonly operation: readonly [entity: string, action: string];
  readonly params: (known: Known) => Readonly<Record<string, unknown>>;
  readonly learn?: (result: unknown, known: Known) => void;
}

/** Every operation of docs/reference/chat-workspace.md that is not `search`. */
const OPERATIONS: readonly Row[] = [
  {
    operation: ['users', 'list'],
    params: () => ({ limit: 5 }),
    learn: (users, known) => (known.user = textIn(users, '0.id')),
  },
  { operation: ['users', 'get'], params: ({ user }) => ({ user }) },
  {
    operation: ['channels', 'list'],
    params: () => ({ limit: 3, types: 'public_channel', exclude_archived: true }),
    learn: (channels, known) => (known.channel = textIn(channels, '0.id')),
  },
  { operation: ['channels', 'get'], params: ({ channel }) => ({ channel }) },
  {
    operation: ['channels', 'create'],
    params: () => ({ name: 'made-by-the-test', is_private: false }),
    learn: (channel, known) => (known.madeChannel = textIn(channel, 'id')),
  },
  {
    operation: ['channels', 'update'],
    params: ({ madeChannel }) => ({ channel: madeChannel, name: 'renamed-by-the-test' }),
  },
  {
    operation: ['messages', 'create'],
    params: ({ channel }) => ({ channel, text: 'hello', unfurl_links: false }),
    learn: (message, known) => (known.ts = textIn(message, 'ts')),
  },
  {
    operation: ['messages', 'update'],
    params: ({ channel, ts }) => ({ channel, ts, text: 'hello again' }),
  },
  {
    operation: ['reactions', 'create'],
    params: ({ channel, ts }) => ({ channel, timestamp: ts, name: 'wave' }),
  },
  { operation: ['channel_messages', 'list'], params: ({ channel }) => ({ channel, limit: 5 }) },
  { operation: ['threads', 'list'], params: ({ channel, ts }) => ({ channel, ts }) },
  {
    operation: ['channel_topics', 'create'],
    params: ({ channel }) => ({ channel, topic: 'a topic' }),
  },
  {
    operation: ['channel_purposes', 'create'],
    params: ({ channel }) => ({ channel, purpose: 'a purpose' }),
  },
];

describe('library and service, each before an upstream of its own that is the same', () => {
  // The same seed and a clock that stands still: both upstreams give the same ids and timestamps.
  const upstream = { seed: 7, clock: () => Date.UTC(2026, 5, 1) };
  const known: Known = { user: '', channel: '', madeChannel: '', ts: '' };
  let sandboxes: readonly Sandbox[];
  let running: TestService;
  let library: (entity: string, action: string, params: unknown) => Promise<unknown>;
  let hosted: typeof library;

  before(async () => {
    const [first, second] = [await startSandbox(upstream), await startSandbox(upstream)];
    sandboxes = [first, second];
    const slack = createConnector('chat-workspace', {
      credentials: { api_token: 'test' },
      baseUrl: first.urls.slack,
      upstreamLimits: 'reactive',
    });
    // Called by name, as from JavaScript.
    library = slack.execute as unknown as typeof library;
    running = await startTestService({
      upstreams: { 'chat-workspace': { baseUrl: second.urls.slack, limits: 'reactive' } },
    });
    const token = await running.applicationToken();
    const id = await running.connector(token);
    hosted = async (entity, action, params) => {
      const answer = await running.execute(token, id, { entity, action, params });
      assert.equal(answer.status, 200, answer.text);
      const result = at(answer, 'result');
      if (action !== 'list') return result;
      // An answer has warnings where there are any.
      const warnings = at(answer, 'warnings') ?? [];
      const { next_params: nextParams, ...meta } = at(answer, 'connector_metadata') as {
        readonly next_params: unknown;
      };
      return { data: result, meta, nextParams, warnings };
    };
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  });

  for (const { operation, params, learn } of OPERATIONS) {
    const [entity, action] = operation;
    test(`${entity}.${action} gives the same, keys in the same order`, async () => {
      const given = params(known);
      const fromLibrary = await library(entity, action, given);
      const fromService = await hosted(entity, action, given);
      assert.deepEqual(fromService, fromLibrary);
      assert.equal(JSON.stringify(fromService), JSON.stringify(fromLibrary));
      learn?.(action === 'list' ? at({ body: fromService }, 'data') : fromService, known);
    });
  }
});

function textIn(result: unknown, path: string): string {
  const value = at({ body: result }, path);
  assert.ok(typeof value === 'string', path);
  return value;
}
