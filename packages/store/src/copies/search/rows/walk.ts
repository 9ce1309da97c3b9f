import { sql, type RawBuilder } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import { longSql } from '../../column-sql.ts';
import type { Segment } from '../order/segments.ts';
import { columnsSql, findRows, isCut, keysOf, stepOf, type Step } from './found-rows.ts';
import type { RowQuery } from './row-query.ts';
import type { Tier } from '../tiers/tiers.ts';

/** Columns that predicates look at besides those of fields. */
const ROW_COLUMNS = [sql`terms`, sql`grams`, sql`changed_at`];

/** Looks at the next rows of a segment, and stops early when it has found as many as the limit. */
export async function walk(
  query: RowQuery,
  segment: Segment,
  { length, limit }: { readonly length: number; readonly limit: number },
): Promise<Step> {
  const hint = length > query.pace.firstStep ? 'walk' : undefined;
  const rows = await findRows(query, {
    limit,
    hint,
    from: walkedSql(query, segment, length),
    isWalk: true,
  });
  const last = rows.at(-1);
  const isEnd = rows.length < limit && last?.position !== length && !isCut(query, rows);
  return {
    ...(await stepOf(query, rows)),
    end: isEnd ? undefined : last,
    walked: last?.position ?? 0,
    toFetch: last?.candidates ?? rows.filter(({ matches }) => matches).length,
  };
}

/** How many of the rows an index would have fetched. */
function candidatesSql({ predicate: { candidates } }: Tier): RawBuilder<unknown> {
  return candidates === undefined
    ? sql`null::integer`
    : sql`(count(*) filter (where ${candidates}) over ())::integer`;
}

/**
 * The rows among the next ones of a segment that the predicate holds for, and the last one in any
 * case: it tells that there may be more, and where to go on.
 */
export function walkedSql(query: RowQuery, segment: Segment, length: number): RawBuilder<unknown> {
  const { connectorId, table, tier } = query;
  return sql`(
    select * from (
      select w.*, row_number() over () as position, (${tier.predicate.sql}) is true as matches,
        ${candidatesSql(tier)} as candidates
      from (
        select ${columnsSql([...query.used, ...keysOf(query)], ROW_COLUMNS)}
        from ${sql.id(SCHEMA, table.name)}
        where connector_id = ${connectorId}::uuid and ${segment.where}
        order by ${segment.orderBy} limit ${length}
      ) as w
    ) as p where matches or position = ${length}
  )`;
}

/** Whether the index of the first key has some texts' beginnings only. */
export async function hasLong(query: RowQuery): Promise<boolean> {
  const { database, connectorId, table, order, signal } = query;
  const column = order[0]?.column;
  if (column?.sqlType !== 'text') return false;
  signal?.throwIfAborted();
  const { rows } = await sql<{ hasLong: boolean }>`
    select exists (
      select from ${sql.id(SCHEMA, table.name)}
      where connector_id = ${connectorId}::uuid and ${sql.raw(longSql(column))}
    ) as "hasLong"
  `.execute(database);
  return rows[0]?.hasLong ?? false;
}
