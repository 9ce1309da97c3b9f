import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createConnector, isConnectorError, type Kinds } from '@patchbay/connectors';
import type { Fault } from '@patchbay/sandbox';
import type { HostedConnector, Patchbay, UntypedConnector } from '../src/index.ts';
import { errorOf, shown } from './support/error-of.ts';
import {
  startHosted,
  TEAM_CHAT,
  watchFetch,
  type Hosted,
  type WatchedFetch,
} from './support/start-hosted.ts';

type Slack = HostedConnector<Kinds['chat-workspace']>;

let hosted: Hosted;
let watched: WatchedFetch;
let patchbay: Patchbay;
let slack: Slack;
before(async () => {
  hosted = await startHosted();
  watched = watchFetch();
  patchbay = hosted.client({ fetch: watched.fetch });
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

describe('errors are those of the library', () => {
  /** Called by name, with whatever is wrong. */
  type Call = readonly [entity: string, action: string, params: Readonly<Record<string, unknown>>];
  const list: Call = ['users', 'list', { limit: 1 }];
  const post: Call = ['messages', 'create', { channel: 'C1', text: 'x' }];
  const rows: readonly (readonly [code: string, call: Call, fault?: Fault])[] = [
    ['unknown_entity', ['usrs', 'list', {}]],
    ['invalid_params', ['users', 'list', { limit: 'ten', limt: 1 }]],
    ['invalid_params', ['channels', 'create', { name: 'Not Allowed' }]],
    ['record_not_found', ['users', 'get', { user: 'U-none' }]],
    ['invalid_cursor', ['users', 'list', { cursor: 'nonsense' }]],
    ['upstream_forbidden', list, { kind: 'upstreamError', error: 'missing_scope' }],
    ['upstream_rejected', list, { kind: 'upstreamError', error: 'fatal_nobody_knows' }],
    ['upstream_contract_broken', list, { kind: 'htmlBody' }],
    ['write_outcome_unknown', post, { kind: 'cutConnection', afterApplying: true }],
    ['write_outcome_unknown', post, { kind: 'serverError', status: 500 }],
    ['upstream_contract_broken', list, { kind: 'arrayBody' }],
  ];
  for (const [code, [entity, action, params], fault] of rows)
    test(`${code} of ${entity}.${action}${fault === undefined ? '' : `, ${fault.kind}`}`, async () => {
      const library = createConnector('chat-workspace', {
        credentials: TEAM_CHAT.credentials,
        baseUrl: hosted.sandbox.urls.slack,
        upstreamLimits: 'reactive',
      });
      if (fault !== undefined) hosted.sandbox.faults.add(fault);
      const run = (execute: unknown) =>
        // Both take names and params; what is wrong with them is the point.
        errorOf((execute as typeof slack.execute)(entity as 'users', action as 'list', params));
      const fromClient = await run(slack.execute);
      const fromLibrary = await run(library.execute);
      assert.equal(fromClient.code, code, fromClient.message);
      assert.equal(fromClient.constructor, fromLibrary.constructor);
      assert.deepEqual(shown(fromClient), shown(fromLibrary));
      assert.match(String(fromClient.details.requestId), /^[0-9a-f-]{36}$/);
      assert.equal(watched.to('/execute').length, 1);
    });

  test('unsupported_action names search too, which the library does not have', async () => {
    const untyped: UntypedConnector = await patchbay.connector(slack.id);
    await assert.rejects(untyped.execute('users', 'create', {}), (error) => {
      assert.ok(isConnectorError(error, 'unsupported_action'));
      assert.deepEqual(error.details.allowed, ['list', 'get', 'search']);
      return error.details.entity === 'users';
    });
  });

  test('credentials that the upstream refuses', async () => {
    const other = hosted.client();
    await other.connectors.create({ ...TEAM_CHAT, credentials: { api_token: 'revoked-token' } });
    const connector = await other.connector('chat-workspace');
    await assert.rejects(connector.users.list(), { code: 'credentials_rejected', retry: 'reauth' });
    await assert.rejects(connector.users.list(), { code: 'reauth_required', status: 424 });
  });

  test('the deadline of a call is told by the service, before our own', async () => {
    hosted.sandbox.faults.add({ kind: 'hang' });
    await assert.rejects(slack.users.list({}, { timeoutMs: 300 }), (error) => {
      assert.ok(isConnectorError(error, 'upstream_timeout'));
      return error.details.entity === 'users' && error.details.requestId !== undefined;
    });
    await assert.rejects(slack.channels.create({ name: 'late' }, { timeoutMs: 300 }), {
      code: 'write_outcome_unknown',
    });
  });
});
