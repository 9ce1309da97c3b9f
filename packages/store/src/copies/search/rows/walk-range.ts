import { sql, type RawBuilder } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import type { IndexRange } from '../filter/predicate.ts';
import { afterSql, type Position } from '../order/order.ts';
import { candidatesOf } from './found-rows.ts';
import { BatchSize } from './batch-size.ts';
import type { Candidate, RowQuery } from './row-query.ts';
import { walkedColumnsSql, walkThrough } from './walk.ts';
import { nextStep } from './ways.ts';

/**
 * Takes what is wanted out of a wide range, in the order of keys. The index of the range has the keys of
 * all its rows, so that only the first ones by key are fetched and looked at.
 */
export async function* walkRange(
  query: RowQuery,
  range: IndexRange,
  { after, count }: { readonly after: Position | undefined; readonly count: number },
): AsyncGenerator<Candidate> {
  const batch = new BatchSize(query, { isWalk: true });
  let length = query.pace.firstStep;
  let begin = after;
  let walked = 0;
  let taken = 0;
  while (taken < count) {
    const limit = batch.next(count - taken);
    const nextRows = firstOfRangeSql(query, range, { after: begin, length });
    const step = await walkThrough(query, nextRows, { hint: 'walk', length, limit });
    yield* candidatesOf(query, step);
    if (step.end === undefined) return;
    batch.learn(step);
    begin = step.end;
    walked += step.walked;
    taken += step.candidates.length;
    length = nextStep(query, length, { walked, taken, toFetch: 0, missing: count - taken });
  }
}

/** Some rows of the range, the first ones by key. */
function firstOfRangeSql(
  query: RowQuery,
  { key, where }: IndexRange,
  { after, length }: { readonly after: Position | undefined; readonly length: number },
): RawBuilder<unknown> {
  const { connectorId, table } = query;
  const rows = sql`${sql.id(SCHEMA, table.name)} where connector_id = ${connectorId}::uuid`;
  // With an offset the planner keeps to the order that is asked for, and so to the index of the range.
  return sql`
    select r.* from (
      select key from (
        select record_key as key from ${rows} and ${where} and ${afterSql([], after)}
        order by ${sql.raw(key)} offset 0
      ) as i order by key limit ${length}
    ) as k cross join lateral (
      select ${walkedColumnsSql(query)} from ${rows} and record_key = k.key
    ) as r order by r.record_key`;
}
