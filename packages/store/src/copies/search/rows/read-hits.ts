import {
  judgeScore,
  pickFields,
  type Effort,
  type Search,
  type Steps,
} from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import { textArray } from '../../array-literal.ts';
import { fieldsSql } from '../../column-sql.ts';
import type { SearchHit } from '../../../contract/copies.ts';
import type { CopyColumn, CopyTable } from '../../copy-table.ts';
import type { OpenCopy } from '../../open-copy.ts';
import type { Candidate } from './row-query.ts';
import type { Tier, Values } from '../tiers/tiers.ts';
import { TimeSlices } from '../../../time-slices.ts';
import { hasTextConditions, namedColumns, usedColumns } from '../filter/used-fields.ts';

/** Rows that the first statement reads, however large they are; further ones read as many as should have the right size. */
const FIRST_CHUNK = 32;
/** Of longer pages, what hits show is not read along with where they are. */
const SHOWN_AT_ONCE = 200;
const LONGEST_CHUNK = 2_000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/** What hits are made of. */
export interface HitSource extends OpenCopy {
  readonly search: Search;
  readonly signal: AbortSignal | undefined;
  readonly effort: Effort | undefined;
}

/** A candidate, and the tier that it was found in. */
export interface HitPlace {
  readonly candidate: Candidate;
  readonly tier: Tier;
}

/**
 * Yields the hits at some places, in their order, each with the number of places up to it. Rows that
 * have gone or match no longer are left out: they were changed since they were found.
 */
export async function* readHits(
  source: HitSource,
  places: readonly HitPlace[],
): AsyncGenerator<{ readonly hit: SearchHit; readonly end: number }> {
  const slices = new TimeSlices(source.signal);
  let size = FIRST_CHUNK;
  for (let start = 0; start < places.length;) {
    source.signal?.throwIfAborted();
    const chunk = chunkOf(places, start, size);
    const rows = knownRows(chunk) ?? (await readRows(source, chunk));
    let bytes = 1;
    for (const [offset, { candidate, tier }] of chunk.entries()) {
      const row = rows.get(candidate.key);
      const hit = row === undefined ? undefined : await slices.finish(makeHit(source, tier, row));
      bytes += (row?.data?.length ?? 0) + (row?.fields?.length ?? 0);
      if (hit !== undefined) yield { hit, end: start + offset + 1 };
    }
    start += chunk.length;
    const fitting = Math.ceil((BYTES_AT_ONCE * chunk.length) / bytes);
    size = Math.min(fitting, 4 * size, LONGEST_CHUNK);
  }
}

/** The next places, as far as one predicate holds for them. */
function chunkOf(places: readonly HitPlace[], start: number, size: number): readonly HitPlace[] {
  const some = places.slice(start, start + size);
  const other = some.findIndex(({ tier }) => tier.predicate !== some[0]?.tier.predicate);
  return other === -1 ? some : some.slice(0, other);
}

interface HitRow {
  readonly key: string;
  /** `null` where no field is asked for. */
  readonly data: string | null;
  /** What the filter looks at, where the row has to be judged by it. */
  readonly fields: string | null;
  readonly syncedAt?: Date;
}

/** The rows, where all of them were found with what hits are made of. */
function knownRows(places: readonly HitPlace[]): ReadonlyMap<string, HitRow> | undefined {
  const rows = new Map<string, HitRow>();
  for (const { candidate } of places) {
    const { key, data } = candidate;
    if (data === undefined) return undefined;
    rows.set(key, { key, data, fields: null });
  }
  return rows;
}

async function readRows(
  { database, connectorId, table, search }: HitSource,
  places: readonly HitPlace[],
): Promise<ReadonlyMap<string, HitRow>> {
  const [first] = places;
  if (first === undefined) return new Map();
  const { tier } = first;
  const needed = isJudged(search, tier) ? usedColumns(table, search.filter) : [];
  const { rows } = await sql<HitRow>`
    select record_key as key, ${fieldsSql(namedColumns(table, search.fields))} as data,
      ${fieldsSql(needed)} as fields${search.tellsFreshness ? sql`, synced_at as "syncedAt"` : sql``}
    from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid
      and record_key = any(${textArray(places.map(({ candidate }) => candidate.key))}::text[])
      and (${tier.predicate.sql}) is true
  `.execute(database);
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * What rows have to show as soon as they are found: nothing where a page is too large to hold it,
 * where rows are still to be judged, or where they have more to tell.
 */
export function shownAtOnce(
  table: CopyTable,
  search: Search,
  tier: Tier,
): readonly CopyColumn[] | undefined {
  const { limit, tellsFreshness } = search;
  if (limit >= SHOWN_AT_ONCE || tellsFreshness || isJudged(search, tier)) return undefined;
  return namedColumns(table, search.fields);
}

/** Whether only the evaluator knows if a row belongs to the tier, or what it scores. */
function isJudged({ filter }: Search, { predicate, score }: Tier): boolean {
  return !predicate.isExact || (score === undefined && hasTextConditions(filter));
}

function* makeHit(
  { table, search, effort }: HitSource,
  tier: Tier,
  row: HitRow,
): Steps<SearchHit | undefined> {
  yield;
  const { predicate, accepts } = tier;
  let score = tier.score ?? 1;
  if (isJudged(search, tier)) {
    const values = parseValues(row.fields);
    if (!predicate.isExact && !(yield* accepts(values, effort))) return undefined;
    score = tier.score ?? (yield* judgeScore(search.filter, values, effort));
  }
  const { key: id, syncedAt } = row;
  const data = dataOf(table, search, row);
  return { id, score, data, ...(syncedAt === undefined ? {} : { syncedAt }) };
}

function dataOf({ schema }: CopyTable, { fields }: Search, { data }: HitRow): string {
  // As PostgreSQL wrote it, unless something may have to be left out.
  if (fields === undefined && data !== null && !data.includes('"id":null')) return data;
  return JSON.stringify(pickFields(schema, parseValues(data), fields));
}

/** Proof of the type: the text is JSON that PostgreSQL made of a row. */
function parseValues(json: string | null): Values {
  return JSON.parse(json ?? '{}') as Values;
}
