import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { findKind } from '@patchbay/connectors/engine';
import { Client } from 'pg';
import { ConnectionPool, type PoolOptions } from '../src/connection-pool.ts';
import { isStoreError, openStore } from '../src/index.ts';
import { parseDatabaseUrl } from '../src/server-connection.ts';
import { howSettingsAreTaken, withSettings } from '../src/server-settings.ts';
import { searchOf } from './copies/support/open-test-copies.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { silentProxyTo } from './support/silent-proxy.ts';
import { SHARED, TEST_DATABASES } from './support/test-databases.ts';
import { until } from './support/until.ts';

const SILENT_LOGGER = { info: () => undefined, warn: () => undefined };
const KIND = 'chat-workspace';
const LOCK = 'begin; lock table patchbay.connectors in access exclusive mode';

for (const database of TEST_DATABASES)
  describe(`the time of a statement on ${database.name}`, { skip: database.skip }, () => {
    test('is bounded, as is the wait for a connection', async () => {
      await using store = await openTestStore(database);
      const locker = new Client(store.connection);
      await locker.connect();
      await locker.query(LOCK);
      const pool = openPool(store, { connections: 1, statementMs: 3_000, waitMs: 1_500 });
      const count = () => execute(pool, 'select count(*) from patchbay.connectors');
      const slow = assert.rejects(count(), isSilent);
      await assert.rejects(count(), isSilent);
      await slow;
      await locker.query('rollback');
      await locker.end();
      assert.deepEqual(await count(), { rows: [{ count: 0 }] });
      await pool.end();
    });

    test('ends with the signal of whoever waits, as does the wait for a connection', async () => {
      await using store = await openTestStore(database);
      const locker = new Client(store.connection);
      await locker.connect();
      await locker.query(LOCK);
      const pool = openPool(store, { connections: 1 });
      const controller = new AbortController();
      const reason = new Error('nobody waits');
      const both = [1, 2].map(async () => {
        const client = await pool.connect(controller.signal);
        try {
          await client.send('select count(*) from patchbay.connectors', []);
        } finally {
          client.release();
        }
      });
      setTimeout(() => controller.abort(reason), 200);
      await Promise.all(both.map((each) => assert.rejects(each, reason)));
      await assert.rejects(pool.connect(controller.signal), reason);
      await locker.query('rollback');
      await locker.end();
      assert.deepEqual(await execute(pool, 'select 1 as one'), { rows: [{ one: 1 }] });
      await pool.end();
    });
  });

describe('statements on a PostgreSQL server', { skip: SHARED.skip }, () => {
  let store: TestStore;
  let locker: Client;
  before(async () => {
    store = await openTestStore(SHARED, { connections: { searches: 2 } });
    locker = new Client(store.connection);
    await locker.connect();
  });
  after(async () => {
    await locker.end();
    await store.close();
  });

  /** How many statements of a lane the server is at. */
  const active = async (lane: string): Promise<number> => {
    const [row] = await store.query(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'active' and application_name = $1",
      [`patchbay ${lane}`],
    );
    return Number(row?.['n']);
  };

  const search = (signal: AbortSignal) => {
    const { users } = findKind(KIND).entities;
    assert.ok(users !== undefined);
    const copy = { connectorId: randomUUID(), kind: KIND, entity: 'users' };
    return store.copies.search(copy, searchOf(users, { query: {} }), { signal });
  };

  test('end there when the search that asks for them does, and leave others alone', async () => {
    const [table] = await store.query(
      "select name from patchbay.copy_tables where name like '%chat_workspace%users%'",
    );
    await locker.query(
      `begin; lock table patchbay.${String(table?.['name'])} in access exclusive mode`,
    );
    const controller = new AbortController();
    const reason = new Error('the client has gone');
    const searches = Array.from({ length: 10 }, () =>
      assert.rejects(search(controller.signal), reason),
    );
    await until(async () => (await active('searches')) === 2);
    await store.ping();
    assert.equal(await store.connectors.find(randomUUID()), undefined);
    controller.abort(reason);
    await Promise.all(searches);
    // The lock is held on: nothing else would end them.
    await until(async () => (await active('searches')) === 0);
    await locker.query('rollback');
    const { hits } = await search(new AbortController().signal);
    assert.deepEqual(hits, []);
  });

  test('end there when they take longer than they may', async () => {
    await locker.query(LOCK);
    const pool = openPool(store, { statementMs: 300, name: 'patchbay test' });
    await assert.rejects(execute(pool, 'select count(*) from patchbay.connectors'), isSilent);
    await until(async () => (await active('test')) === 0);
    await locker.query('rollback');
    await pool.end();
  });

  test('are not repeated where the server is silent, and leave nothing behind', async () => {
    const place = await SHARED.makeMigrated();
    const { proxy, url } = await silentProxyTo(place.options.databaseUrl ?? '');
    const silent = await openStore({ databaseUrl: url });
    await silent.ping();
    proxy.silence();
    const begun = performance.now();
    await assert.rejects(silent.ping(), isSilent);
    assert.ok(performance.now() - begun < 9_000, 'it was asked once');
    await silent.close();
    await proxy[Symbol.asyncDispose]();
    await place.remove();
  });

  test('of a start end with its signal', async () => {
    const place = await SHARED.makeMigrated();
    const { proxy, url } = await silentProxyTo(place.options.databaseUrl ?? '');
    const reason = new Error('stopped');
    const controller = new AbortController();
    proxy.silence();
    const opening = openStore({ databaseUrl: url, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 100);
    await assert.rejects(opening, reason);
    await proxy[Symbol.asyncDispose]();
    await place.remove();
  });

  test('are given up by the server itself in the end, unless the operator has said otherwise', async () => {
    const pool = openPool(store, { statementMs: 4_000 });
    assert.deepEqual(await execute(pool, 'show statement_timeout'), {
      rows: [{ statement_timeout: '5s' }],
    });
    await pool.end();
    const url = new URL(String(store.connection.connectionString));
    url.searchParams.set('options', '-c statement_timeout=7s -c work_mem=5MB');
    const { connection, description } = parseDatabaseUrl(url.href);
    const own = new ConnectionPool(
      withSettings({ connection, description, logger: SILENT_LOGGER }, 'connection', {
        statementMs: 4_000,
      }),
    );
    const { rows } = await execute(own, 'show statement_timeout; show work_mem');
    assert.deepEqual(rows, [{ statement_timeout: '7s' }, { work_mem: '5MB' }]);
    await own.end();
  });

  test('go through poolers that take no settings', async () => {
    const place = await SHARED.makeMigrated();
    await using pooler = await startStrictPooler(place.options.databaseUrl ?? '');
    const description = 'the pooler';
    const { connection } = parseDatabaseUrl(pooler.url);
    const options = { connection, description, logger: SILENT_LOGGER };
    assert.equal(await howSettingsAreTaken(options), 'transaction');
    const pool = new ConnectionPool(withSettings(options, 'transaction', { statementMs: 4_000 }));
    const { rows } = await execute(pool, 'begin; show statement_timeout; commit');
    assert.deepEqual(rows, [{ statement_timeout: '5s' }]);
    assert.deepEqual(await execute(pool, 'show statement_timeout'), {
      rows: [{ statement_timeout: '0' }],
    });
    await pool.end();
    const warnings: string[] = [];
    const logger = {
      ...SILENT_LOGGER,
      warn: (_: object, message: string) => warnings.push(message),
    };
    const through = await openStore({ databaseUrl: pooler.url, logger });
    await through.ping();
    await through.close();
    assert.match(warnings.join(), /takes no settings/);
    await place.remove();
  });
});

/** Runs a statement, or several; their rows come together. */
async function execute(pool: ConnectionPool, text: string) {
  const client = await pool.connect();
  try {
    const answer = await client.send(text, []);
    client.release();
    return { rows: [answer].flat().flatMap(({ rows }): unknown[] => rows) };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function openPool(
  store: TestStore,
  { name = 'patchbay test', ...bounds }: Partial<PoolOptions> & { readonly name?: string },
): ConnectionPool {
  const options = {
    connection: { ...store.connection, application_name: name },
    description: 'the test database',
    logger: SILENT_LOGGER,
    ...bounds,
  };
  return new ConnectionPool(
    withSettings(options, store.profile.sharesOneSession ? 'none' : 'connection', bounds),
  );
}

function isSilent(error: unknown): boolean {
  return isStoreError(error, 'database_silent');
}

/** Refuses startup messages with options, in the words of PgBouncer; passes everything else on. */
async function startStrictPooler(
  databaseUrl: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const url = new URL(databaseUrl);
  const { hostname, port } = url;
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (startup: Buffer) => {
      if (startup.includes('\0options\0')) {
        const fields = 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0';
        const head = Buffer.alloc(5);
        head.write('E');
        head.writeInt32BE(4 + fields.length, 1);
        client.end(Buffer.concat([head, Buffer.from(fields)]));
        return;
      }
      const upstream = connect(Number(port || 5432), hostname);
      upstream.on('error', () => client.destroy());
      upstream.write(startup);
      client.pipe(upstream).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.hostname = '127.0.0.1';
  // Proof: it listens on a port, not on a pipe.
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
