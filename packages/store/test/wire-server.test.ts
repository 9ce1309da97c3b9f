import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { PGlite } from '@electric-sql/pglite';
import { Client, Pool, type PoolConfig } from 'pg';
import { openDatabase } from '../src/embedded/create-database.ts';
import { DoorSigns } from '../src/embedded/door-signs.ts';
import { loadWasmModules } from '../src/embedded/wasm-modules.ts';
import { shortenLog, tidyTables } from '../src/embedded/maintenance.ts';
import { WireServer } from '../src/embedded/wire-server.ts';
import { useDataFolder, type TemporaryFolder } from './support/temporary-folder.ts';

describe('the server of the embedded database', () => {
  let folder: TemporaryFolder;
  let database: PGlite;
  let server: WireServer;
  let connection: PoolConfig;
  const warnings: string[] = [];
  const signs = new DoorSigns();

  before(async () => {
    folder = await useDataFolder();
    database = await openDatabase(join(folder.path, 'postgres'), await loadWasmModules());
    server = new WireServer({
      database,
      onWarning: (message) => warnings.push(message),
      onBroken: (reason) => warnings.push(reason),
      signs,
      idleTransactionMs: 1_000,
    });
    await server.listen(join(folder.path, '.s.PGSQL.5432'));
    connection = { host: folder.path, user: 'postgres', database: 'postgres', ssl: false };
  });
  after(async () => {
    await server.close();
    await database.close();
    await folder[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    warnings.length = 0;
    await database.exec('drop table if exists t; create table t (id int primary key)');
  });

  test('its own work is told from that of clients', async () => {
    await using client = await connectClient(connection);
    await client.client.query('select 1');
    assert.equal(signs.isUpkeep, false);
    let seen: boolean | undefined;
    await server.runAlone('replication', async (open) => {
      seen = signs.isUpkeep;
      await open.exec('vacuum t');
    });
    assert.equal(seen, true);
  });

  test('its own work that fails in a transaction leaves none open', async () => {
    await using client = await connectClient(connection);
    const work = server.runAlone('replication', async (open) => {
      await open.exec('begin; select 1 / 0; commit');
    });
    await assert.rejects(work, /division by zero/);
    assert.equal((await client.client.query('select 1 as one')).rowCount, 1);
  });

  // With pglite-socket 0.2.17, about one answer in six was that of another client's statement.
  test('answers every client its own statement, however its parameters arrive', async () => {
    const pool = new Pool({ ...connection, max: 10 });
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const text = String(index % 10).repeat(index % 2 === 0 ? 1 : 200_000);
        const sql = `select length($1::text) + ${index % 7} as length, $2::int as index`;
        const { rows } = await pool.query<{ length: number; index: number }>(sql, [text, index]);
        return rows[0]?.index === index && rows[0].length === text.length + (index % 7);
      }),
    );
    await pool.end();
    assert.equal(answers.filter((isRight) => !isRight).length, 0);
  });

  test('keeps the statements of others out of a transaction', async () => {
    await using first = await connectClient(connection);
    await using second = await connectClient(connection);
    await first.client.query('begin');
    await first.client.query('insert into t values (1)');
    const count = second.client.query('select count(*)::int as count from t');
    await first.client.query('rollback');
    assert.deepEqual((await count).rows, [{ count: 0 }]);
  });

  test('serves calls before searches, and these before replication', async () => {
    await using busy = await connectClient(connection);
    const lanes = ['replication', 'searches', 'calls', 'control'];
    const clients = await Promise.all(
      lanes.map((lane) => connectClient({ ...connection, application_name: `patchbay ${lane}` })),
    );
    await busy.client.query('begin');
    const served: string[] = [];
    const answers = clients.map(async ({ client }, index) => {
      await client.query('insert into t values ($1)', [index]);
      served.push(lanes[index] ?? '');
    });
    // All of them wait once this has come, after them.
    await busy.client.query('select 1');
    await busy.client.query('commit');
    await Promise.all(answers);
    assert.deepEqual(served, lanes.toReversed());
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  });

  test('lets new clients wait for an open transaction', async () => {
    await using first = await connectClient(connection);
    await first.client.query('begin');
    const connecting = connectClient(connection);
    await first.client.query('insert into t values (1)');
    await first.client.query('commit');
    await using second = await connecting;
    assert.equal((await second.client.query('select id from t')).rowCount, 1);
  });

  test('a failed statement fails alone', async () => {
    const pool = new Pool({ ...connection, max: 5 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        pool.query('select 1 / $1::int as quotient', [index % 2]),
      ),
    );
    await pool.end();
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'fulfilled'),
      Array.from({ length: 100 }, (_, index) => index % 2 === 1),
    );
  });

  test('undoes what a client that dies in a transaction has done', async () => {
    const pool = new Pool({ ...connection, max: 1 });
    // The pool hears of the connection that this test breaks.
    pool.on('error', () => undefined);
    const dying = await pool.connect();
    dying.on('error', () => undefined);
    await dying.query('begin');
    await dying.query('insert into t values (1)');
    dying.release(true);
    await using other = await connectClient(connection);
    assert.equal((await other.client.query('select id from t')).rowCount, 0);
    await pool.end();
  });

  test('ends a transaction that stays idle, and says so', async () => {
    await using idle = await connectClient(connection);
    await using other = await connectClient(connection);
    await idle.client.query('begin');
    await idle.client.query('insert into t values (1)');
    assert.equal((await other.client.query('select id from t')).rowCount, 0);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^A transaction was open and idle for 1000 ms/);
  });

  test('takes several statements in one text, and answers far beyond one buffer', async () => {
    await using user = await connectClient(connection);
    await user.client.query('insert into t values (1); insert into t values (2)');
    const { rows } = await user.client.query<{ text: string }>(
      `select repeat('x', 1000) as text from t cross join generate_series(1, 5000)`,
    );
    assert.equal(rows.length, 10_000);
    assert.ok(rows.every(({ text }) => text.length === 1000));
  });

  // Its last message says that it is whole, and was looked for in the last piece alone.
  test('an answer is whole wherever the database cuts it into pieces', async () => {
    await using reader = await connectClient(connection);
    const lengths = Array.from({ length: 100 }, (_, index) => 8_192 - index);
    for (const length of lengths) {
      const sql = `select repeat('x', ${length}) as text`;
      const { rows } = await reader.client.query<{ text: string }>(sql);
      assert.equal(rows[0]?.text.length, length);
    }
    assert.deepEqual(warnings, []);
  });

  test('survives clients that leave at any moment', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => connectClient(connection)));
    const answers = Promise.allSettled(
      clients.map(({ client }) => client.query('select count(*) from generate_series(1, 20000)')),
    );
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
    await answers;
    await using last = await connectClient(connection);
    assert.equal((await last.client.query('select 1')).rowCount, 1);
  });

  test('maintenance shortens the log and clears dead rows', async () => {
    await database.exec(`
      create table wide (id int primary key, text text not null);
      insert into wide select g, repeat(md5(g::text), 30) from generate_series(1, 80000) g;
      delete from wide where id > 40000;
      select pg_stat_force_next_flush();
    `);
    await server.runAlone('replication', (open) => tidyTables(open, Infinity));
    await server.runAlone('replication', shortenLog);
    const { rows } = await database.query(`
      select (select n_dead_tup from pg_stat_user_tables where relname = 'wide')::int as dead,
        pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) < 32 * 1024 * 1024 as is_short
      from pg_control_checkpoint()
    `);
    assert.deepEqual(rows, [{ dead: 0, is_short: true }]);
  });

  test('tables are cleared in quiet moments, unless most of a large one is dead', async () => {
    await database.exec(`
      drop table if exists wide;
      create table large (id int primary key);
      insert into large select generate_series(1, 80000);
      delete from large where id <= 40000;
      select pg_stat_force_next_flush();
    `);
    const countAfter = async (quietMs: number) => {
      await server.runAlone('replication', (open) => tidyTables(open, quietMs));
      const { rows } = await database.query<{ dead: number; known: number }>(`
        select n_dead_tup::int as dead, reltuples::int as known
        from pg_stat_user_tables join pg_class c on c.oid = relid where c.relname = 'large'
      `);
      return rows[0];
    };
    // Nobody is kept waiting for long by what the planner is told.
    assert.deepEqual(await countAfter(9_999), { dead: 40_000, known: 40_000 });
    assert.deepEqual(await countAfter(10_000), { dead: 0, known: 40_000 });
    await database.exec(`
      insert into large select generate_series(100001, 160000);
      delete from large where id > 45000;
      select pg_stat_force_next_flush();
    `);
    assert.equal((await countAfter(0))?.dead, 0);
  });
});

interface ConnectedClient extends AsyncDisposable {
  readonly client: Client;
}

async function connectClient(connection: PoolConfig): Promise<ConnectedClient> {
  const client = new Client(connection);
  // One test has its connection cut.
  client.on('error', () => undefined);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
