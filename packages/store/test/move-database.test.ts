import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Client, type PoolConfig } from 'pg';
import { folderState, isStoreError, moveDatabase, openStore, type Store } from '../src/index.ts';
import { MIGRATIONS } from '../src/migrations/all.ts';
import { rowsOf } from './support/database-rows.ts';
import { countSteps, makeEarlier } from './support/earlier-database.ts';
import { fillStore } from './support/fill-store.ts';
import { queryOnce } from './support/open-test-store.ts';
import { countRecords, END } from './support/sample-syncs.ts';
import { startProcess } from './support/start-store-process.ts';
import { useDataFolder, type TemporaryFolder } from './support/temporary-folder.ts';
import { embeddedConnection, SERVER, type TestPlace } from './support/test-databases.ts';

const check = () => Promise.resolve();
const wrongKey = () => Promise.reject(new Error('another key'));

describe('moving to a server', { skip: SERVER.skip }, () => {
  test('every row is there afterwards, and the folder says where it went, without the password', async () => {
    await using world = await makeWorld();
    const { dataFolder, databaseUrl } = world;
    const { connectorId, rows } = await world.fill();
    const url = new URL(databaseUrl);
    url.password = 'a-password';
    const seen: number[] = [];
    const moved = await moveDatabase({
      dataFolder,
      databaseUrl: url.href,
      check,
      onProgress: ({ done, of }) => seen.push(done / of),
    });
    assert.deepEqual([moved.wasCopied, moved.counts['connectors']], [false, 2]);
    assert.deepEqual([seen[0], seen.at(-1)], [0, 1]);
    const { settings = [], ...others } = await rowsOf(await world.place.connection());
    const { settings: settingsBefore, ...before } = rows;
    assert.deepEqual(others, before);
    assert.deepEqual(
      settings.filter((row) => !row.includes('moved_from')),
      settingsBefore,
    );
    assert.equal(folderState(dataFolder), 'moved');
    await assert.rejects(openStore({ dataFolder }), (error) => {
      assert.ok(isStoreError(error, 'folder_moved'));
      assert.match(error.message, /was moved to PostgreSQL at \S+, database "store_test_\w+"/);
      assert.ok(!error.message.includes('a-password'));
      return true;
    });
    await using store = await openStore({ databaseUrl });
    assert.equal(await countRecords(store, copyOf(connectorId)), 30);
    // The schedule goes on there.
    assert.ok((await store.syncs.dueConnectors(10)).length > 0);
  });

  test('the same command once more changes nothing, and another target is refused', async () => {
    await using world = await makeWorld();
    const { dataFolder, databaseUrl } = world;
    await world.fill();
    await moveDatabase({ dataFolder, databaseUrl, check });
    const again = await moveDatabase({ dataFolder, databaseUrl, check });
    assert.equal(again.wasCopied, true);
    const other = databaseUrl.replace(/store_test_\w+/, 'another');
    await assert.rejects(moveDatabase({ dataFolder, databaseUrl: other, check }), {
      code: 'folder_moved',
    });
  });

  test('while all of the folder is read, no transaction waits on the server, which would end it', async () => {
    await using world = await makeWorld();
    const { dataFolder, databaseUrl, place } = world;
    await world.fill();
    const target = await openStore({ databaseUrl });
    await target.close();
    const states: Promise<unknown>[] = [];
    await moveDatabase({
      dataFolder,
      databaseUrl,
      check: async () => {
        const source = new Client(await embeddedConnection(dataFolder));
        await source.connect();
        // Until it ends, nothing can be read there.
        await source.query('begin');
        const waitForState = async () => {
          const state = await waitingState(await place.connection());
          await source.end();
          return state;
        };
        states.push(waitForState());
      },
    });
    assert.deepEqual(await Promise.all(states), ['idle']);
  });

  test('kill -9 anywhere in the middle leaves nothing there, and the next one moves all', async () => {
    await using world = await makeWorld();
    const { dataFolder, databaseUrl } = world;
    const { connectorId, rows } = await world.fill(5_000);
    for (const at of [0, 2_000, 5_000]) {
      const process = startProcess('move-process.ts', { dataFolder, databaseUrl });
      for (let line = await process.nextLine(); Number(line) < at;) line = await process.nextLine();
      await process.kill();
      assert.equal(folderState(dataFolder), 'present');
      // What the server had of it goes once it notices that the connection has.
      const connection = await world.place.connection();
      assert.deepEqual(await queryOnce(connection, 'select from patchbay.connectors'), []);
    }
    const process = startProcess('move-process.ts', { dataFolder, databaseUrl });
    let last: string | undefined;
    for (let line = await process.nextLine(); line !== undefined; line = await process.nextLine())
      last = line;
    assert.equal(last, 'moved');
    const { settings: _, ...moved } = await rowsOf(await world.place.connection());
    const { settings: __, ...before } = rows;
    assert.deepEqual(moved, before);
    await using store = await openStore({ databaseUrl });
    assert.equal(await countRecords(store, copyOf(connectorId)), 5_000);
  });

  test('a crash before the folder is marked is mended by the next one, unless the folder was used', async () => {
    await using world = await makeWorld();
    const { dataFolder, databaseUrl } = world;
    await world.fill();
    const unmark = () => rmSync(join(dataFolder, 'postgres', 'patchbay-moved.json'));
    await moveDatabase({ dataFolder, databaseUrl, check });
    unmark();
    // The database has been used since; the folder has not.
    await using store = await openStore({ databaseUrl });
    await store.organizations.create({ id: randomUUID(), name: 'Later' });
    const again = await moveDatabase({ dataFolder, databaseUrl, check });
    assert.deepEqual([again.wasCopied, folderState(dataFolder)], [true, 'moved']);
    unmark();
    await withStore(dataFolder, (own) =>
      own.organizations.create({ id: randomUUID(), name: 'Elsewhere' }),
    );
    await assert.rejects(moveDatabase({ dataFolder, databaseUrl, check }), {
      code: 'database_not_empty',
      message: /the data folder has changed since/,
    });
    assert.equal(folderState(dataFolder), 'present');
  });

  test('a database with other data, a folder in use and a wrong key are refused, and nothing is marked', async () => {
    await using world = await makeWorld();
    const { dataFolder, databaseUrl } = world;
    await world.fill();
    const move = (options: Partial<Parameters<typeof moveDatabase>[0]> = {}) =>
      moveDatabase({ dataFolder, databaseUrl, check, ...options });
    await withStore(dataFolder, async () => {
      await assert.rejects(move(), { code: 'folder_in_use' });
    });
    await assert.rejects(move({ check: wrongKey }), { message: 'another key' });
    await assert.rejects(move({ databaseUrl: 'postgres://nobody:pw@127.0.0.1:9/none' }), {
      code: 'database_unreachable',
    });
    await assert.rejects(move({ dataFolder: join(dataFolder, 'none') }), {
      code: 'database_not_given',
    });
    {
      await using store = await openStore({ databaseUrl });
      await store.settings.ensure('vault_check', 'sealed');
    }
    await assert.rejects(move(), { code: 'database_not_empty', message: /give an empty one/ });
    await queryOnce(await world.place.connection(), 'drop schema patchbay cascade');
    await makeEarlier({ databaseUrl });
    await assert.rejects(move(), { code: 'database_not_empty', message: /give an empty one/ });
    // Those who work on it may be of that version.
    assert.equal(await countSteps(await world.place.connection()), MIGRATIONS.length - 1);
    assert.equal(folderState(dataFolder), 'present');
    assert.ok(!readdirSync(join(dataFolder, 'postgres')).includes('patchbay-moved.json'));
  });
});

/** What the connection of a move is at, once it has been so for a while. */
async function waitingState(connection: PoolConfig): Promise<unknown> {
  for (;;) {
    const [waiting] = await queryOnce(
      connection,
      `select state from pg_stat_activity
       where datname = current_database() and application_name = 'patchbay start'
         and state like 'idle%' and state_change < now() - interval '1 second'`,
    );
    if (waiting !== undefined) return waiting['state'];
  }
}

interface World extends AsyncDisposable {
  readonly dataFolder: string;
  readonly databaseUrl: string;
  readonly place: TestPlace;
  /** Puts rows into the folder, and gives them as they are when nobody uses it. */
  fill(records?: number): Promise<{
    readonly connectorId: string;
    readonly rows: Awaited<ReturnType<typeof rowsOf>>;
  }>;
}

async function makeWorld(): Promise<World> {
  const folder: TemporaryFolder = await useDataFolder();
  const place = await SERVER.make();
  const dataFolder = folder.path;
  return {
    dataFolder,
    databaseUrl: place.options.databaseUrl ?? '',
    place,
    fill: async (records) => {
      const connector = await withStore(dataFolder, (store) => fillStore(store, records));
      // Opened anew, since that ends leases.
      const rows = await withStore(dataFolder, async () =>
        rowsOf(await embeddedConnection(dataFolder)),
      );
      return { connectorId: connector.id, rows };
    },
    [Symbol.asyncDispose]: async () => {
      await place.remove();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function copyOf(connectorId: string) {
  return { connectorId, kind: END.kind, entity: END.entity };
}

async function withStore<T>(dataFolder: string, work: (store: Store) => Promise<T>): Promise<T> {
  await using store = await openStore({ dataFolder });
  return await work(store);
}
