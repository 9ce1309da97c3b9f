import type { ConnectorKind, Entity } from '@patchbay/connectors';
import { allKinds, checkSearch, searchSchemaOf, type Search } from '@patchbay/connectors/engine';
import { Kysely, PostgresDialect } from 'kysely';
import { ConnectionPool } from '../../../src/connection-pool.ts';
import type { CopyId, CopyRecord } from '../../../src/contract/copies.ts';
import { CopyTables } from '../../../src/copies/copy-table.ts';
import { makeCopyContext, openCopy, type OpenCopy } from '../../../src/copies/open-copy.ts';
import type { SearchPace } from '../../../src/copies/search-pace.ts';
import { writeRecords } from '../../../src/copies/write-records.ts';
import { SCHEMA, type Database, type Tables } from '../../../src/database.ts';
import { openTestStore, type TestStore } from '../../support/open-test-store.ts';
import { addApplication, addConnector } from '../../support/sample-rows.ts';
import type { TestDatabase } from '../../support/test-databases.ts';

/** A store with copies of a kind of the tests' own, and what is behind it. */
export interface TestCopies extends AsyncDisposable {
  readonly store: TestStore;
  readonly kind: ConnectorKind;
  /** Beside the store: for what it does in transactions of others. */
  readonly database: Database;
  /** A copy at another pace, or within a transaction. */
  open(copy: CopyId, how?: { readonly pace?: SearchPace; readonly database?: Database }): OpenCopy;
  /** An empty copy, of a connector of its own. */
  newCopy(entity: string): Promise<CopyId>;
  /** As one page that was asked for just now. */
  write(copy: CopyId, records: readonly CopyRecord[]): Promise<void>;
}

const SILENT = { info: () => undefined, warn: () => undefined };

export async function openTestCopies(
  testDatabase: TestDatabase,
  entities: readonly Entity[],
): Promise<TestCopies> {
  const kind = kindOf(entities);
  const store = await openTestStore(testDatabase, { kinds: [kind] });
  const { isDistributed, keepsStatements } = store.profile;
  const pool = new ConnectionPool({
    connection: store.connection,
    keepsStatements,
    description: 'the test database',
    logger: SILENT,
  });
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }).withSchema(
    SCHEMA,
  );
  const { id: applicationId } = await addApplication(store);
  const context = makeCopyContext(new CopyTables([kind]), {
    isDistributed,
    keepsPlans: keepsStatements && !isDistributed,
  });
  const open: TestCopies['open'] = (copy, how = {}) => ({
    ...openCopy(database, context, copy),
    ...how,
  });
  return {
    store,
    kind,
    database,
    open,
    newCopy: async (entity) => {
      const { id } = await addConnector(store, { applicationId, kind: kind.kind });
      return { connectorId: id, kind: kind.kind, entity };
    },
    write: async (copy, records) => {
      const write = { generation: 1, lastGeneration: 1, askedAt: await databaseNow(store) };
      await database
        .transaction()
        .execute((transaction) =>
          writeRecords(open(copy, { database: transaction }), records, write),
        );
    },
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await store.close();
    },
  };
}

export async function databaseNow(store: TestStore): Promise<Date> {
  const [row] = await store.query(`select date_trunc('milliseconds', clock_timestamp()) as now`);
  const now = row?.['now'];
  if (!(now instanceof Date)) throw new Error('the database told no instant');
  return now;
}

/** A kind with other entities; copies ask nothing else of it. */
export function kindOf(entities: readonly Entity[], name = 'test-kind'): ConnectorKind {
  const [some] = allKinds();
  if (some === undefined) throw new Error('there are no kinds');
  return {
    ...some,
    kind: name,
    entities: Object.fromEntries(entities.map((entity) => [entity.name, entity])),
  };
}

/** The checked params of a search. */
export function searchOf(entity: Entity, params: Readonly<Record<string, unknown>>): Search {
  const schema = searchSchemaOf(entity);
  if (schema === undefined) throw new Error(`${entity.name} cannot be searched`);
  return checkSearch(schema, params);
}
