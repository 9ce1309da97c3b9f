import { compareHits, type ScoredRecord } from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import { allOf, exactly } from '../filter/predicate.ts';
import { afterSql, type Order } from '../order/order.ts';
import { bytesOf } from './found-rows.ts';
import { gather } from './gather.ts';
import type { Candidate, RowQuery } from './row-query.ts';
import { longestStep } from './step-length.ts';

/**
 * Yields the rows that are wanted, in an order that no index has: of the first ones of every few
 * thousand, by key, the first of all. So no statement takes longer than others can wait for; together
 * they look at every row.
 */
export async function* sortInSteps(query: RowQuery, count: number): AsyncGenerator<Candidate> {
  let { after } = query;
  let missing = count;
  for (;;) {
    const { candidates, most } = await firstRows({ ...query, after }, missing);
    yield* candidates;
    if (most === missing) return;
    missing -= most;
    after = candidates.at(-1);
  }
}

/** The first rows in order, of those looked at so far. */
interface FirstRows {
  readonly candidates: readonly Candidate[];
  /** How many are looked for: as many as asked for, unless their texts to sort by are too long. */
  readonly most: number;
}

async function firstRows(query: RowQuery, count: number): Promise<FirstRows> {
  const { pace } = query;
  let first: FirstRows = { candidates: [], most: count };
  let begin = '';
  let length = Math.min(pace.firstScannedBatch, pace.longestStep);
  for (;;) {
    const begunAt = performance.now();
    const end = await keyAfter(query, begin, length);
    first = merged(query, first, await firstOfStep(query, { begin, end }, first));
    if (end === undefined) return first;
    length = longestStep(pace, length, { length, ms: performance.now() - begunAt });
    begin = end;
  }
}

/** The last key of a step; `undefined` where it has all that are left. */
async function keyAfter(
  { database, connectorId, table, signal }: RowQuery,
  begin: string,
  length: number,
): Promise<string | undefined> {
  signal?.throwIfAborted();
  const { rows } = await sql<{ key: string }>`
    select record_key as key from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and record_key > ${begin}::text
    order by record_key offset ${length - 1} limit 1
  `.execute(database);
  return rows[0]?.key;
}

async function firstOfStep(
  query: RowQuery,
  { begin, end }: { readonly begin: string; readonly end: string | undefined },
  { candidates, most }: FirstRows,
): Promise<FirstRows> {
  const { tier, order, after, pace } = query;
  const last = candidates.length < most ? undefined : candidates.at(-1);
  const predicate = allOf([
    tier.predicate,
    exactly(sql`record_key > ${begin}::text`),
    ...(end === undefined ? [] : [exactly(sql`record_key <= ${end}::text`)]),
    ...(last === undefined ? [] : [exactly(sql`not ${afterSql(order, last)}`)]),
  ]);
  const step: RowQuery = {
    ...query,
    // The keys are the range of an index.
    tier: { ...tier, predicate: { ...predicate, index: 'range' } },
    shown: undefined,
    // Nothing of the order is known before the last step.
    onJudged: undefined,
  };
  const found: Candidate[] = [];
  let bytes = 0;
  for await (const { key, values } of gather(step, after, most)) {
    found.push({ key, values, fields: undefined });
    bytes += bytesOf({ key, values });
    if (found.length === most || bytes > pace.pageBytes) break;
  }
  return { candidates: found, most: bytes > pace.pageBytes ? found.length : most };
}

/** The first of both, which are in order each. */
function merged({ order, pace }: RowQuery, one: FirstRows, other: FirstRows): FirstRows {
  const most = Math.min(one.most, other.most);
  const compare = comparisonOf(order);
  const candidates: Candidate[] = [];
  let bytes = 0;
  for (let ofOne = 0, ofOther = 0; candidates.length < most;) {
    const [a, b] = [one.candidates[ofOne], other.candidates[ofOther]];
    const isOfOne = a !== undefined && (b === undefined || compare(a, b) <= 0);
    const next = isOfOne ? a : b;
    if (next === undefined) break;
    if (bytes > pace.pageBytes) return { candidates, most: candidates.length };
    if (isOfOne) ofOne++;
    else ofOther++;
    candidates.push(next);
    bytes += bytesOf(next);
  }
  return { candidates, most };
}

/** The order as the reference evaluator has it. */
function comparisonOf(order: Order): (a: Candidate, b: Candidate) => number {
  const sort = order.map(({ column, order: direction }) => ({
    field: column.field.name,
    order: direction,
  }));
  const compare = compareHits(sort);
  const recordOf = ({ key, values }: Candidate): ScoredRecord => ({
    key,
    values: Object.fromEntries(sort.map(({ field }, index) => [field, values[index]])),
    score: 0,
  });
  return (a, b) => compare(recordOf(a), recordOf(b));
}
