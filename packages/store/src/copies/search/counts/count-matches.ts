import { countsOf, FacetTally, type Counts } from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import { textArray } from '../../array-literal.ts';
import { TimeSlices } from '../../../time-slices.ts';
import { findPlace } from '../filter/field-place.ts';
import { namedColumns, usedColumns } from '../filter/used-fields.ts';
import type { SeenRows } from '../find-places.ts';
import type { PageQuery } from '../page-query.ts';
import { findCandidates } from '../rows/find-candidates.ts';
import { columnsSql } from '../rows/found-rows.ts';
import { wholeTier } from '../tiers/tiers.ts';
import { countByKey } from './count-by-key.ts';
import { tallyRows, type TallyQuery } from './tally-rows.ts';

/** What the page of a search has found out of all that match. */
export interface SeenOfMatches extends SeenRows {
  /** All of them in the order of keys, where the page has them all. */
  readonly keys: readonly string[] | undefined;
}

/**
 * What `count` and `facets` of a search are answered with, whatever its page: all that match, up to a
 * bound. The database counts them; where only the evaluator knows which ones match, it tells the
 * database their keys.
 *
 * @throws ConnectorError `search_too_broad`
 */
export async function countMatches(query: PageQuery, seen: SeenOfMatches): Promise<Counts> {
  const { search, pace } = query;
  if (!search.count && search.facets.length === 0) return {};
  const rows = await tallyQueryOf(query);
  const matched = await countRows(rows, seen);
  const tallies = rows.facets.map(({ tally }) => tally);
  return countsOf(search, { matched, most: pace.counted, tallies });
}

async function countRows(
  query: TallyQuery,
  { keys, firstLook, total }: SeenOfMatches,
): Promise<number> {
  if (keys !== undefined) return await countKeys(query, keys);
  if (total !== undefined && query.facets.length === 0) return total;
  if (query.tier.predicate.isExact) return await countByKey(query, firstLook);
  return await countKeys(query, await judgedKeys(query));
}

async function tallyQueryOf(query: PageQuery): Promise<TallyQuery> {
  const { search, compiler, table, signal } = query;
  const tier = await new TimeSlices(signal).finish(wholeTier(compiler, search.filter));
  const used = usedColumns(table, search.filter);
  return {
    ...query,
    tier,
    used,
    needed: tier.predicate.isExact ? [] : used,
    shown: undefined,
    order: [],
    after: undefined,
    bounds: [],
    onJudged: undefined,
    facets: search.facets.map((path) => ({
      place: findPlace(compiler, path),
      tally: new FacetTally(),
    })),
    facetColumns: namedColumns(
      table,
      search.facets.map(({ segments }) => segments),
    ),
  };
}

/** Keys of what the evaluator accepts, whose effort is that of the search: one more than are counted, at most. */
async function judgedKeys(query: TallyQuery): Promise<readonly string[]> {
  const { counted } = query.pace;
  const keys: string[] = [];
  for await (const { key } of findCandidates(query, counted + 1)) {
    keys.push(key);
    if (keys.length > counted) break;
  }
  return keys;
}

async function countKeys(query: TallyQuery, keys: readonly string[]): Promise<number> {
  const { pace, facets } = query;
  if (facets.length === 0) return keys.length;
  for (let start = 0; start < Math.min(keys.length, pace.counted); start += pace.longestBatch) {
    const some = keys.slice(start, Math.min(start + pace.longestBatch, pace.counted));
    await tallyKeys(query, some);
  }
  return keys.length;
}

async function tallyKeys(query: TallyQuery, keys: readonly string[]): Promise<void> {
  const { connectorId, table, tier } = query;
  await tallyRows(query, {
    hint: undefined,
    from: sql`(
      select ${columnsSql(query.facetColumns)} from ${sql.id(SCHEMA, table.name)}
      where connector_id = ${connectorId}::uuid and record_key = any(${textArray(keys)}::text[])
        and (${tier.predicate.sql}) is true
    )`,
    isWalk: false,
    limit: keys.length,
    facetRows: keys.length,
  });
}
