import { sql } from 'kysely';
import { DATABASE_NOW } from '../database-clock.ts';
import { SCHEMA } from '../database.ts';
import type { CopyRecord, MergeOptions } from '../contract/copies.ts';
import { fieldsSql } from './column-sql.ts';
import { addWords } from './dictionary.ts';
import { notePaths } from './observed-paths.ts';
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
    const held = await holdConnector({ ...copy, database }, ifEpoch);
    if (held === undefined) return;
    const { copyNumber, generation } = held;
    const within = { ...copy, copyNumber, database };
    const { key } = prepareRecord(table, record);
    const isAdded = !onlyKnown && (await ensureRecord(within, key));
    const present = await lockRecord(within, key);
    if (present === undefined) return;
    const merged = prepareRecord(table, { key, values: { ...present, ...record.values } });
    const fresh = { generation: null, askedAt: null };
    const written = await upsert({ ...within, terms }, [merged], fresh);
    if (written.size === 0) await markWritten(within, key);
    await addWords(within, terms.words);
    const paths = new PathTally(table.columns);
    const isNew = Object.values(present).every((value) => value === null);
    paths.add(merged.values, isNew);
    await notePaths(within, paths, generation);
    // Last, as where pages are committed: neither waits for the other with what that waits for.
    if (isAdded) await countOneMore(within);
  });
}

/** What a connector is while a record is merged. */
interface Held {
  readonly copyNumber: number;
  /** Number of the last full read that had begun before; 0 where none had. */
  readonly generation: number;
}

/** Until the transaction ends, the connector can neither be deleted nor become another account's. */
async function holdConnector(
  { database, connectorId, entity }: OpenCopy,
  ifEpoch: number | undefined,
): Promise<Held | undefined> {
  let query = database
    .selectFrom('connectors as c')
    .innerJoin('connector_syncs as s', 's.connector_id', 'c.id')
    .leftJoin('entity_syncs as e', (join) =>
      join.onRef('e.connector_id', '=', 's.connector_id').on('e.entity', '=', entity),
    )
    .select(['s.copy_number as copyNumber', 'e.generation'])
    .where('c.id', '=', connectorId)
    .where('c.deleted_at', 'is', null)
    .where('s.discarded_at', 'is', null)
    .forShare('c');
  if (ifEpoch !== undefined) query = query.where('c.credentials_epoch', '=', ifEpoch);
  const held = await query.executeTakeFirst();
  return held && { ...held, generation: held.generation ?? 0 };
}

/** An empty record, where there is none: two merges at once then wait for each other. Returns whether there was none. */
async function ensureRecord(
  { database, table, connectorId }: OpenCopy,
  key: string,
): Promise<boolean> {
  const { numAffectedRows: made = 0n } = await sql`
    insert into ${sql.id(SCHEMA, table.name)} (
      connector_id, record_key, synced_at, changed_at, generation, content_hash, terms, grams
    )
    values (${connectorId}::uuid, ${key}, ${DATABASE_NOW}, ${DATABASE_NOW}, 0, ${NO_HASH}::uuid, '{}', '{}')
    on conflict do nothing
  `.execute(database);
  return made > 0n;
}

/** Of a copy that nobody has begun to read, its first full read counts the records. */
async function countOneMore({ database, connectorId, entity }: OpenCopy): Promise<void> {
  await database
    .updateTable('entity_syncs')
    .set((present) => ({ record_count: present('record_count', '+', 1) }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .execute();
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

/** Pages that were asked for before are older, even where nothing was new. */
async function markWritten({ database, table, connectorId }: OpenCopy, key: string): Promise<void> {
  await sql`
    update ${sql.id(SCHEMA, table.name)} set synced_at = ${DATABASE_NOW}
    where connector_id = ${connectorId}::uuid and record_key = ${key}
  `.execute(database);
}
