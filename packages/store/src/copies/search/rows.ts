import type { Steps } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import { SCHEMA } from '../../database.ts';
import { fieldsSql } from '../column-sql.ts';
import type { CopyColumn } from '../copy-table.ts';
import { valuesOf, valuesSql, type Order, type Position } from './order.ts';
import { planned, type Way } from '../planned.ts';
import type { Values } from './tiers.ts';
import { Turns } from '../turns.ts';
import type { Candidate, Wanted } from './wanted.ts';

/** What a statement found, and where the next one goes on. */
export interface Step {
  readonly candidates: readonly Candidate[];
  /** The last row looked at; `undefined` once there are no more. */
  readonly end: Position | undefined;
  readonly walked: number;
  readonly rows: number;
  readonly bytes: number;
}

/** A row that came back. */
interface FoundRow extends Position {
  /** Which row of a step of a walk it is, counted from 1. */
  readonly position: number | undefined;
  readonly matches: boolean;
  readonly fields: string | null;
  readonly data: string | null;
  /** Bytes of the texts to sort by in the rows before it. */
  readonly bytesBefore: number;
}

interface Source {
  /** `undefined` where the planner cannot but take the right way. */
  readonly way: Way | undefined;
  readonly from: RawBuilder<unknown>;
  readonly isWalk: boolean;
  readonly limit: number;
}

export async function fetchRows(
  wanted: Wanted,
  { way, from, isWalk, limit }: Source,
): Promise<readonly FoundRow[]> {
  const { database, needed, order, pace, signal } = wanted;
  signal?.throwIfAborted();
  const statement = sql<Readonly<Record<string, unknown>>>`
    select f.*, ${dataSql(wanted)} as data from (
      select record_key as key,
        ${isWalk ? sql`position, matches,` : sql`null as position, true as matches,`}
        ${sql.join([
          ...valuesSql(order),
          sql`${fieldsSql(needed)} as fields`,
          sql`${bytesBeforeSql(order)} as "bytesBefore"`,
        ])}
      from ${from} as r
    ) as f where "bytesBefore" < ${sql.lit(pace.bytesAtOnce)} limit ${limit}
  `;
  const { rows } = await (way === undefined
    ? statement.execute(database)
    : planned(database, way, (transaction) => statement.execute(transaction)));
  return rows.map((row) => ({
    // The statement above has these columns, of these types.
    ...(row as unknown as FoundRow),
    values: valuesOf(order, row),
  }));
}

export function keysOf({ order }: Wanted): readonly CopyColumn[] {
  return order.map(({ column }) => column);
}

/** The record key and some columns, each once: others would be sorted along. */
export function columnsSql(
  columns: readonly CopyColumn[],
  others: readonly RawBuilder<unknown>[] = [],
): RawBuilder<unknown> {
  const names = new Set(columns.map(({ name }) => name));
  return sql.join([sql`record_key`, ...Array.from(names, (name) => sql.id(name)), ...others]);
}

/** Read by key, and only for rows that come back: in the statement inside, it would be sorted along. */
function dataSql({ connectorId, table, shown }: Wanted): RawBuilder<unknown> {
  if (shown === undefined || shown.length === 0) return sql`null`;
  return sql`case when f.matches then (
    select ${fieldsSql(shown)} from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and record_key = f.key
  ) end`;
}

function bytesBeforeSql(order: Order): RawBuilder<unknown> {
  const texts = order.filter(({ column }) => column.sqlType === 'text');
  if (texts.length === 0) return sql`0`;
  const lengths = texts.map(({ column }) => sql`coalesce(octet_length(${sql.id(column.name)}), 0)`);
  return sql`coalesce(sum(${sql.join(lengths, sql` + `)})
    over (rows between unbounded preceding and 1 preceding), 0)::float8`;
}

/** Whether rows after the last one may have been left out. */
export function isCut({ pace }: Wanted, rows: readonly FoundRow[]): boolean {
  const last = rows.at(-1);
  return last !== undefined && last.bytesBefore + bytesOf(last) >= pace.bytesAtOnce;
}

function bytesOf({ values }: Position): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0),
    0,
  );
}

export async function stepOf(
  wanted: Wanted,
  rows: readonly FoundRow[],
): Promise<Pick<Step, 'candidates' | 'rows' | 'bytes'>> {
  const candidates = await new Turns(wanted.signal).finish(acceptedOf(wanted, rows));
  const bytes = rows.reduce((sum, { fields }) => sum + (fields?.length ?? 0), 0);
  return { candidates, rows: rows.length, bytes };
}

function* acceptedOf(
  { tier, needed, shown, effort }: Wanted,
  rows: readonly FoundRow[],
): Steps<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const { key, values, matches, fields, data } of rows) {
    if (!matches) continue;
    // Proof: the text is JSON that PostgreSQL made of a row.
    const parsed = needed.length === 0 ? undefined : (JSON.parse(fields ?? '{}') as Values);
    if (!tier.predicate.isExact && !(yield* tier.accepts(parsed ?? {}, effort))) continue;
    if (parsed !== undefined) yield;
    candidates.push({ key, values, fields: parsed, ...(shown === undefined ? {} : { data }) });
  }
  return candidates;
}
