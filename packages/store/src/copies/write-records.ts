import type { Steps } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE_NOW, SURELY_FUTURE } from '../database-clock.ts';
import { SCHEMA } from '../database.ts';
import { textArray } from './array-literal.ts';
import {
  booleanParameter,
  float8Parameter,
  int4Parameter,
  int8Parameter,
  textParameter,
} from './array-parameter.ts';
import type { CopyRecord } from '../contract/copies.ts';
import type { CopyColumn, CopyTable } from './copy-table.ts';
import { addWords } from './dictionary.ts';
import { notePaths } from './observed-paths.ts';
import { isOwner, OWNER } from './owner.ts';
import type { OpenCopy } from './open-copy.ts';
import { PathTally } from './path-tally.ts';
import { prepareRecord, type PreparedRecord } from './prepared-record.ts';
import { TermMaker, type RecordTerms } from './record-terms.ts';
import { TimeSlices } from '../time-slices.ts';

/** How records got here. */
export interface RecordWrite {
  /** Number of the full read that saw them, or else of the last one; paths are counted by it. */
  readonly lastGeneration: number;
  /** Number of the full read that saw them; `null` in an increment, which leaves the number alone. */
  readonly generation: number | null;
  /** By the database's clock; a record that was written after this instant is newer and stays. */
  readonly askedAt: Date;
}

/** One statement takes so many records at most, or so many units of text. */
const MAX_RECORDS_AT_ONCE = 1_000;
const MAX_SIZE_AT_ONCE = 4 * 1024 * 1024;

/**
 * Inserts records, or updates those whose contents changed. Of several with one key the last counts.
 * To be called once in the transaction that stores where the read goes on.
 */
export async function writeRecords(
  copy: OpenCopy,
  records: readonly CopyRecord[],
  write: RecordWrite,
): Promise<{ readonly added: number; readonly changed: number }> {
  const terms = new TermMaker(copy.connectorId, copy.table);
  const paths = new PathTally(copy.table.columns);
  const latest = new Map(records.map((record) => [record.key, record])).values();
  let added = 0;
  let changed = 0;
  for (;;) {
    const batch = await new TimeSlices().finish(prepareBatch(copy.table, latest));
    if (batch.length === 0) break;
    const written = await writeBatch({ ...copy, terms, paths }, batch, write);
    added += written.added;
    changed += written.changed;
  }
  // After all records: a merge takes its locks in the same order.
  await addWords(copy, terms.words);
  await notePaths(copy, paths, write.lastGeneration);
  return { added, changed };
}

/** The next records, as many as one statement takes; none once there are no more. */
function* prepareBatch(
  table: CopyTable,
  records: Iterator<CopyRecord, undefined>,
): Steps<readonly PreparedRecord[]> {
  const batch: PreparedRecord[] = [];
  let size = 0;
  while (batch.length < MAX_RECORDS_AT_ONCE && size < MAX_SIZE_AT_ONCE) {
    const { done, value } = records.next();
    if (done === true) break;
    const prepared = prepareRecord(table, value);
    batch.push(prepared);
    size += prepared.size;
    yield;
  }
  return batch;
}

/** Where records go. */
interface Destination extends OpenCopy {
  readonly terms: TermMaker;
}

interface CountingDestination extends Destination {
  readonly paths: PathTally;
}

async function writeBatch(
  destination: CountingDestination,
  batch: readonly PreparedRecord[],
  write: RecordWrite,
): Promise<{ readonly added: number; readonly changed: number }> {
  const settled = await findSettled(destination, batch, write.askedAt);
  const fresh = batch.filter(({ key }) => !settled.has(key));
  const written =
    fresh.length === 0 ? new Map<string, boolean>() : await upsert(destination, fresh, write);
  const { generation } = write;
  if (generation !== null && written.size < batch.length) {
    const seen = batch.filter(({ key }) => !written.has(key)).map(({ key }) => key);
    await markSeen(destination, seen, generation);
  }
  // A full read counts what it sees; between two, only what is new comes to that.
  const counts = (key: string) => generation !== null || written.get(key) === true;
  await new TimeSlices().finish(tallyPaths(destination.paths, batch, counts));
  const added = [...written.values()].filter((isAdded) => isAdded).length;
  return { added, changed: written.size - added };
}

function* tallyPaths(
  paths: PathTally,
  batch: readonly PreparedRecord[],
  counts: (key: string) => boolean,
): Steps<void> {
  for (const { key, values } of batch) {
    paths.add(values, counts(key));
    yield;
  }
}

/**
 * Keys of records that are there with the same contents, or newer. Nothing is locked for them.
 *
 * Each is looked up by itself: a join the planner might make by reading the whole connector, which it
 * takes for small until the table has been analysed.
 */
async function findSettled(
  { database, table, connectorId }: Destination,
  batch: readonly PreparedRecord[],
  askedAt: Date,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ key: string }>`
    select i.key
    from unnest(
      ${textArray(batch.map(({ key }) => key))}::text[],
      ${textArray(batch.map(({ contentHash }) => contentHash))}::uuid[]
    ) as i(key, content_hash)
    where (
      select t.content_hash = i.content_hash
        or t.synced_at > ${askedAt}::timestamptz and t.synced_at <= ${SURELY_FUTURE}
      from ${sql.id(SCHEMA, table.name)} t
      where t.connector_id = ${connectorId}::uuid and t.record_key = i.key collate "C"
    )
  `.execute(database);
  return new Set(rows.map(({ key }) => key));
}

/**
 * Writes records whose contents are new, unless something was written after `askedAt`.
 *
 * @param write.askedAt `null`: whatever was written, this is newer.
 * @returns The keys written, each with whether it is new.
 */
export async function upsert(
  { database, table, connectorId, terms }: Destination,
  batch: readonly PreparedRecord[],
  { generation, askedAt }: { readonly generation: number | null; readonly askedAt: Date | null },
): Promise<ReadonlyMap<string, boolean>> {
  const slices = new TimeSlices();
  const made = await slices.finish(terms.make(batch.map(({ values }) => values)));
  const { arrays, allTerms, allGrams } = await slices.finish(inputOf(table, batch, made));
  const names = table.columns.map(({ name }) => sql.id(name));
  const inputs = table.columns.map((_, index) => sql.id(`c${index}`));
  const { rows } = await sql<{ key: string; isAdded: boolean }>`
    insert into ${sql.id(SCHEMA, table.name)} as t (
      connector_id, record_key, synced_at, changed_at, generation, content_hash, terms, grams,
      ${sql.join(names)}
    )
    -- Pages are committed later than they were asked for, and the next one is asked for meanwhile:
    -- it is newer than this one, so the instant of the commit must not stand in its way.
    select owner.connector_id, i.key, coalesce(${askedAt}::timestamptz, ${DATABASE_NOW}),
      ${DATABASE_NOW}, ${generation ?? 0}::bigint,
      i.content_hash,
      (${allTerms}::int8[])[i.first_term : i.last_term],
      (${allGrams}::int4[])[i.first_gram : i.last_gram],
      ${sql.join(table.columns.map(inputSql))}
    from ${OWNER} cross join unnest(${sql.join(arrays)}) as i(
      key, content_hash, first_term, last_term, first_gram, last_gram, ${sql.join(inputs)}
    )
    where ${isOwner(connectorId)}
    on conflict (connector_id, record_key) do update set
      synced_at = ${askedAt === null ? sql`excluded.changed_at` : sql`excluded.synced_at`},
      changed_at = excluded.changed_at,
      generation = greatest(t.generation, excluded.generation),
      content_hash = excluded.content_hash, terms = excluded.terms, grams = excluded.grams,
      ${sql.join(names.map((name) => sql`${name} = excluded.${name}`))}
    where t.content_hash <> excluded.content_hash
      -- Later than a minute from now is what a clock that was ahead has left.
      and (t.synced_at <= coalesce(${askedAt}::timestamptz, 'infinity')
        or t.synced_at - excluded.changed_at > interval '1 minute')
    -- A row version that nobody has updated or locked is a new row.
    returning t.record_key as key, t.xmax = 0 as "isAdded"
  `.execute(database);
  return new Map(rows.map(({ key, isAdded }) => [key, isAdded]));
}

/** What the statement takes: for each record an element of the arrays, and the numbers of all. */
interface UpsertInput {
  readonly arrays: readonly RawBuilder<unknown>[];
  readonly allTerms: Buffer;
  readonly allGrams: Buffer;
}

function* inputOf(
  table: CopyTable,
  batch: readonly PreparedRecord[],
  { terms, grams, ends }: RecordTerms,
): Steps<UpsertInput> {
  const begins = [{ terms: 0, grams: 0 }, ...ends.slice(0, -1)];
  const arrays = [
    sql`${textParameter(batch.map(({ key }) => key))}::text[]`,
    sql`${textArray(batch.map(({ contentHash }) => contentHash))}::uuid[]`,
    sql`${int4Parameter(begins.map((begin) => begin.terms + 1))}::int4[]`,
    sql`${int4Parameter(ends.map((end) => end.terms))}::int4[]`,
    sql`${int4Parameter(begins.map((begin) => begin.grams + 1))}::int4[]`,
    sql`${int4Parameter(ends.map((end) => end.grams))}::int4[]`,
  ];
  for (const [index, column] of table.columns.entries()) {
    const cells = batch.map((record) => record.cells[index] ?? null);
    arrays.push(cellArray(column, cells));
    yield;
  }
  const allTerms = int8Parameter(terms);
  yield;
  return { arrays, allTerms, allGrams: int4Parameter(grams) };
}

/** Proof of the types: `prepareRecord` has checked or made every cell. */
function cellArray(
  { sqlType }: CopyColumn,
  cells: readonly (string | number | boolean | null)[],
): RawBuilder<unknown> {
  switch (sqlType) {
    case 'text':
    case 'jsonb':
      return sql`${textParameter(cells as readonly (string | null)[])}::text[]`;
    case 'int8':
      return sql`${int8Parameter(cells as readonly (number | null)[])}::int8[]`;
    case 'float8':
      return sql`${float8Parameter(cells as readonly (number | null)[])}::float8[]`;
    case 'boolean':
      return sql`${booleanParameter(cells as readonly (boolean | null)[])}::boolean[]`;
  }
}

function inputSql({ sqlType }: CopyColumn, index: number): RawBuilder<unknown> {
  const input = sql.id('i', `c${index}`);
  return sqlType === 'jsonb' ? sql`${input}::jsonb` : input;
}

/** A full read has seen these records, and nothing of them was new. */
async function markSeen(
  { database, table, connectorId }: OpenCopy,
  keys: readonly string[],
  generation: number,
): Promise<void> {
  await sql`
    insert into ${sql.id(SCHEMA, 'copy_sightings')} as s (connector_id, entity, record_key, generation)
    select owner.connector_id, ${table.entity}, i.key, ${generation}::bigint
    from ${OWNER} cross join unnest(${textArray(keys)}::text[]) as i(key)
    where ${isOwner(connectorId)}
    on conflict (connector_id, entity, record_key) do update set generation = excluded.generation
    where s.generation < excluded.generation
  `.execute(database);
}
