import { sql } from 'kysely';
import type { StatPoint, StatQuery, StatRow } from '../contract/stats.ts';
import type { Database } from '../database.ts';
import { databaseNowPlus } from '../database-clock.ts';
import { isUuid } from '../uuid.ts';
import { deleteSome } from './delete-some.ts';

/** In the order of their keys, in which every process locks them. */
export async function addStats(database: Database, rows: readonly StatRow[]): Promise<void> {
  if (rows.length === 0) return;
  const text = JSON.stringify(
    rows.map(({ subjectId, minute, latency, upstreamRequests, upstreamWaitMs, ...counts }) => ({
      ...counts,
      subject_id: subjectId,
      minute,
      latency: latency.length === 0 ? null : latency,
      upstream_requests: upstreamRequests,
      upstream_wait_ms: upstreamWaitMs,
    })),
  );
  await sql`
    insert into patchbay.stats as present (
      subject_id, minute, calls, errors, latency, upstream_requests, upstream_wait_ms, records
    )
    select subject_id, minute, calls, errors, latency, upstream_requests, upstream_wait_ms, records
    from jsonb_to_recordset(${text}::jsonb) as given (
      subject_id uuid, minute timestamptz, calls integer, errors integer, latency integer[],
      upstream_requests integer, upstream_wait_ms bigint, records bigint
    )
    order by subject_id, minute
    on conflict (subject_id, minute) do update set
      calls = present.calls + excluded.calls,
      errors = present.errors + excluded.errors,
      latency = case
        when present.latency is null then excluded.latency
        when excluded.latency is null then present.latency
        else array(
          select coalesce(before, 0) + coalesce(more, 0)
          from unnest(present.latency, excluded.latency) with ordinality as part (before, more, place)
          order by place
        )
      end,
      upstream_requests = present.upstream_requests + excluded.upstream_requests,
      upstream_wait_ms = present.upstream_wait_ms + excluded.upstream_wait_ms,
      records = present.records + excluded.records
  `.execute(database);
}

/** In order; where nothing was counted, there is no point. */
export async function listStats(
  database: Database,
  { subjectId, from, to, stepSeconds, latencyParts }: StatQuery,
): Promise<readonly StatPoint[]> {
  if (!isUuid(subjectId)) return [];
  // A sum for each part takes a tenth of what taking the arrays apart does.
  const parts = Array.from(
    { length: latencyParts },
    (_, index) => sql`coalesce(sum(latency[${sql.lit(index + 1)}]), 0)::float8`,
  );
  const { rows } = await sql<StatPoint>`
    select
      to_timestamp(floor(extract(epoch from minute) / ${stepSeconds}::float8) * ${stepSeconds}::float8)
        as at,
      sum(calls)::float8 as calls,
      sum(errors)::float8 as errors,
      array[${sql.join(parts)}]::float8[] as latency,
      sum(upstream_requests)::float8 as "upstreamRequests",
      sum(upstream_wait_ms)::float8 as "upstreamWaitMs",
      sum(records)::float8 as records
    from patchbay.stats
    where subject_id = ${subjectId} and minute >= ${from} and minute < ${to}
    group by at
    order by at
  `.execute(database);
  return rows;
}

export async function deleteStatsOlderThan(
  database: Database,
  ageMs: number,
  limit: number,
): Promise<number> {
  const isOver = sql<boolean>`minute <= ${databaseNowPlus(-ageMs)}`;
  return await deleteSome(database, 'stats', { isOver, limit });
}
