import { sql } from 'kysely';
import type { ObservedPath } from '../contract/copies.ts';
import { SCHEMA, type Database } from '../database.ts';
import { plainArray, textArray } from './array-literal.ts';
import type { OpenCopy } from './open-copy.ts';
import { isOwner, OWNER } from './owner.ts';
import type { KnownPaths } from './path-memory.ts';
import {
  isObservable,
  MAX_PATHS,
  pathOfText,
  textOfPath,
  typesOf,
  type PathTally,
  type TalliedPath,
} from './path-tally.ts';

/** Counts of so many records may wait to be stored; new paths and types do not. */
const MAX_WAITING_RECORDS = 5_000;

/** The path that stands for all those for which there was no room. */
const LEFT_OUT = '';
const NONE_OF_THEM: TalliedPath = { text: LEFT_OUT, types: 0, records: 0 };

/**
 * Takes over which paths some records of a copy have. Once their counts are worth it, or where any of it
 * is new, it is stored, in the transaction that stores the records.
 *
 * @param generation Number of the full read that saw them, or else of the last one.
 */
export async function notePaths(
  copy: OpenCopy,
  tally: PathTally,
  generation: number,
): Promise<void> {
  const known = copy.pathMemory.of(copy, generation);
  const { waiting, only } = known;
  const kept = tally.paths.filter(({ text }) => only?.has(text) ?? true);
  for (const path of kept) waiting.set(path.text, sumOf(waiting.get(path.text), path));
  if (!tally.hasAll || kept.length < tally.paths.length) waiting.set(LEFT_OUT, NONE_OF_THEM);
  known.waitingRecords += tally.records;
  if (known.waitingRecords >= MAX_WAITING_RECORDS || hasNews(known)) await storePaths(copy, known);
}

/** Stores what waits, at the end of a read. */
export async function flushPaths(copy: OpenCopy, generation: number): Promise<void> {
  const known = copy.pathMemory.of(copy, generation);
  if (known.waiting.size > 0) await storePaths(copy, known);
}

/** Forgets the paths that the full read of this number, which is complete, has not seen, and older counts. */
export async function forgetPaths(
  { database, connectorId, entity }: OpenCopy,
  generation: number,
): Promise<void> {
  const ofCopy = sql`connector_id = ${connectorId}::uuid and entity = ${entity}`;
  const table = sql.id(SCHEMA, 'copy_paths');
  await sql`
    delete from ${table} where ${ofCopy} and generation < ${generation}::bigint
  `.execute(database);
  await sql`
    update ${table} set earlier_records = 0 where ${ofCopy} and earlier_records > records
  `.execute(database);
}

/**
 * The paths of all copies of a connector, or of one, by entity; each entity's in order. None as long as
 * they are another account's, and being deleted.
 */
export async function listPaths(
  database: Database,
  connectorId: string,
  entity?: string,
): Promise<ReadonlyMap<string, readonly ObservedPath[]>> {
  const { rows } = await sql<{ entity: string; path: string; types: number; records: number }>`
    select entity, path, types, greatest(records, earlier_records) as records
    from ${sql.id(SCHEMA, 'copy_paths')}
    where connector_id = ${connectorId}::uuid and path <> ${LEFT_OUT}
      and entity = coalesce(${entity ?? null}, entity)
      and not exists (
        select 1 from ${sql.id(SCHEMA, 'connector_syncs')}
        where connector_id = ${connectorId}::uuid and discarded_at is not null
      )
    -- Without the last bracket each path comes before those below it.
    order by entity, rtrim(path, ']')
  `.execute(database);
  return new Map(
    Array.from(
      Map.groupBy(rows, (row) => row.entity),
      ([name, of]) => [
        name,
        of.map(({ path, types, records }) => ({
          segments: pathOfText(path),
          types: typesOf(types),
          records,
        })),
      ],
    ),
  );
}

/** Those of the paths that no record of a copy has, where that is surely known. */
export async function findUnseen(
  { database, connectorId, entity }: OpenCopy,
  paths: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> {
  const texts = paths.filter(isObservable).map(textOfPath);
  if (texts.length === 0) return [];
  const pathsTable = sql.id(SCHEMA, 'copy_paths');
  const { rows } = await sql<{ path: string }>`
    select i.path from unnest(${textArray(texts)}::text[]) as i(path)
    where not exists (
      select 1 from ${pathsTable} p
      where p.connector_id = ${connectorId}::uuid and p.entity = ${entity}
        and p.path in (i.path collate "C", ${LEFT_OUT})
    ) and exists (
      select 1 from ${sql.id(SCHEMA, 'entity_syncs')} e
      where e.connector_id = ${connectorId}::uuid and e.entity = ${entity}
        and e.knows_paths and e.record_count > 0
    )
  `.execute(database);
  const unseen = new Set(rows.map(({ path }) => path));
  return paths.filter((path) => unseen.has(textOfPath(path)));
}

function sumOf(a: TalliedPath | undefined, b: TalliedPath): TalliedPath {
  if (a === undefined) return b;
  return { text: b.text, types: a.types | b.types, records: a.records + b.records };
}

function hasNews({ waiting, stored }: KnownPaths): boolean {
  return waiting
    .values()
    .some(({ text, types }) => !stored.has(text) || (types & ~(stored.get(text) ?? 0)) !== 0);
}

async function storePaths(copy: OpenCopy, known: KnownPaths): Promise<void> {
  const { generation, stored, waiting } = known;
  const counted = [...waiting.values()];
  waiting.clear();
  known.waitingRecords = 0;
  const present = await findStored(copy);
  // What this transaction is about to add may be rolled back: it is known the next time.
  stored.clear();
  for (const row of present) if (row.generation === generation) stored.set(row.path, row.types);
  const isThere = new Set(present.map(({ path }) => path)).add(LEFT_OUT);
  let room = MAX_PATHS - (isThere.size - 1);
  known.only = room > 0 ? undefined : isThere;
  const kept = counted.filter(({ text }) => isThere.has(text) || room-- > 0);
  if (kept.length < counted.length && !waitedFor(kept)) kept.push(NONE_OF_THEM);
  // In one order everywhere, so that two processes wait for each other rather than block each other.
  kept.sort((one, other) => (one.text < other.text ? -1 : 1));
  await upsertPaths(copy, kept, generation);
}

function waitedFor(paths: readonly TalliedPath[]): boolean {
  return paths.some(({ text }) => text === LEFT_OUT);
}

interface StoredPath {
  readonly path: string;
  readonly types: number;
  readonly generation: number;
}

async function findStored({
  database,
  connectorId,
  entity,
}: OpenCopy): Promise<readonly StoredPath[]> {
  return await database
    .selectFrom('copy_paths')
    .select(['path', 'types', 'generation'])
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .execute();
}

async function upsertPaths(
  { database, connectorId, entity }: OpenCopy,
  paths: readonly TalliedPath[],
  generation: number,
): Promise<void> {
  await sql`
    insert into ${sql.id(SCHEMA, 'copy_paths')} as p
      (connector_id, entity, path, types, generation, records)
    select owner.connector_id, ${entity}, i.path, i.types, ${generation}::bigint, i.records
    from ${OWNER} cross join unnest(
      ${textArray(paths.map(({ text }) => text))}::text[],
      ${plainArray(paths.map(({ types }) => types))}::integer[],
      ${plainArray(paths.map(({ records }) => records))}::bigint[]
    ) as i(path, types, records)
    where ${isOwner(connectorId)}
    on conflict (connector_id, entity, path) do update set
      types = case when p.generation = excluded.generation
        then p.types | excluded.types else excluded.types end,
      records = case when p.generation = excluded.generation
        then p.records + excluded.records else excluded.records end,
      earlier_records = case when p.generation = excluded.generation
        then p.earlier_records else greatest(p.records, p.earlier_records) end,
      generation = excluded.generation
  `.execute(database);
}
