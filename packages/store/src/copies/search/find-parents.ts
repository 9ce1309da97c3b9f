import { sql } from 'kysely';
import type { CopyRecord, ParentQuery } from '../../contract/copies.ts';
import type { OpenCopy } from '../open-copy.ts';
import { findCandidates } from './candidates.ts';
import { allOf, exactly } from './predicate.ts';
import { readHits, type Place } from './read-hits.ts';
import { prepareCompiler } from './search-copy.ts';
import { wholeTier, type Tier } from './tiers.ts';
import { usedColumns } from './used-fields.ts';

/** Records whose values feed the lists of another entity, in the order of their keys. */
export async function findParents(
  copy: OpenCopy,
  { filter, fields, changedSince, changedBefore, after, limit }: ParentQuery,
): Promise<readonly CopyRecord[]> {
  const compiler = await prepareCompiler(copy, { filter });
  const whole = wholeTier(compiler, filter);
  const when = [
    ...(changedSince === undefined ? [] : [exactly(sql`changed_at >= ${changedSince}`)]),
    ...(changedBefore === undefined ? [] : [exactly(sql`changed_at < ${changedBefore}`)]),
  ];
  const tier: Tier =
    when.length === 0 ? whole : { ...whole, predicate: allOf([...when, whole.predicate]) };
  const used = usedColumns(copy.table, filter);
  const wanted = {
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
  };
  const places: Place[] = [];
  for await (const candidate of findCandidates(wanted, limit)) {
    places.push({ candidate, tier });
    if (places.length === limit) break;
  }
  const search = {
    filter,
    sort: [],
    limit,
    cursor: undefined,
    fields: fields.map((name) => [name]),
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
