import { sql } from 'kysely';
import { DATABASE_NOW } from '../database-clock.ts';
import { SCHEMA, type Database } from '../database.ts';
import type { CopyRecord, MergeOptions } from '../contract/copies.ts';
import { fieldsSql } from './column-sql.ts';
import { addWords } from './dictionary.ts';
import { generationOf, notePaths } from './observed-paths.ts';
import type { OpenCopy } from './open-copy.ts';
import { PathTally } from './path-tally.ts';
import { prepareRecord } from './prepared-record.ts';
import { TermMaker } from './record-terms.ts';
import { upsert } from './write-records.ts';

/** The content hash of a record that has no contents yet. */
const NO_HASH = '00000000-0000-0000-0000-000000000000';

/**
 * Takes over what an accepted write answered: fields that `values` has replace those of the copy,
 * others stay. A page that was asked for before does not undo it, even where nothing was new.
 *
 * Nothing happens where the connector is gone, since nobody would ever delete the record; nor where the
 * copy is another account's by now, or such a one is still being deleted.
 */
export async function mergeRecord(
  copy: OpenCopy,
  record: CopyRecord,
  { onlyKnown = false, ifEpoch }: MergeOptions = {},
): Promise<void> {
  const { table } = copy;
  const terms = new TermMaker(copy.connectorId, table);
  await copy.database.transaction().execute(async (database) => {
    const held = await holdConnector(database, copy.connectorId, ifEpoch);
    if (held === undefined) return;
    const within = { ...copy, ...held, database };
    const { key } = prepareRecord(table, record);
    if (!onlyKnown) await ensureRecord(within, key);
    const present = await lockRecord(within, key);
    if (present === undefined) return;
    const merged = prepareRecord(table, { key, values: { ...present, ...record.values } });
    await upsert({ ...within, terms }, [merged], { generation: null, askedAt: null });
    await markWritten(within, key);
    await addWords(within, terms.words);
    const paths = new PathTally(table.columns);
    const isNew = Object.values(present).every((value) => value === null);
    paths.add(merged.values, isNew);
    await notePaths(within, paths, await generationOf(within));
  });
}

/** Until the transaction ends, the connector can neither be deleted nor become another account's. */
async function holdConnector(
  transaction: Database,
  connectorId: string,
  ifEpoch: number | undefined,
): Promise<Pick<OpenCopy, 'copyNumber'> | undefined> {
  let query = transaction
    .selectFrom('connectors as c')
    .innerJoin('connector_syncs as s', 's.connector_id', 'c.id')
    .select('s.copy_number as copyNumber')
    .where('c.id', '=', connectorId)
    .where('c.deleted_at', 'is', null)
    .where('s.discarded_at', 'is', null)
    .forShare('c');
  if (ifEpoch !== undefined) query = query.where('c.credentials_epoch', '=', ifEpoch);
  return await query.executeTakeFirst();
}

/** An empty record, where there is none: two merges at once then wait for each other. */
async function ensureRecord(
  { database, table, connectorId }: OpenCopy,
  key: string,
): Promise<void> {
  await sql`
    insert into ${sql.id(SCHEMA, table.name)} (
      connector_id, record_key, synced_at, changed_at, generation, content_hash, terms, grams
    )
    values (${connectorId}::uuid, ${key}, ${DATABASE_NOW}, ${DATABASE_NOW}, 0, ${NO_HASH}::uuid, '{}', '{}')
    on conflict do nothing
  `.execute(database);
}

/** Values of the record, which nobody else changes until the transaction ends. */
async function lockRecord(
  { database, table, connectorId }: OpenCopy,
  key: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { rows } = await sql<{ fields: string }>`
    select ${fieldsSql(table.columns)} as fields from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and record_key = ${key} for update
  `.execute(database);
  const [row] = rows;
  // Proof: the text is JSON that PostgreSQL made of a row.
  return row === undefined ? undefined : (JSON.parse(row.fields) as Record<string, unknown>);
}

async function markWritten({ database, table, connectorId }: OpenCopy, key: string): Promise<void> {
  await sql`
    update ${sql.id(SCHEMA, table.name)} set synced_at = ${DATABASE_NOW}
    where connector_id = ${connectorId}::uuid and record_key = ${key}
  `.execute(database);
}
