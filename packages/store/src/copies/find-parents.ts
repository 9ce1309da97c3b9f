import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { CopyId, CopyRecord, ParentQuery } from './contract.ts';
import type { CopyContext } from './copy-context.ts';
import { findCandidates } from './search/candidates.ts';
import { allOf, exactly } from './search/predicate.ts';
import { readHits, type Place } from './search/read-hits.ts';
import { prepareCompiler } from './search/search-copy.ts';
import { wholeTier, type Tier } from './search/tiers.ts';
import { usedColumns } from './search/used-fields.ts';

/** Records whose values feed the lists of another entity, in the order of their keys. */
export async function findParents(
  database: Database,
  context: CopyContext,
  copy: CopyId,
  { filter, fields, changedSince, changedBefore, after, limit }: ParentQuery,
): Promise<readonly CopyRecord[]> {
  const compiler = await prepareCompiler(database, context, copy, { filter });
  const { table } = compiler;
  const whole = wholeTier(compiler, filter);
  const when = [
    ...(changedSince === undefined ? [] : [exactly(sql`changed_at >= ${changedSince}`)]),
    ...(changedBefore === undefined ? [] : [exactly(sql`changed_at < ${changedBefore}`)]),
  ];
  const tier: Tier =
    when.length === 0 ? whole : { ...whole, predicate: allOf([...when, whole.predicate]) };
  const used = usedColumns(table, filter);
  const wanted = {
    connectorId: copy.connectorId,
    table,
    tier,
    used,
    needed: tier.predicate.isExact ? [] : used,
    shown: undefined,
    order: [],
    after: after === undefined ? undefined : { values: [], key: after },
    bounds: [],
    pace: context.pace,
    signal: undefined,
  };
  const places: Place[] = [];
  for await (const candidate of findCandidates(database, wanted, limit)) {
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
  const source = { connectorId: copy.connectorId, table, search, signal: undefined };
  for await (const { hit } of readHits(database, source, places)) {
    // Proof: the data of a hit is the text of a JSON object.
    records.push({ key: hit.id, values: JSON.parse(hit.data) as Record<string, unknown> });
  }
  return records;
}
