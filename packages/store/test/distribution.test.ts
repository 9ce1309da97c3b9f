import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Pool, TypeOverrides } from 'pg';
import type { Syncs } from '../src/contract/syncs.ts';
import { standardTables } from '../src/copies/copy-table.ts';
import { makeCopyContext } from '../src/copies/open-copy.ts';
import { placementOf, PLACEMENTS } from '../src/distribution/placements.ts';
import { openStore } from '../src/index.ts';
import { databaseOn } from '../src/lanes.ts';
import { openSyncs } from '../src/sync/open-syncs.ts';
import { makeEmptyCitusDatabase } from './support/citus-databases.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addConnector } from './support/sample-rows.ts';
import { CITUS, EMBEDDED, SERVER } from './support/test-databases.ts';

const ignore = () => undefined;

test('every table of the schema has its place in a distributed database', async () => {
  await using store = await openTestStore(EMBEDDED);
  const tables = await store.query(
    `select tablename as name from pg_tables where schemaname = 'patchbay'`,
  );
  assert.ok(tables.length > 40);
  for (const { name } of tables)
    assert.notEqual(placementOf(String(name)), undefined, `placements.ts lacks ${String(name)}`);
});

test('parents have their place before what refers to them', async () => {
  await using store = await openTestStore(EMBEDDED);
  const keys = await store.query(
    `select child.relname as child, parent.relname as parent from pg_constraint f
    join pg_class child on child.oid = f.conrelid
    join pg_class parent on parent.oid = f.confrelid
    where f.contype = 'f' and f.connamespace = 'patchbay'::regnamespace and f.conrelid <> f.confrelid`,
  );
  assert.ok(keys.length > 10);
  const order = Object.keys(PLACEMENTS);
  for (const { child, parent } of keys)
    if (order.includes(String(child)))
      assert.ok(
        order.indexOf(String(parent)) < order.indexOf(String(child)),
        `${String(child)} refers to ${String(parent)}`,
      );
});

describe('a database is not distributed', () => {
  test('where it is the embedded one', async () => {
    const place = await EMBEDDED.make();
    await assert.rejects(openStore({ ...place.options, distribute: ignore }), {
      code: 'database_unsupported',
      message: /only a PostgreSQL server with Citus can be/,
    });
    await place.remove();
  });

  test('where its server lacks the extension', { skip: SERVER.skip }, async () => {
    const place = await SERVER.make();
    await assert.rejects(openStore({ ...place.options, distribute: ignore }), {
      code: 'database_unsupported',
      message: /create extension citus/,
    });
    await place.remove();
  });
});

describe('a distributed database', { skip: CITUS.skip }, () => {
  test('has every table where its placement says', async () => {
    await using store = await openTestStore(CITUS);
    assert.equal(store.profile.isDistributed, true);
    const tables = await store.query(
      `select c.relname as name,
        case when p.partmethod = 'h' then 'connector' when p.repmodel = 't' then 'reference'
          else 'coordinator' end as by
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       left join pg_dist_partition p on p.logicalrelid = c.oid
       where n.nspname = 'patchbay' and c.relkind = 'r'`,
    );
    for (const { name, by } of tables)
      assert.equal(by, placementOf(String(name))?.by, String(name));
    const [groups] = await store.query(
      `select count(distinct colocationid)::int as count from pg_dist_partition where partmethod = 'h'`,
    );
    assert.equal(groups?.['count'], 1);
  });

  test('keeps what was there, is told of each table, and needs to be alone', async () => {
    const { url, remove } = await makeEmptyCitusDatabase(process.env['TEST_CITUS_URL'] ?? '');
    await using _ = { [Symbol.asyncDispose]: remove };
    const options = { databaseUrl: url };
    const before = await openStore(options);
    const { id, applicationId } = await addConnector(before);
    await before.instances.beat('somebody');
    const spread: string[] = [];
    const distribute = ({ next }: { readonly next: string | undefined }) => {
      if (next !== undefined) spread.push(next);
    };
    await assert.rejects(openStore({ ...options, distribute }), { code: 'database_in_use' });
    assert.deepEqual(spread, []);
    await before.instances.remove('somebody');
    await before.close();

    const after = await openStore({ ...options, distribute });
    assert.equal(after.profile.isDistributed, true);
    assert.deepEqual(spread.slice(0, 4), [
      'organizations',
      'applications',
      'connectors',
      'connector_syncs',
    ]);
    assert.equal((await after.connectors.find(id))?.applicationId, applicationId);
    await after.close();

    const again: string[] = [];
    const repeated = await openStore({
      ...options,
      distribute: ({ next }) => again.push(String(next)),
    });
    await repeated.close();
    assert.deepEqual(again, []);
  });

  test('commits a page, its position and its lease on one node, without a second phase', async () => {
    await using store = await openTestStore(CITUS);
    const { id: connectorId } = await addConnector(store);
    await using loud = openLoudSyncs(store);
    const lease = await loud.syncs.takeLease({ connectorId, owner: 'reader', ttlMs: 60_000 });
    assert.ok(lease !== undefined);
    const read = { kind: 'chat-workspace', entity: 'users' } as const;
    await loud.syncs.beginRead(lease, { ...read, mode: 'full', definitionHash: 'a.b' });
    loud.told.length = 0;
    await loud.syncs.commitBatch(lease, {
      ...read,
      records: [{ key: 'U1', values: { id: 'U1', name: 'ada', profile: { a: 1 } } }],
      pages: 1,
      position: { next: 'x' },
      askedAt: new Date(),
    });
    const said = loud.told.map(({ statement }) => statement);
    assert.ok(said.some((statement) => statement.includes('INSERT INTO')));
    assert.equal(said.filter((statement) => statement === 'issuing COMMIT').length, 1);
    assert.deepEqual(
      said.filter((statement) => statement.includes('PREPARE TRANSACTION')),
      [],
    );
    assert.equal(new Set(loud.told.map(({ node }) => node)).size, 1);
  });
});

/** What was sent to a node. */
interface RemoteStatement {
  readonly statement: string;
  readonly node: string;
}

interface LoudSyncs extends AsyncDisposable {
  readonly syncs: Syncs;
  /** What the coordinator has said to other nodes, in order. */
  readonly told: RemoteStatement[];
}

/** Syncs over connections of which the coordinator tells what it sends to other nodes. */
function openLoudSyncs({ connection }: TestStore): LoudSyncs {
  const told: RemoteStatement[] = [];
  const types = new TypeOverrides();
  types.setTypeParser(20, Number);
  const pool = new Pool({ ...connection, types, options: '-c citus.log_remote_commands=on' });
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '', detail = '' }) => {
      const node = /@(\S+)/.exec(detail)?.[1];
      if (node !== undefined) told.push({ statement: message, node });
    });
  });
  const database = databaseOn(pool);
  const lanes = {
    control: database,
    calls: database,
    searches: database,
    scans: database,
    replication: database,
  };
  const context = makeCopyContext(standardTables(), { isDistributed: true });
  return {
    syncs: openSyncs(lanes, context),
    told,
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
