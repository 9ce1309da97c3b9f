import { sql } from 'kysely';
import { SCHEMA, type Database } from '../database.ts';
import type { CopyId, CopyRecord } from './contract.ts';
import type { CopyContext } from './copy-context.ts';
import type { CopyTable } from './copy-table.ts';
import { addWords } from './dictionary.ts';
import { prepareRecord } from './prepared-record.ts';
import { TermMaker } from './record-terms.ts';
import { fieldsSql } from './search/rows.ts';
import { upsert, WRITTEN_AT } from './write-records.ts';

/** Of no contents. */
const NO_HASH = '00000000-0000-0000-0000-000000000000';

/**
 * Takes over what an accepted write answered: fields that `values` has replace those of the copy,
 * others stay. A page that was asked for before does not undo it, even where nothing was new.
 *
 * Nothing happens where the connector is gone: nobody would ever delete the record.
 */
export async function mergeRecord(
  database: Database,
  context: CopyContext,
  copy: CopyId,
  record: CopyRecord,
  { onlyKnown = false }: { readonly onlyKnown?: boolean } = {},
): Promise<void> {
  const table = context.tables.of(copy);
  const terms = new TermMaker(copy.connectorId, table);
  await database.transaction().execute(async (transaction) => {
    if (!(await holdConnector(transaction, copy.connectorId))) return;
    const { key } = prepareRecord(table, record);
    if (!onlyKnown) await ensureRecord(transaction, table, copy, key);
    const present = await lockRecord(transaction, table, copy, key);
    if (present === undefined) return;
    const merged = prepareRecord(table, { key, values: { ...present, ...record.values } });
    await upsert(transaction, { copy, table, terms }, [merged], {
      generation: null,
      askedAt: null,
    });
    await markWritten(transaction, table, copy, key);
    await addWords(transaction, context, copy, terms.words);
  });
}

/** Until the transaction ends, the connector cannot be deleted. */
async function holdConnector(transaction: Database, connectorId: string): Promise<boolean> {
  const connector = await transaction
    .selectFrom('connectors')
    .select('id')
    .where('id', '=', connectorId)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return connector !== undefined;
}

/** An empty record, where there is none: two merges at once then wait for each other. */
async function ensureRecord(
  transaction: Database,
  { name }: CopyTable,
  { connectorId }: CopyId,
  key: string,
): Promise<void> {
  await sql`
    insert into ${sql.id(SCHEMA, name)} (
      connector_id, record_key, synced_at, changed_at, generation, content_hash, terms, grams
    )
    values (${connectorId}::uuid, ${key}, ${WRITTEN_AT}, ${WRITTEN_AT}, 0, ${NO_HASH}::uuid, '{}', '{}')
    on conflict do nothing
  `.execute(transaction);
}

/** Values of the record, which nobody else changes until the transaction ends. */
async function lockRecord(
  transaction: Database,
  table: CopyTable,
  { connectorId }: CopyId,
  key: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { rows } = await sql<{ fields: string }>`
    select ${fieldsSql(table.columns)} as fields from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and record_key = ${key} for update
  `.execute(transaction);
  const [row] = rows;
  // Proof: the text is JSON that PostgreSQL made of a row.
  return row === undefined ? undefined : (JSON.parse(row.fields) as Record<string, unknown>);
}

async function markWritten(
  transaction: Database,
  { name }: CopyTable,
  { connectorId }: CopyId,
  key: string,
): Promise<void> {
  await sql`
    update ${sql.id(SCHEMA, name)} set synced_at = ${WRITTEN_AT}
    where connector_id = ${connectorId}::uuid and record_key = ${key}
  `.execute(transaction);
}
