import { sql } from 'kysely';
import { SCHEMA } from '../../database.ts';
import { longSql } from '../column-sql.ts';
import type { Segment } from './order.ts';
import { columnsSql, fetchRows, isCut, keysOf, stepOf, type Step } from './rows.ts';
import type { Wanted } from './wanted.ts';

/** Columns that predicates look at besides those of fields. */
const ROW_COLUMNS = [sql`terms`, sql`grams`, sql`changed_at`];

/** Looks at the next rows of a segment, and stops early when it has found as many as the limit. */
export async function walk(
  wanted: Wanted,
  segment: Segment,
  { length, limit }: { readonly length: number; readonly limit: number },
): Promise<Step> {
  const { connectorId, table, tier } = wanted;
  const way = length > wanted.pace.firstStep ? 'walk' : undefined;
  const rows = await fetchRows(wanted, {
    limit,
    way,
    // The last row comes back in any case: it tells that there may be more, and where to go on.
    from: sql`(
      select * from (
        select w.*, row_number() over () as position, (${tier.predicate.sql}) is true as matches
        from (
          select ${columnsSql([...wanted.used, ...keysOf(wanted)], ROW_COLUMNS)}
          from ${sql.id(SCHEMA, table.name)}
          where connector_id = ${connectorId}::uuid and ${segment.where}
          order by ${segment.orderBy} limit ${length}
        ) as w
      ) as p where matches or position = ${length}
    )`,
    isWalk: true,
  });
  const last = rows.at(-1);
  const isEnd = rows.length < limit && last?.position !== length && !isCut(wanted, rows);
  return {
    ...(await stepOf(wanted, rows)),
    end: isEnd ? undefined : last,
    walked: last?.position ?? 0,
  };
}

/** Whether the index of the first key has some texts' beginnings only. */
export async function hasLong(wanted: Wanted): Promise<boolean> {
  const { database, connectorId, table, order, signal } = wanted;
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
