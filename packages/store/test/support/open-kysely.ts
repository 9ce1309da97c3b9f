import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type { Tables } from '../../src/database.ts';
import type { TestStore } from './open-test-store.ts';

/** A connection of a test's own to the database of its store. */
export function openKysely({ connection }: Pick<TestStore, 'connection'>): Kysely<Tables> {
  const pool = new Pool({ ...connection, max: 1 });
  // It has said goodbye, but its server may drop the database first, and end it.
  pool.on('error', () => undefined);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
