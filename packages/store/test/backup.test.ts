import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, mock, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { checkSearch, findEntity, findKind, searchSchemaOf } from '@patchbay/connectors/engine';
import { encodeBackup } from '../src/backup/backup-file.ts';
import { BACKUP_FORMAT, type BackupMigration, type BackupPart } from '../src/backup/parts.ts';
import { readParts } from '../src/backup/read-parts.ts';
import { ConnectionPool } from '../src/connection-pool.ts';
import { ALL_AT_ONCE } from '../src/pace.ts';
import {
  checkBackup,
  folderState,
  isStoreError,
  openStore,
  restoreBackup,
  type BackupInfo,
  type Store,
} from '../src/index.ts';
import type { SyncRun } from '../src/contract/syncs.ts';
import { markMoved } from '../src/embedded/database-folder.ts';
import { databaseOn } from '../src/lanes.ts';
import { MIGRATIONS } from '../src/migrations/all.ts';
import { rowsOf, type DatabaseRows } from './support/database-rows.ts';
import { bytesOf, countSteps, makeEarlier } from './support/earlier-database.ts';
import { fillStore } from './support/fill-store.ts';
import { openTestStore, queryOnce, type TestStore } from './support/open-test-store.ts';
import { addConnector, sampleConnectSession } from './support/sample-rows.ts';
import {
  countRecords,
  END,
  FULL,
  page,
  startRun,
  takeLease,
  users,
} from './support/sample-syncs.ts';
import { useDataFolder, useEmptyFolder } from './support/temporary-folder.ts';
import { embeddedConnection, SERVER, TEST_DATABASES } from './support/test-databases.ts';

/** In what this program has made; earlier versions left none. */
const MARK = 'patchbay-made-this';

const check = () => Promise.resolve();
const wrongKey = () => Promise.reject(new Error('another key'));

const schema = searchSchemaOf(findEntity(findKind(END.kind), END.entity));
if (schema === undefined) throw new Error('users cannot be searched');
const ADA = checkSearch(schema, { query: { filter: { fuzzy: { real_name: 'lov' } } } });

/** Credentials of another account. */
const OTHERS = {
  credentials: {
    authMethod: 'api_token',
    sealedCredentials: 'header..iv.other.tag',
    credentialsDigest: 'other',
  },
  account: { id: 'T2', name: 'Other', principal: 'U2' },
} as const;
const HOUR_MS = 3_600_000;
const NO_BACKUP = /^The backup cannot be used: .*Nothing was changed\.$/;

for (const database of TEST_DATABASES)
  describe(`backups of ${database.name}`, { skip: database.skip }, () => {
    test('a restored database has every row, and what had an end before has ended', async () => {
      await using store = await openTestStore(database);
      const { id: connectorId, applicationId } = await fillStore(store);
      await beginConsent(store, applicationId);
      const sessionId = await beginSession(store, applicationId);
      const operator = { operatorKeyDigest: 'digest' };
      await store.consoleSessions.open('hash', operator, { livesMs: HOUR_MS, most: 1 });
      const before = await rowsOf(store.connection);
      await using folder = await useEmptyFolder();
      const dataFolder = join(folder.path, 'data');
      const info = await restore(await backUp(store), { dataFolder });
      assert.deepEqual(
        [info.counts['connectors'], info.counts['copy_chat_workspace_users']],
        [2, 30],
      );
      await using restored = await openStore({ dataFolder });
      const copy = { connectorId, kind: END.kind, entity: END.entity };
      const { hits } = await restored.copies.search(copy, ADA);
      assert.ok(hits.length > 0);
      assert.deepEqual(hits, (await store.copies.search(copy, ADA)).hits);
      const after = await rowsOf(await embeddedConnection(dataFolder));
      assert.deepEqual(withoutWhatEnds(after), withoutWhatEnds(before));
      assert.deepEqual([after['signing_keys'], after['consents']], [[], []]);
      assert.equal((await restored.connectSessions.find(sessionId))?.isExpired, true);
      assert.ok((await store.consoleSessions.use('hash', HOUR_MS)) !== undefined);
      assert.equal(await restored.consoleSessions.use('hash', HOUR_MS), undefined);
      for (const row of after['connector_syncs'] ?? []) assert.match(row, /"lease_owner":null/);
      for (const row of after['sync_queue'] ?? []) assert.match(row, /"is_taken":false/);
    });

    test('runs that have ended are read one after another, and one that ends meanwhile is as it was', async () => {
      await using store = await openTestStore(database);
      const lease = await takeLease(store);
      const { connectorId } = lease;
      const end = async (run: SyncRun) =>
        await store.syncs.finishRun(lease, { runId: run.id, state: 'succeeded', nextInMs: 0 });
      await end(await startRun(store, lease));
      const running = await startRun(store, lease);
      let later: SyncRun | undefined;
      const backup = await backUpWhile(store, async () => {
        // What is in memory already cannot go any more.
        await store.query('delete from patchbay.sync_runs where finished_at is not null');
        await end(running);
        later = await startRun(store, lease);
        await end(later);
      });
      await using folder = await useEmptyFolder();
      const dataFolder = join(folder.path, 'data');
      const { counts } = await restore(backup, { dataFolder });
      assert.equal(counts['sync_runs'], 2);
      await using restored = await openStore({ dataFolder });
      const runs = await restored.syncs.runHistory(connectorId, { limit: 10 });
      assert.deepEqual(
        runs.map(({ id, state }) => [id, state]),
        [
          [later?.id, 'succeeded'],
          [running.id, 'running'],
        ],
      );
    });

    test('a file that is cut off or changed, anywhere, is refused', async () => {
      await using store = await openTestStore(database);
      await fillStore(store);
      const backup = await backUp(store);
      for (let length = 0; length < backup.length; length += 97)
        await assertRefused(backup.subarray(0, length));
      // Whole gzip of a cut, longer or changed text is no better.
      const text = gunzipSync(backup);
      await assertRefused(gzipSync(text.subarray(0, text.length / 2)));
      await assertRefused(gzipSync(Buffer.concat([text, text])));
      const changed = Buffer.from(text);
      changed.write('T2', changed.indexOf('T1'));
      await assertRefused(gzipSync(changed));
      await assertRefused(Buffer.from('something else'));
      await assertRefused(gzipSync('something else, which is a little longer'));
      await checkBackup(Readable.from([backup]));
    });

    test('copies that change hands while they are read are not restored, and all others are', async () => {
      await using store = await openTestStore(database);
      const read = async () => {
        const connector = await addConnector(store);
        const lease = await takeLease(store, { connectorId: connector.id });
        await store.syncs.beginRead(lease, FULL);
        await store.syncs.commitBatch(lease, page(1, { records: users(0, 5) }));
        await store.syncs.finishRead(lease, END);
        await store.syncs.releaseLease(lease);
        return connector;
      };
      const [kept, replaced, deleted, reread] = [
        await read(),
        await read(),
        await read(),
        await read(),
      ];
      let later: { readonly id: string } | undefined;
      const backup = await backUpWhile(store, async () => {
        await store.connectors.update(replaced.id, { ...OTHERS, replacesAccount: true });
        await store.connectors.delete(deleted.id, randomUUID());
        const lease = await takeLease(store, { connectorId: reread.id });
        await store.syncs.beginRead(lease, FULL);
        later = await read();
      });
      await using folder = await useEmptyFolder();
      const dataFolder = join(folder.path, 'data');
      await restore(backup, { dataFolder });
      await using restored = await openStore({ dataFolder });
      const counts = async (id: string) => [
        await countRecords(restored, { connectorId: id, kind: END.kind, entity: END.entity }),
        (await restored.syncs.entities(id, ['users']))[0]?.isComplete ?? false,
      ];
      assert.deepEqual(await counts(kept.id), [5, true]);
      assert.deepEqual(await counts(replaced.id), [0, false]);
      assert.deepEqual(await counts(deleted.id), [0, false]);
      assert.deepEqual(await counts(reread.id), [5, true]);
      assert.equal(await restored.connectors.find(later?.id ?? ''), undefined);
      assert.deepEqual(await counts(later?.id ?? ''), [0, false]);
      const rows = await rowsOf(await embeddedConnection(dataFolder));
      const generations = (rows['entity_syncs'] ?? []).filter((row) => row.includes(reread.id));
      assert.match(generations.join(), /"generation":2,/);
    });
  });

test('for a backup that nobody reads, nothing is read', async () => {
  const parts = mock.fn(() => toStream([]));
  encodeBackup({ [Symbol.asyncIterator]: parts });
  await wait(10);
  assert.equal(parts.mock.callCount(), 0);
});

describe('restoring', () => {
  test('a newer schema, and one that this program has otherwise, are refused', async () => {
    const newer = MIGRATIONS.map(({ number }) => ({ number, name: 'x', checksum: 'x' }));
    await assert.rejects(checkSteps([...newer, { number: 99, name: 'new', checksum: 'x' }]), {
      code: 'backup_unusable',
      message: /restore it with the version that made it, or a later one/,
    });
    await assert.rejects(checkSteps(newer), { code: 'backup_unusable', message: /schema step 1 / });
  });

  test('a database that is there stays, unless it may go and the other one is of use', async () => {
    await using store = await openTestStore();
    await fillStore(store);
    const backup = await backUp(store);
    await using folder = await useDataFolder();
    const dataFolder = folder.path;
    await nameOrganization(dataFolder, 'Mine');
    await assert.rejects(restore(backup, { dataFolder }), { code: 'database_not_empty' });
    const onProgress = mock.fn();
    const unopened = restore(backup, { dataFolder, replaces: true, check: wrongKey, onProgress });
    await assert.rejects(unopened, { message: 'another key' });
    assert.equal(onProgress.mock.callCount(), 0, 'no row is restored that nobody can open');
    const cut = backup.subarray(0, backup.length / 2);
    await assert.rejects(restore(cut, { dataFolder, replaces: true }), { code: 'backup_unusable' });
    assert.deepEqual(await organizationsIn(dataFolder), ['Mine']);
    await using open = await openStore({ dataFolder });
    await assert.rejects(restore(backup, { dataFolder, replaces: true }), {
      code: 'folder_in_use',
    });
    await open.close();
    await restore(backup, { dataFolder, replaces: true });
    assert.deepEqual(await organizationsIn(dataFolder), ['Harbour Works']);
  });

  test('a folder whose database was moved takes none: two would live on from one', async () => {
    await using folder = await useDataFolder();
    const open = await openStore({ dataFolder: folder.path });
    const backup = await backUp(open);
    await open.close();
    markMoved(folder.path, { to: 'PostgreSQL at db:5432', at: '2026-11-27T00:00:00Z' });
    await assert.rejects(restore(backup, { dataFolder: folder.path, replaces: true }), {
      code: 'folder_moved',
      message: /was moved to PostgreSQL at db:5432.*set DATABASE_URL to that one/,
    });
    assert.equal(folderState(folder.path), 'moved');
  });

  test('a crash while databases are exchanged leaves one of them, whole', async () => {
    await using folder = await useDataFolder();
    await nameOrganization(folder.path, 'Before');
    const at = (name: string) => join(folder.path, name);
    const putBeside = async (name: string) => {
      await using other = await useDataFolder();
      await nameOrganization(other.path, name);
      await rename(join(other.path, 'postgres'), at('postgres.restored'));
    };
    // As after each of the steps.
    await putBeside('Second');
    await mkdir(at('postgres.replaced'));
    assert.deepEqual(await organizationsIn(folder.path), ['Second']);
    await putBeside('Third');
    await rename(at('postgres'), at('postgres.replaced'));
    assert.equal(folderState(folder.path), 'present');
    assert.deepEqual(await organizationsIn(folder.path), ['Third']);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith('postgres')),
      ['postgres'],
    );
  });

  test('a database behind a link is not replaced', async () => {
    await using source = await useDataFolder();
    const backup = await backUpOf(source.path);
    await using folder = await useDataFolder();
    await using other = await useEmptyFolder();
    const [database, elsewhere] = [join(folder.path, 'postgres'), join(other.path, 'big')];
    await rename(database, elsewhere);
    await symlink(elsewhere, database);
    await assert.rejects(restore(backup, { dataFolder: folder.path, replaces: true }), {
      code: 'folder_not_usable',
      message: /postgres is a link/,
    });
    assert.deepEqual(readdirSync(folder.path).toSorted(), ['postgres', 'run-folder']);
    assert.ok(existsSync(join(elsewhere, 'PG_VERSION')));
  });

  test('a database that this program did not make is not deleted, whatever is allowed', async () => {
    await using source = await useDataFolder();
    const backup = await backUpOf(source.path);
    const strangers: Readonly<Record<string, (database: string) => Promise<void>>> = {
      'files of somebody': async (database) => {
        await rm(database, { recursive: true });
        await mkdir(database);
        await writeFile(join(database, 'thesis.txt'), 'precious');
      },
      'a server that ran': (database) => writeFile(join(database, 'postmaster.opts'), ''),
      'a server of 64 bits': async (database) => {
        const path = join(database, 'global', 'pg_control');
        const control = await readFile(path);
        // `float8ByVal`, as a server's has it.
        control[248] = 1;
        await writeFile(path, control);
      },
    };
    for (const [what, make] of Object.entries(strangers)) {
      await using folder = await useDataFolder();
      const database = join(folder.path, 'postgres');
      await rm(join(database, MARK), { force: true });
      await make(database);
      const names = readdirSync(database);
      await assert.rejects(
        restore(backup, { dataFolder: folder.path, replaces: true }),
        (error) => {
          assert.ok(isStoreError(error, 'folder_not_usable'), what);
          return error.message.includes(` ${database} `) && /move it elsewhere/.test(error.message);
        },
      );
      assert.deepEqual(readdirSync(database), names, what);
      assert.ok(!existsSync(join(folder.path, 'restoring')));
    }
  });

  test('one of an earlier version, which left no mark, is; once opened, even when it is damaged', async () => {
    await using source = await useDataFolder();
    await nameOrganization(source.path, 'Restored');
    const backup = await backUpOf(source.path);
    for (const isOpened of [false, true]) {
      await using folder = await useDataFolder();
      const dataFolder = folder.path;
      await rm(join(dataFolder, 'postgres', MARK), { force: true });
      if (isOpened) {
        await nameOrganization(dataFolder, 'Before');
        await writeFile(join(dataFolder, 'postgres', 'global', 'pg_control'), '');
      }
      await restore(backup, { dataFolder, replaces: true });
      assert.deepEqual(await organizationsIn(dataFolder), ['Restored']);
    }
  });

  test('an exchange of databases that an earlier version was killed in is ended', async () => {
    await using folder = await useDataFolder();
    await using other = await useDataFolder();
    await nameOrganization(other.path, 'Restored');
    const at = (name: string) => join(folder.path, name);
    await rename(join(other.path, 'postgres'), at('postgres.restored'));
    // What is left of one that was being deleted.
    await mkdir(join(at('postgres.replaced'), 'base', '5'), { recursive: true });
    await writeFile(join(at('postgres.replaced'), 'postgresql.conf'), '');
    for (const name of ['postgres', 'postgres.restored'])
      await rm(join(at(name), MARK), { force: true });
    assert.deepEqual(await organizationsIn(folder.path), ['Restored']);
    assert.ok(!existsSync(at('postgres.replaced')));
  });

  test('a backup of an earlier version is brought up to date', async () => {
    await using folder = await useEmptyFolder();
    const backup = await makeEarlier({ dataFolder: join(folder.path, 'old') });
    const dataFolder = join(folder.path, 'data');
    await restore(backup, { dataFolder });
    assert.deepEqual(await organizationsIn(dataFolder), ['Old']);
  });

  test('a refused restore leaves the schema as it was', { skip: SERVER.skip }, async () => {
    await using store = await openTestStore();
    const backup = await backUp(store);
    const place = await SERVER.make();
    const databaseUrl = place.options.databaseUrl ?? '';
    try {
      await makeEarlier({ databaseUrl });
      await assert.rejects(restore(backup, { databaseUrl }), { code: 'database_not_empty' });
      assert.equal(await countSteps(await place.connection()), MIGRATIONS.length - 1);
    } finally {
      await place.remove();
    }
  });

  test('where a later schema is in the way, it is said', { skip: SERVER.skip }, async () => {
    await using folder = await useEmptyFolder();
    const backup = await makeEarlier({ dataFolder: join(folder.path, 'old') });
    const place = await SERVER.make();
    const databaseUrl = place.options.databaseUrl ?? '';
    try {
      await (await openStore({ databaseUrl })).close();
      await assert.rejects(restore(backup, { databaseUrl }), {
        code: 'database_not_empty',
        message: /drop its schema "patchbay", which the restore makes anew/,
      });
      await queryOnce(await place.connection(), 'drop schema patchbay cascade');
      await restore(backup, { databaseUrl });
      assert.equal(await countSteps(await place.connection()), MIGRATIONS.length);
    } finally {
      await place.remove();
    }
  });

  test('a server takes it into an empty database only', { skip: SERVER.skip }, async () => {
    await using store = await openTestStore();
    const { id } = await fillStore(store);
    const backup = await backUp(store);
    const place = await SERVER.make();
    const databaseUrl = place.options.databaseUrl ?? '';
    try {
      await assert.rejects(restore(backup, { databaseUrl, check: wrongKey }));
      await restore(backup, { databaseUrl });
      await assert.rejects(restore(backup, { databaseUrl }), { code: 'database_not_empty' });
      await using restored = await openStore({ databaseUrl });
      const copy = { connectorId: id, kind: END.kind, entity: END.entity };
      assert.equal(await countRecords(restored, copy), 30);
      const after = await rowsOf(await place.connection());
      assert.deepEqual(withoutWhatEnds(after), withoutWhatEnds(await rowsOf(store.connection)));
    } finally {
      await place.remove();
    }
  });
});

function restore(
  bytes: Uint8Array,
  options: Partial<Parameters<typeof restoreBackup>[0]>,
): ReturnType<typeof restoreBackup> {
  return restoreBackup({ check, ...options, open: () => Readable.from([bytes]) });
}

async function backUpOf(dataFolder: string): Promise<Buffer> {
  await using store = await openStore({ dataFolder });
  return await backUp(store);
}

function backUp(store: Store): Promise<Buffer> {
  return bytesOf(store.backup());
}

async function assertRefused(bytes: Uint8Array): Promise<void> {
  await assert.rejects(checkBackup(Readable.from([bytes])), (error) => {
    assert.ok(isStoreError(error, 'backup_unusable'));
    assert.match(error.message, NO_BACKUP);
    return true;
  });
}

/** Of a backup without rows, whose schema was made by these steps. */
async function checkSteps(migrations: readonly BackupMigration[]): Promise<BackupInfo> {
  const parts: readonly BackupPart[] = [
    { type: 'header', format: BACKUP_FORMAT, createdAt: new Date().toISOString(), migrations },
    { type: 'end', counts: {}, brokenCopies: [], laterReads: [] },
  ];
  return checkBackup(Readable.from([await bytesOf(encodeBackup(toStream(parts)))]));
}

/** Something happens once all but the copies has been read. */
async function backUpWhile(store: TestStore, happen: () => Promise<void>): Promise<Buffer> {
  const pool = new ConnectionPool({
    connection: store.connection,
    description: 'the test database',
    logger: { info: () => undefined, warn: () => undefined },
  });
  const read = async function* () {
    for await (const part of readParts(databaseOn(pool), ALL_AT_ONCE)) {
      yield part;
      if (part.type === 'header') await happen();
    }
  };
  try {
    return await bytesOf(encodeBackup(read()));
  } finally {
    await pool.end();
  }
}

async function* toStream(parts: readonly BackupPart[]): AsyncGenerator<BackupPart> {
  yield* parts;
}

/** Leases end with the process that had them, and so does what a restore ends. */
function withoutWhatEnds(rows: DatabaseRows): DatabaseRows {
  // Every connector is looked at after a restoration.
  const ends = /"(lease_owner|lease_expires_at|expires_at|look_at|is_taken|wakes)":("[^"]*"|\w+)/g;
  const { signing_keys: _keys, consents: _consents, ...same } = rows;
  return Object.fromEntries(
    Object.entries(same).map(([table, all]) => [
      table,
      all.map((row) => row.replaceAll(ends, '')).toSorted(),
    ]),
  );
}

async function nameOrganization(dataFolder: string, name: string): Promise<void> {
  await using store = await openStore({ dataFolder });
  await store.organizations.create({ id: randomUUID(), name });
}

async function organizationsIn(dataFolder: string): Promise<readonly string[]> {
  await using store = await openStore({ dataFolder });
  return (await store.organizations.list()).map(({ name }) => name);
}

async function beginConsent(store: Store, applicationId: string): Promise<void> {
  const consent = {
    stateHash: Buffer.from('state'),
    browserHash: null,
    applicationId,
    externalUserId: 'user-1',
    kind: END.kind,
    request: {},
    sealedVerifier: null,
  };
  await store.consents.open(consent, { lifeMs: 600_000, perExternalUser: 9, perApplication: 9 });
}

async function beginSession(store: Store, applicationId: string): Promise<string> {
  const session = sampleConnectSession({ applicationId, kinds: [END.kind] });
  const most = { perExternalUser: 9, perApplication: 9 };
  await store.connectSessions.create(session, { secretHash: 'hash', livesMs: 600_000, most });
  return session.id;
}
