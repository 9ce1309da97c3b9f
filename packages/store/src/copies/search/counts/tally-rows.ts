import { ConnectorError } from '@patchbay/connectors';
import { LONG_TEXT, type FacetTally, type Steps } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { CopyColumn } from '../../copy-table.ts';
import { planned, type PlannerHint } from '../../planned.ts';
import { TimeSlices } from '../../../time-slices.ts';
import type { FieldPlace } from '../filter/field-place.ts';
import type { RowQuery } from '../rows/row-query.ts';
import { facetSql, groupsSql } from './facet-sql.ts';

/** A facet, where its values are, and what has been counted of them. */
export interface CountedFacet {
  readonly place: FieldPlace;
  readonly tally: FacetTally;
}

/** What rows are counted, by key. */
export interface TallyQuery extends RowQuery {
  readonly facets: readonly CountedFacet[];
  /** Columns that the facets look at. */
  readonly facetColumns: readonly CopyColumn[];
}

/** Rows to count, and what of them. */
interface TallySource {
  /** `undefined` where the planner cannot but take the right way. */
  readonly hint: PlannerHint | undefined;
  /** Rows by key, with the columns of the facets. */
  readonly from: RawBuilder<unknown>;
  /** They have `position` and `matches`, as those of a walk do. */
  readonly isWalk: boolean;
  /** At most so many are read. */
  readonly limit: number;
  /** The facets are of so many of those. */
  readonly facetRows: number;
}

/** What a statement counted. */
export interface TallyStep {
  readonly matched: number;
  /** Key of the last row. */
  readonly end: string | null;
  /** Position of the last row of a walk. */
  readonly walked: number;
}

interface TallyRow {
  /** Index of the facet; `null` in the first row, which tells of all of them. */
  readonly facet: number | null;
  readonly value: string | null;
  readonly count: number;
  readonly end: string | null;
  readonly walked: number | null;
}

/**
 * Counts rows in the database: how many there are, and how many have each value of the facets. Only
 * the values come back, and how often there are which.
 *
 * @throws `search_too_broad` where facets have more different values than can be counted.
 */
export async function tallyRows(query: TallyQuery, source: TallySource): Promise<TallyStep> {
  const { database, pace, signal } = query;
  signal?.throwIfAborted();
  const statement = tallySql(query, source);
  const { rows } = await (source.hint === undefined
    ? statement.execute(database)
    : planned(query, source.hint, statement));
  // The first row is no value.
  if (rows.length > pace.facetValues + 1) throw tooManyValues(query);
  await new TimeSlices(signal).finish(addGroups(query, rows));
  const whole = rows.find(({ facet }) => facet === null);
  return { matched: whole?.count ?? 0, end: whole?.end ?? null, walked: whole?.walked ?? 0 };
}

function tallySql(
  { facets, pace }: TallyQuery,
  { from, isWalk, limit, facetRows }: TallySource,
): ReturnType<typeof sql<TallyRow>> {
  const columns = facets.map(({ place }, index) => sql`${facetSql(place)} as ${nameOf(index)}`);
  const rows = sql`(select * from tallied where matches and n <= ${facetRows})`;
  const groups = facets.flatMap(({ place }, index) =>
    groupsSql(place, { rows, name: nameOf(index) }).map(
      (found) =>
        sql`union all select ${sql.lit(index)}, value, count, null, null from (${found}) as g`,
    ),
  );
  return sql<TallyRow>`
    with tallied as materialized (
      select ${sql.join([
        sql`record_key, row_number() over () as n`,
        isWalk ? sql`position, matches` : sql`null::int8 as position, true as matches`,
        ...columns,
      ])}
      from ${from} as r limit ${limit}
    )
    select null::int4 as facet, null::text as value, count(*) filter (where matches) as count,
      max(record_key) as "end", max(position) as walked from tallied
    ${sql.join(groups, sql` `)}
    limit ${sql.lit(pace.facetValues + 2)}
  `;
}

function nameOf(index: number): RawBuilder<unknown> {
  return sql.id(`f${index}`);
}

/** So many groups are added between two steps. */
const GROUPS_A_STEP = 500;

function* addGroups(query: TallyQuery, rows: readonly TallyRow[]): Steps<void> {
  for (const [index, { facet, value, count }] of rows.entries()) {
    if (facet === null || value === null) continue;
    query.facets[facet]?.tally.add(canonical(value), count);
    if (index % GROUPS_A_STEP === 0) yield;
  }
  const different = query.facets.reduce((sum, { tally }) => sum + tally.size, 0);
  if (different > query.pace.facetValues) throw tooManyValues(query);
}

/** As JavaScript writes it: PostgreSQL writes numbers in other ways, too. */
function canonical(json: string): string {
  return json === LONG_TEXT ? json : JSON.stringify(JSON.parse(json));
}

function tooManyValues({ entity, pace, effort }: TallyQuery): ConnectorError<'search_too_broad'> {
  const most = pace.facetValues.toLocaleString('en');
  return new ConnectorError(
    'search_too_broad',
    {
      entity,
      action: 'search',
      condition: 'params.facets',
      recordsJudged: effort?.recordsJudged ?? 0,
    },
    {
      message: `The facets have more than ${most} different values together; ask for fewer, or add conditions that fewer records satisfy.`,
    },
  );
}
