import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openStore, type Store } from '@patchbay/store';
import { callCli } from './support/call-cli.ts';
import { makeMigratedDatabase } from './support/migrated-database.ts';
import { temporaryFolder } from './support/run-cli.ts';

type Json = Readonly<Record<string, unknown>>;

describe('on the database itself', () => {
  test('patchbay migrate makes the schema, once', async () => {
    await using folder = await temporaryFolder();
    const environment = { PATCHBAY_DATA: join(folder.path, 'data') };
    const first = await callCli(['migrate', '--json'], environment);
    assert.deepEqual([first.code, first.err], [0, '']);
    const { migrations } = JSON.parse(first.out) as { readonly migrations: readonly string[] };
    assert.ok(migrations.length > 0);
    const { code, out, err } = await callCli(['migrate'], environment);
    assert.deepEqual([code, out], [0, '']);
    assert.equal(err, `The schema in ${environment.PATCHBAY_DATA} was up to date.\n`);
  });

  test('patchbay app creates, lists and revokes applications', async () => {
    await using folder = await temporaryFolder();
    const environment = { PATCHBAY_DATA: await makeMigratedDatabase(folder.path) };
    const json = async (...args: string[]): Promise<unknown> => {
      const { code, out, err } = await callCli([...args, '--json'], environment);
      assert.equal(code, 0, err);
      return JSON.parse(out) as unknown;
    };
    const empty = await callCli(['app', 'list'], environment);
    assert.deepEqual(empty, { code: 0, out: '', err: 'There is no application yet.\n' });
    const made = (await json('app', 'create', '--name', 'Support agent')) as Json;
    assert.match(String(made['client_secret']), /^\S{32,}$/);
    const shown = await callCli(['app', 'create'], environment);
    assert.match(shown.out, /^PATCHBAY_CLIENT_ID=\S+\nPATCHBAY_CLIENT_SECRET=\S{32,}\n$/);
    const id = String(made['client_id']);
    const list = async () => (await json('app', 'list')) as readonly Json[];
    const before = await list();
    assert.deepEqual(
      before.map((each) => [each['name'], each['revoked_at']]),
      [
        ['Support agent', null],
        ['Application', null],
      ],
    );
    assert.ok(!JSON.stringify(before).includes(String(made['client_secret'])));
    const unasked = await callCli(['app', 'revoke', id], environment);
    assert.deepEqual([unasked.code, /give --yes/.test(unasked.err)], [2, true]);
    assert.deepEqual(await json('app', 'revoke', id, '--yes'), { client_id: id });
    const revoked = (await list()).map((each) => each['revoked_at'] !== null);
    assert.deepEqual(revoked, [true, false]);
    const table = await callCli(['app', 'list'], environment);
    assert.match(table.out, /^client_id +name +created_at +revoked_at\n/);
    const unknown = await callCli(['app', 'revoke', 'nobody', '--yes'], environment);
    const says = 'patchbay: There is no application "nobody".\n';
    assert.deepEqual(unknown, { code: 2, out: '', err: says });
  });

  test('patchbay app purge deletes what a revoked application had, and nothing else', async () => {
    await using folder = await temporaryFolder();
    const dataFolder = await makeMigratedDatabase(folder.path);
    const environment = { PATCHBAY_DATA: dataFolder };
    const make = async () => {
      const { out } = await callCli(['app', 'create', '--json'], environment);
      return JSON.parse(out) as Json;
    };
    const [revoked, other] = [await make(), await make()];
    const clientId = String(revoked['client_id']);
    const purge = (...flags: string[]) =>
      callCli(['app', 'purge', clientId, ...flags], environment);
    const applicationId = String(revoked['application_id']);
    const kept = await withStore(dataFolder, async (store) => {
      const oauthApp = { id: randomUUID(), kind: 'chat-workspace', sealedApp: 'sealed' };
      await store.oauthApps.put({ ...oauthApp, applicationId });
      const lists = { allowedOrigins: ['https://a.example'], allowedReturnUrls: [] };
      await store.applications.update(applicationId, lists);
      for (let count = 0; count < 2; count++) await addCopiedConnector(store, revoked);
      return await addCopiedConnector(store, other);
    });
    const early = await purge('--yes');
    assert.deepEqual([early.code, /app revoke/.test(early.err)], [2, true]);
    await callCli(['app', 'revoke', clientId, '--yes'], environment);
    const unasked = await purge();
    assert.deepEqual([unasked.code, /give --yes/.test(unasked.err)], [2, true]);
    const { code, out, err } = await purge('--yes', '--json');
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out), { client_id: clientId, connectors: 2 });
    const again = await purge('--yes', '--json');
    assert.deepEqual(JSON.parse(again.out), { client_id: clientId, connectors: 0 });
    await withStore(dataFolder, async ({ applications, connectors, oauthApps, syncs }) => {
      assert.deepEqual(await connectors.list({ applicationId }, { limit: 10 }), []);
      assert.deepEqual(await syncs.uncleared(10), []);
      const [users] = await syncs.entities(kept, ['users']);
      assert.equal(users?.recordCount, 1);
      const tombstone = await applications.findByClientId(clientId);
      assert.deepEqual([tombstone?.id, tombstone?.allowedOrigins], [applicationId, []]);
      const listed = (await applications.list()).map((each) => each.clientId);
      assert.deepEqual(listed, [other['client_id']]);
      // As the hourly clean-up of a service does, a day later.
      assert.equal(await oauthApps.deleteOfDeleted(0, 10), 1);
      assert.deepEqual(await oauthApps.list(applicationId), []);
    });
  });

  test('patchbay app makes no database in order to read one, or to take from it', async () => {
    await using folder = await temporaryFolder();
    const environment = { PATCHBAY_DATA: join(folder.path, 'data') };
    for (const args of [['list'], ['revoke', 'x', '--yes'], ['purge', 'x', '--yes']]) {
      const { code, out, err } = await callCli(['app', ...args], environment);
      assert.deepEqual([code, out], [4, '']);
      assert.ok(err.includes(environment.PATCHBAY_DATA), err);
      assert.match(err, /^patchbay: There is nothing of Patchbay yet in .*\n$/);
      assert.deepEqual(await readdir(folder.path), []);
    }
    const json = await callCli(['app', 'list', '--json'], environment);
    assert.match(json.err, /^\{"error":\{"code":"database_absent"/);
  });

  test('a database that cannot be opened ends with 4, in a sentence', async () => {
    const nowhere = { DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:9/none' };
    const { code, out, err } = await callCli(['app', 'list'], nowhere);
    assert.deepEqual([code, out], [4, '']);
    assert.match(err, /^patchbay: .*\n$/);
    assert.ok(!err.includes('secret'));
  });
});

async function withStore<T>(dataFolder: string, work: (store: Store) => Promise<T>): Promise<T> {
  await using store = await openStore({ dataFolder });
  return await work(store);
}

/** A connector with one user in its copy; returns its id. */
async function addCopiedConnector(store: Store, application: Json): Promise<string> {
  const connectorId = randomUUID();
  await store.connectors.create({
    id: connectorId,
    applicationId: String(application['application_id']),
    externalUserId: 'user-1',
    kind: 'chat-workspace',
    name: 'Team chat',
    config: {},
    replicationConfig: null,
    authMethod: 'api_token',
    sealedCredentials: 'sealed',
    credentialsDigest: 'digest',
  });
  const { syncs } = store;
  const lease = await syncs.takeLease({ connectorId, owner: 'test', ttlMs: 60_000 });
  assert.ok(lease !== undefined);
  const read = { entity: 'users', kind: 'chat-workspace' };
  await syncs.beginRead(lease, { ...read, mode: 'full', definitionHash: 'test' });
  const records = [{ key: 'U1', values: { id: 'U1' } }];
  const askedAt = new Date(0);
  await syncs.commitBatch(lease, { ...read, records, pages: 1, askedAt, position: null });
  await syncs.finishRead(lease, read);
  await syncs.releaseLease(lease);
  return connectorId;
}
