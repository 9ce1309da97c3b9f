import type { Steps } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import { SCHEMA } from '../../../database.ts';
import { fieldsSql, namesSql } from '../../column-sql.ts';
import type { CopyColumn } from '../../copy-table.ts';
import { valuesOf, valuesSql, type Position } from '../order/order.ts';
import { planned, type PlannerHint } from '../../planned.ts';
import type { Values } from '../tiers/tiers.ts';
import { TimeSlices } from '../../../time-slices.ts';
import type { Candidate, RowQuery } from './row-query.ts';

/** What came of judging the rows of a statement. */
interface JudgedRows {
  readonly candidates: readonly Candidate[];
  /** The last row judged; `undefined` where there was none. */
  readonly last: Position | undefined;
  /** Why the rows after it were not: the search was given up, or cost too much. */
  readonly failure: { readonly error: unknown } | undefined;
}

/** What a statement found, and where the next one goes on. */
export interface Step extends JudgedRows {
  /** The last row looked at; `undefined` once there are no more. */
  readonly end: Position | undefined;
  readonly walked: number;
  /** So many of the rows walked through an index would have had to fetch; `undefined` where nobody counted. */
  readonly toFetch: number | undefined;
  readonly rows: number;
  readonly bytes: number;
}

/** A row that came back. */
interface FoundRow extends Position {
  /** Which row of a step of a walk it is, counted from 1. */
  readonly position: number | undefined;
  readonly matches: boolean;
  /** Of all rows of the step, where that is told. */
  readonly candidates: number | null;
  readonly fields: string | null;
  readonly data: string | null;
  /** Bytes of the texts to sort by, and of what is judged, in the rows before it. */
  readonly bytesBefore: number;
}

interface Source {
  /** `undefined` where the planner cannot but take the right way. */
  readonly hint: PlannerHint | undefined;
  readonly from: RawBuilder<unknown>;
  readonly isWalk: boolean;
  readonly limit: number;
}

export async function findRows(
  query: RowQuery,
  { hint, from, isWalk, limit }: Source,
): Promise<readonly FoundRow[]> {
  const { database, needed, order, pace, signal } = query;
  signal?.throwIfAborted();
  const statement = sql<Readonly<Record<string, unknown>>>`
    select f.*, ${dataSql(query)} as data from (
      select v.*, ${bytesBeforeSql(query)} as "bytesBefore" from (
        select record_key as key,
          ${isWalk ? sql`position, matches, candidates,` : sql`null as position, true as matches, null as candidates,`}
          ${sql.join([...valuesSql(order), sql`${fieldsSql(needed)} as fields`])}
        from ${from} as r ${needed.length === 0 ? sql`` : COMPUTED_ONCE}
      ) as v
    ) as f ${dataFrom(query)} where "bytesBefore" < ${sql.lit(pace.bytesAtOnce)} limit ${limit}
  `;
  const { rows } = await (hint === undefined
    ? statement.execute(database)
    : planned(query, hint, statement));
  return rows.map((row) => ({
    // The statement above has these columns, of these types.
    ...(row as unknown as FoundRow),
    values: valuesOf(order, row),
  }));
}

/** Columns that predicates look at besides those of fields. */
export const ROW_COLUMNS = [sql`terms`, sql`grams`, sql`changed_at`, sql`synced_at`];

export function keysOf({ order }: RowQuery): readonly CopyColumn[] {
  return order.map(({ column }) => column);
}

/** The record key and some columns, each once: others would be sorted along. */
export function columnsSql(
  columns: readonly CopyColumn[],
  others: readonly RawBuilder<unknown>[] = [],
): RawBuilder<unknown> {
  const names = new Set(['record_key', ...columns.map(({ name }) => name)]);
  return sql.join([namesSql(names), ...others]);
}

/** The planner would put what a statement inside selects into each place where it is used. */
const COMPUTED_ONCE = sql`offset 0`;

/** What is shown of a row, as long as it is not too much together: the rows after that are read again, fewer at once. */
function dataSql(query: RowQuery): RawBuilder<unknown> {
  if (!showsData(query)) return sql`null`;
  return sql`case when sum(coalesce(octet_length(d.text), 0)) over (rows unbounded preceding)
    < ${sql.lit(query.pace.bytesAtOnce)} then d.text end`;
}

/** Read by key, and only for rows that come back: in the statement inside, it would be sorted along. */
function dataFrom(query: RowQuery): RawBuilder<unknown> {
  const { connectorId, table, shown = [] } = query;
  if (!showsData(query)) return sql``;
  return sql`cross join lateral (select case when f.matches then (
    select ${fieldsSql(shown)} from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and record_key = f.key
  ) end as text ${COMPUTED_ONCE}) as d`;
}

function showsData({ shown }: RowQuery): boolean {
  return shown !== undefined && shown.length > 0;
}

function bytesBeforeSql({ order, needed }: RowQuery): RawBuilder<unknown> {
  const texts = order.flatMap(({ column }, index) =>
    column.sqlType === 'text' ? `k${index}` : [],
  );
  if (needed.length > 0) texts.push('fields');
  if (texts.length === 0) return sql`0`;
  const lengths = texts.map((name) => sql`coalesce(octet_length(v.${sql.id(name)}), 0)`);
  return sql`coalesce(sum(${sql.join(lengths, sql` + `)})
    over (rows between unbounded preceding and 1 preceding), 0)::float8`;
}

/** Whether rows after the last one may have been left out. */
export function isCut({ pace }: RowQuery, rows: readonly FoundRow[]): boolean {
  const last = rows.at(-1);
  if (last === undefined) return false;
  const ofLast = bytesOf(last) + Buffer.byteLength(last.fields ?? '');
  return last.bytesBefore + ofLast >= pace.bytesAtOnce;
}

export function bytesOf({ values }: Position): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0),
    0,
  );
}

export async function stepOf(
  query: RowQuery,
  rows: readonly FoundRow[],
): Promise<Omit<Step, 'end' | 'walked' | 'toFetch'>> {
  const judged: { candidates: Candidate[]; last: Position | undefined } = {
    candidates: [],
    last: undefined,
  };
  let failure: Step['failure'];
  try {
    await new TimeSlices(query.signal).finish(judgeRows(query, rows, judged));
  } catch (error) {
    failure = { error };
  }
  const bytes = rows.reduce((sum, { fields }) => sum + (fields?.length ?? 0), 0);
  return { ...judged, failure, rows: rows.length, bytes };
}

function* judgeRows(
  query: RowQuery,
  rows: readonly FoundRow[],
  judged: { readonly candidates: Candidate[]; last: Position | undefined },
): Steps<void> {
  const { tier, needed, shown, effort } = query;
  const hasShown = showsData(query);
  for (const { key, values, matches, fields, data } of rows) {
    // Proof: the text is JSON that PostgreSQL made of a row.
    const parsed = needed.length === 0 ? undefined : (JSON.parse(fields ?? '{}') as Values);
    if (matches && parsed !== undefined) effort?.countRecord();
    if (matches && (tier.predicate.isExact || (yield* tier.accepts(parsed ?? {}, effort)))) {
      if (parsed !== undefined) yield;
      // What is shown of it would have been too much.
      const isLeftOut = data === null && hasShown;
      const given = shown === undefined || isLeftOut ? {} : { data };
      judged.candidates.push({ key, values, fields: parsed, ...given });
    }
    judged.last = { key, values };
  }
}

/**
 * Yields what a step found, and tells how far it came.
 *
 * @throws What kept it from coming to its end.
 */
export function* candidatesOf(query: RowQuery, step: JudgedRows): Generator<Candidate> {
  yield* step.candidates;
  if (step.last !== undefined) query.onJudged?.(step.last);
  if (step.failure !== undefined) throw step.failure.error;
}
