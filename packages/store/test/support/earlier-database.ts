import { randomUUID } from 'node:crypto';
import type { PoolConfig } from 'pg';
import { encodeBackup } from '../../src/backup/backup-file.ts';
import { readParts } from '../../src/backup/read-parts.ts';
import { ALL_AT_ONCE } from '../../src/pace.ts';
import { findDatabase, onOneConnection } from '../../src/find-database.ts';
import { MIGRATIONS } from '../../src/migrations/all.ts';
import { migrate } from '../../src/migrations/migrate.ts';
import { ResourceStack } from '../../src/resource-stack.ts';
import { queryOnce } from './open-test-store.ts';

/** Makes the database of a version that lacks the last step of the schema, with one organization; gives a backup of it. */
export async function makeEarlier(
  place: { readonly dataFolder: string } | { readonly databaseUrl: string },
): Promise<Buffer> {
  const resources = new ResourceStack();
  try {
    const found = await findDatabase(place, resources);
    return await onOneConnection(found, undefined, async (database) => {
      await migrate(database, MIGRATIONS.slice(0, -1));
      await database
        .insertInto('organizations')
        .values({ id: randomUUID(), name: 'Old' })
        .execute();
      return await bytesOf(encodeBackup(readParts(database, ALL_AT_ONCE)));
    });
  } finally {
    await resources.close();
  }
}

/** How many steps the schema of a database has. */
export async function countSteps(connection: PoolConfig): Promise<number> {
  const rows = await queryOnce(
    connection,
    'select count(*)::int as steps from patchbay.schema_migrations',
  );
  return Number(rows[0]?.['steps']);
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
