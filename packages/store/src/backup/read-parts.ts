import { sql, type RawBuilder, type Transaction } from 'kysely';
import { SCHEMA, type Database, type Tables } from '../database.ts';
import { BY_PRIMARY_KEY, localSettings } from '../local-settings.ts';
import type { Pace } from '../pace.ts';
import { isLarge, listCarriedTables, type CarriedTable } from './carried-tables.ts';
import {
  BACKUP_FORMAT,
  type BackupEnd,
  type BackupHeader,
  type BackupMigration,
  type BackupPart,
  type BackupRows,
  type LaterRead,
} from './parts.ts';

const MOST_ROWS = 2_000;
/** Of the text of rows that travel together. */
const BATCH_CHARACTERS = 1_048_576;

/** Of each connector there are a hundred that have ended: too many to be held in memory. */
const RUNS = 'sync_runs';

/**
 * Reads everything that a backup holds. What decides who may do what, and where copies stand, is read in
 * one short transaction, and held in memory; then runs that have ended, copies and answered keys, in many, each of which
 * has its turn. So copies are those of that moment or later ones, and the end says which of them are no whole.
 *
 * @param pace How many rows are read in one transaction.
 */
export async function* readParts(database: Database, pace: Pace): AsyncGenerator<BackupPart> {
  const { header, batches, runs, unfinished, large, before } = await readMoment(database);
  const counts: Record<string, number> = {};
  const count = (batch: BackupRows) => {
    counts[batch.table] = (counts[batch.table] ?? 0) + batch.count;
    return batch;
  };
  yield header;
  for (const batch of batches) yield count(batch);
  // Rows of connectors that came later are left out: nobody would ever clear them away.
  const isKnown = ({ key: [connectorId = ''] }: KeyedRow) => before.connectorIds.has(connectorId);
  // Those that have ended since are there already, as they were.
  const isOther = (run: KeyedRow) => isKnown(run) && !unfinished.has(run.key[1] ?? '');
  if (runs !== undefined)
    for await (const batch of readLarge(database, runs, { pace, isCarried: isOther }))
      yield count(batch);
  for (const table of large)
    for await (const batch of readLarge(database, table, { pace, isCarried: isKnown }))
      yield count(batch);
  yield { type: 'end', counts, ...(await compare(database, before)) };
}

/** What may change while copies are read. */
interface CopyStates {
  readonly connectorIds: ReadonlySet<string>;
  /** By connector, of those that have a copy which is theirs. */
  readonly copyNumbers: ReadonlyMap<string, number>;
  readonly generations: ReadonlyMap<string, number>;
}

interface Moment {
  readonly header: BackupHeader;
  readonly batches: readonly BackupRows[];
  readonly runs: CarriedTable | undefined;
  /** Ids of the runs that had not ended. */
  readonly unfinished: ReadonlySet<string>;
  readonly large: readonly CarriedTable[];
  readonly before: CopyStates;
}

async function readMoment(database: Database): Promise<Moment> {
  return await database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      await writeAlike(transaction);
      const tables = await listCarriedTables(transaction);
      const batches: BackupRows[] = [];
      for (const table of tables.filter((each) => !isLarge(each)))
        batches.push(...batchesOf(table, await readWhole(transaction, table)));
      return {
        header: await readHeader(transaction),
        batches,
        runs: tables.find(({ name }) => name === RUNS),
        unfinished: await readUnfinished(transaction),
        large: tables.filter(isLarge),
        before: await readStates(transaction),
      };
    });
}

const ALIKE = ["timezone = 'UTC'", "bytea_output = 'hex'", 'extra_float_digits = 1'];

/** So that a value has the same text whatever the settings of the server and of the user are. */
export async function writeAlike(transaction: Transaction<Tables>): Promise<void> {
  await sql.raw(localSettings(ALIKE)).execute(transaction);
}

async function readHeader(transaction: Transaction<Tables>): Promise<BackupHeader> {
  const clock = await sql<{ now: Date }>`select now() as now`.execute(transaction);
  const migrations = await sql<BackupMigration>`
    select number, name, checksum from ${sql.id(SCHEMA, 'schema_migrations')} order by number
  `.execute(transaction);
  return {
    type: 'header',
    format: BACKUP_FORMAT,
    createdAt: (clock.rows[0]?.now ?? new Date()).toISOString(),
    migrations: migrations.rows,
  };
}

async function readStates(database: Database): Promise<CopyStates> {
  const connectors = await database.selectFrom('connectors').select('id').execute();
  const syncs = await database
    .selectFrom('connector_syncs')
    .select(['connector_id as id', 'copy_number as number'])
    .where('deleted_at', 'is', null)
    .where('discarded_at', 'is', null)
    .execute();
  const entities = await database
    .selectFrom('entity_syncs')
    .select(['connector_id as id', 'entity', 'generation'])
    .execute();
  return {
    connectorIds: new Set(connectors.map(({ id }) => id)),
    copyNumbers: new Map(syncs.map(({ id, number }) => [id, number])),
    generations: new Map(
      entities.map(({ id, entity, generation }) => [`${id} ${entity}`, generation]),
    ),
  };
}

async function readUnfinished(transaction: Transaction<Tables>): Promise<ReadonlySet<string>> {
  const runs = await transaction
    .selectFrom(RUNS)
    .select('id')
    .where('finished_at', 'is', null)
    .execute();
  return new Set(runs.map(({ id }) => id));
}

async function compare(
  database: Database,
  before: CopyStates,
): Promise<Pick<BackupEnd, 'brokenCopies' | 'laterReads'>> {
  const after = await database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((transaction) => readStates(transaction));
  const brokenCopies = [...before.copyNumbers].flatMap(([id, number]) =>
    after.copyNumbers.get(id) === number ? [] : [id],
  );
  const laterReads = [...before.generations].flatMap(([key, earlier]): LaterRead[] => {
    const generation = after.generations.get(key) ?? earlier;
    const [connectorId = '', entity = ''] = key.split(' ');
    return generation === earlier ? [] : [{ connectorId, entity, generation }];
  });
  return { brokenCopies, laterReads };
}

/** The text of each row that is read in the moment. */
async function readWhole(
  transaction: Transaction<Tables>,
  table: CarriedTable,
): Promise<readonly string[]> {
  const { rows } = await sql<{ row: string }>`
    select row_to_json(r)::text as row
    from (
      select ${columnsOf(table)} from ${nameOf(table)}
      where ${table.name === RUNS ? sql`finished_at is null` : sql`true`}
      order by ${keyOf(table)}
    ) r
  `.execute(transaction);
  return rows.map(({ row }) => row);
}

interface LargeRead {
  readonly pace: Pace;
  readonly isCarried: (row: KeyedRow) => boolean;
}

async function* readLarge(
  database: Database,
  table: CarriedTable,
  { pace, isCarried }: LargeRead,
): AsyncGenerator<BackupRows> {
  for (let after: readonly string[] = []; ;) {
    const limit = Math.min(pace.next(), MOST_ROWS);
    const begunAt = performance.now();
    const rows = await readStretch(database, table, { after, limit });
    pace.learn({ amount: rows.length, ms: performance.now() - begunAt });
    yield* batchesOf(
      table,
      rows.filter(isCarried).map(({ row }) => row),
    );
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = last.key;
  }
}

interface KeyedRow {
  readonly row: string;
  readonly key: readonly string[];
}

async function readStretch(
  database: Database,
  table: CarriedTable,
  { after, limit }: { readonly after: readonly string[]; readonly limit: number },
): Promise<readonly KeyedRow[]> {
  const isNext =
    after.length === 0 ? sql`true` : sql`(${keyOf(table)}) > (${valuesOf(table, after)})`;
  return await database.transaction().execute(async (transaction) => {
    await writeAlike(transaction);
    await sql.raw(localSettings(BY_PRIMARY_KEY)).execute(transaction);
    const { rows } = await sql<KeyedRow>`
      select row_to_json(r)::text as row,
        array[${sql.join(table.key.map(({ name }) => sql`r.${sql.id(name)}::text`))}] as key
      from (
        select ${columnsOf(table)} from ${nameOf(table)}
        where ${isNext} and ${table.name === RUNS ? sql`finished_at is not null` : sql`true`}
        order by ${keyOf(table)} limit ${limit}
      ) r
    `.execute(transaction);
    return rows;
  });
}

function* batchesOf(table: CarriedTable, rows: readonly string[]): Generator<BackupRows> {
  const { name, columns } = table;
  let batch: string[] = [];
  let size = 0;
  const take = (): BackupRows => {
    const taken = batch;
    [batch, size] = [[], 0];
    const json = `[${taken.join(',')}]`;
    return { type: 'rows', table: name, columns, count: taken.length, json };
  };
  for (const row of rows) {
    batch.push(row);
    size += row.length;
    if (size >= BATCH_CHARACTERS) yield take();
  }
  if (batch.length > 0) yield take();
}

/** The table as SQL, as the names of its columns: they come from the database's own catalogue. */
export function nameOf({ name }: Pick<CarriedTable, 'name'>): RawBuilder<unknown> {
  return sql.id(SCHEMA, name);
}

export function columnsOf({ columns }: Pick<CarriedTable, 'columns'>): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.id(column)));
}

function keyOf({ key }: CarriedTable): RawBuilder<unknown> {
  return sql.join(key.map(({ name }) => sql.id(name)));
}

function valuesOf({ key }: CarriedTable, values: readonly string[]): RawBuilder<unknown> {
  return sql.join(key.map(({ type }, index) => sql`${values[index]}::${sql.raw(type)}`));
}
