import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createConnector,
  faultsOf,
  isConnectorError,
  KINDS,
  type CallOptions,
} from '@patchbay/connectors';
import { startSandbox } from '@patchbay/sandbox';
import { CREDENTIALS, connectorFor, errorOf, untyped } from './support/connectors.ts';

describe('a connector', () => {
  test('sends nothing until it is called', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const connector = connectorFor(sandbox.urls.slack);
    connector.entities();
    connector.describe();
    await new Promise(setImmediate);
    assert.deepEqual(sandbox.requests(), []);
  });

  test('gives the same by name as by its typed calls', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const connector = connectorFor(sandbox.urls.slack);
    assert.deepEqual(
      await connector.execute('users', 'list', { limit: 3 }),
      await connector.users.list({ limit: 3 }),
    );
  });

  test('takes an alias of its kind, and a base URL with a slash at its end', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const connector = createConnector('slack', {
      credentials: { bot_key: CREDENTIALS.api_token } as never,
      baseUrl: `${sandbox.urls.slack}//`,
    });
    assert.equal((await connector.users.list({ limit: 2 })).data.length, 2);
    assert.equal(sandbox.requests()[0]?.path, '/slack/api/users.list');
  });

  test('refuses a base URL with a place in it that nothing fills', () => {
    const baseUrl = 'https://{tenant}.example.com';
    assert.throws(() => connectorFor(baseUrl), {
      code: 'invalid_config',
      message: /baseUrl has \{tenant\}.*chat-workspace; it has none/,
    });
    const config = { subdomain: 'acme' };
    const credentials = { access_token: 'a-token-of-the-shop' };
    const options = { credentials, config, baseUrl } as const;
    assert.throws(() => createConnector('support-ticketing', options), {
      message: /it has \{subdomain\}$/,
    });
    const known = { ...options, baseUrl: 'https://{subdomain}.example.com' };
    createConnector('support-ticketing', known);
  });

  test('knows its entities, in the order of the reference, and describes them', () => {
    const connector = connectorFor('http://127.0.0.1:9');
    const names = Object.keys(KINDS['chat-workspace'].entities);
    assert.deepEqual(connector.entities(), names);
    assert.deepEqual(
      connector.describe().entities.map(({ name }) => name),
      names,
    );
    for (const name of connector.entities()) {
      const description = connector.describe(name);
      assert.equal(description.name, name);
      assert.deepEqual(JSON.parse(JSON.stringify(description)), description);
    }
    const { replication_config: replication } = connector.describe();
    assert.deepEqual(
      replication.fields.filter(({ extension }) => extension).map(({ name }) => name),
      ['include_archived_channels', 'threads_ignore_no_replies'],
    );
  });

  test('what a description is made into does not change what calls are checked by', async () => {
    const connector = createConnector('slack', { credentials: CREDENTIALS });
    const described = JSON.stringify(connector.describe());
    for (const { actions } of connector.describe().entities)
      for (const { params_schema: schema } of actions) withoutBounds(schema);
    for (const { schema } of connector.describe().replication_config.fields) withoutBounds(schema);
    assert.equal(JSON.stringify(connector.describe()), described);
    const error = await errorOf(connector.channels.create({ name: 'Not A Name' }));
    assert.equal(error.code, 'invalid_params');
  });

  test('options that there are not are told, since without them calls would go elsewhere', () => {
    const given = { credentials: CREDENTIALS, baseURL: 'http://127.0.0.1:9', nothing: 1 };
    assert.throws(
      () => createConnector('slack', given),
      (error) => {
        assert.ok(isConnectorError(error, 'invalid_config'));
        assert.match(error.message, /baseURL .*did you mean "baseUrl"\?/);
        assert.match(error.message, /nothing .*allowed: credentials, config/);
        return true;
      },
    );
  });

  test('an option that is not set is none', () => {
    const given = { credentials: CREDENTIALS, more: undefined };
    assert.ok(createConnector('slack', given));
    assert.ok(createConnector('slack', { credentials: CREDENTIALS, clock: null } as never));
  });

  test('without options, what is missing is told', () => {
    const make = createConnector as unknown as (kind: string) => unknown;
    for (const kind of ['slack', 'intercom'])
      assert.throws(() => make(kind), { code: 'invalid_credentials' });
  });

  test('search is told to be hosted only where the entity has it', async () => {
    const connector = connectorFor('http://127.0.0.1:9');
    const users = connector.users as unknown as { search: (params: object) => Promise<unknown> };
    const error = await errorOf(users.search({ query: {} }));
    assert.equal(error.code, 'search_requires_hosted_mode');
    const alias = await errorOf(untyped(connector)('users', 'context_store_search', { query: {} }));
    assert.equal(alias.code, 'search_requires_hosted_mode');
    const other = await errorOf(untyped(connector)('messages', 'search', { query: {} }));
    assert.equal(other.code, 'unsupported_action');
  });

  test('checks its credentials with one cheap read an entity', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const report = await connectorFor(sandbox.urls.slack).check();
    assert.deepEqual(report, {
      status: 'succeeded',
      entity_check_results: [
        { entity: 'users', status: 'succeeded' },
        { entity: 'channels', status: 'succeeded' },
      ],
      warnings: [],
    });
    for (const { params } of sandbox.requests()) assert.deepEqual({ ...params }, { limit: '1' });
    sandbox.faults.add({ kind: 'revokeToken' });
    const failed = await connectorFor(sandbox.urls.slack).check();
    assert.equal(failed.status, 'failed');
    assert.equal(failed.entity_check_results[0]?.error_code, 'credentials_rejected');
  });

  test('refuses the sandbox’s example of revoked credentials as such', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const credentials = { api_token: 'a-revoked-one' };
    const connector = connectorFor(sandbox.urls.slack, { credentials });
    const error = await errorOf(connector.users.list());
    assert.equal(error.code, 'credentials_rejected');
    assert.equal(error.retry, 'reauth');
  });

  test('keeps the vendor’s limits unless told otherwise, so that none is refused', async () => {
    await using sandbox = await startSandbox({ scale: 10, limits: 'vendor' });
    const connector = connectorFor(sandbox.urls.slack, { upstreamLimits: 'vendor' });
    const calls = Array.from({ length: 20 }, () => connector.users.list({ limit: 1 }));
    await Promise.all(calls);
    const late = await errorOf(connector.users.list({ limit: 1 }, { timeoutMs: 1_000 }));
    assert.equal(late.code, 'upstream_rate_limited');
    assert.deepEqual(
      sandbox.requests().filter(({ status }) => status !== 200),
      [],
    );
  });
});

describe('options', () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    // Origins are compared: a text holds parts of others, and no file has an origin with a path.
    ['fileOrigins', 'https://files.example.com'],
    ['fileOrigins', ['https://files.example.com/']],
    ['fileOrigins', ['files.example.com']],
    ['fileOrigins', [5]],
    ['dispatcher', {}],
    ['dispatcher', 'http://proxy.example.com'],
    ['clock', { now: () => 0, after: () => () => undefined }],
    ['random', 0.5],
    // Found out after a renewal, it would have cost the refresh token.
    ['onCredentialsChanged', Promise.resolve()],
    ['onDrift', 'log'],
  ];
  for (const [name, value] of wrong)
    test(`${name}: ${JSON.stringify(value)} is refused when the connector is made`, () => {
      const given = { credentials: CREDENTIALS, [name]: value };
      assert.throws(
        () => createConnector('slack', given),
        (error) => {
          assert.ok(isConnectorError(error, 'invalid_config'));
          assert.deepEqual(
            faultsOf(error).map(({ field }) => field),
            [name],
          );
          return true;
        },
      );
    });

  test('that make no sense are refused when the connector is made, or at the call', async () => {
    assert.throws(() => connectorFor('no url'), { code: 'invalid_config' });
    assert.throws(() => connectorFor('http://127.0.0.1:9', { upstreamLimits: 0 }), {
      code: 'invalid_config',
    });
    await using sandbox = await startSandbox({ scale: 10 });
    const connector = connectorFor(sandbox.urls.slack);
    for (const timeoutMs of [0, Number.NaN, Infinity]) {
      const error = await errorOf(connector.users.list({}, { timeoutMs }));
      assert.equal(error.code, 'invalid_config');
    }
    // A check that is asked for wrongly says nothing of the credentials.
    for (const options of [{ timeoutMs: 0 }, { timeout: 5 }, { signal: 'none' }]) {
      const error = await errorOf(connector.check(options as CallOptions));
      assert.equal(error.code, 'invalid_config');
    }
    assert.deepEqual(sandbox.requests(), []);
  });
});

/** As for the tools of a model that takes no bounds in schemas. */
function withoutBounds(schema: object): void {
  for (const [name, value] of Object.entries(schema)) {
    if (/^(?:pattern|enum|minimum|maximum|minLength|maxLength)$/.test(name))
      Reflect.deleteProperty(schema, name);
    else if (typeof value === 'object' && value !== null) withoutBounds(value as object);
  }
}
