import { sql } from 'kysely';
import type { CopyRecord, ParentQuery } from '../../contract/copies.ts';
import type { OpenCopy } from '../open-copy.ts';
import { TimeSlices } from '../../time-slices.ts';
import { findCandidates } from './rows/find-candidates.ts';
import { allOf, exactly } from './filter/predicate.ts';
import { readHits, type HitPlace } from './rows/read-hits.ts';
import { prepareCompiler } from './page-query.ts';
import { wholeTier, type Tier } from './tiers/tiers.ts';
import { usedColumns } from './filter/used-fields.ts';

/** Records whose values feed the lists of another entity, in the order of their keys. */
export async function findParents(
  copy: OpenCopy,
  { filter, fields, changedSince, changedBefore, isRead, after, limit }: ParentQuery,
): Promise<readonly CopyRecord[]> {
  const compiler = await prepareCompiler(copy, { filter });
  const whole = await new TimeSlices().finish(wholeTier(compiler, filter));
  const when = [
    ...(changedSince === undefined ? [] : [exactly(sql`changed_at >= ${changedSince}`)]),
    ...(changedBefore === undefined ? [] : [exactly(sql`changed_at < ${changedBefore}`)]),
    // A page is asked for before it is committed; what a write answered is as new as that.
    ...(isRead === undefined ? [] : [exactly(sql`synced_at < changed_at`)]),
  ];
  const tier: Tier =
    when.length === 0 ? whole : { ...whole, predicate: allOf([...when, whole.predicate]) };
  const used = usedColumns(copy.table, filter);
  const rows = {
    ...copy,
    tier,
    used,
    needed: tier.predicate.isExact ? [] : used,
    shown: undefined,
    order: [],
    after: after === undefined ? undefined : { values: [], key: after },
    bounds: [],
    signal: undefined,
    effort: undefined,
    onJudged: undefined,
  };
  const places: HitPlace[] = [];
  for await (const candidate of findCandidates(rows, limit)) {
    places.push({ candidate, tier });
    if (places.length === limit) break;
  }
  const search = {
    filter,
    sort: [],
    limit,
    cursor: undefined,
    fields: fields.map((name) => [name]),
    count: false,
    facets: [],
    timeoutMs: undefined,
    allowsPartial: false,
    tellsFreshness: false,
  };
  const records: CopyRecord[] = [];
  for await (const { hit } of readHits(
    { ...copy, search, signal: undefined, effort: undefined },
    places,
  )) {
    // Proof: the data of a hit is the text of a JSON object.
    records.push({ key: hit.id, values: JSON.parse(hit.data) as Record<string, unknown> });
  }
  return records;
}
