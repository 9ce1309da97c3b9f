import { sql, type RawBuilder } from 'kysely';
import { textArray } from '../../array-literal.ts';
import { INDEXED_LENGTH, sortSql } from '../../column-sql.ts';
import type { FieldPlace } from './field-place.ts';
import type { Predicate } from './predicate.ts';

/** Whether a value is one of some others. */
export function equalsOneOf(
  { sql: value, type }: Pick<FieldPlace, 'sql' | 'type'>,
  operands: readonly unknown[],
): RawBuilder<unknown> {
  const isJson = type === 'jsonb' || type === 'text';
  // Texts as they are; JSON as text; and the text of numbers and booleans needs no quotes.
  const texts = operands.map((each) => (type === 'text' ? String(each) : JSON.stringify(each)));
  const [first] = texts;
  if (first !== undefined && texts.length === 1) return sql`${value} = ${first}::${sql.raw(type)}`;
  const array = isJson ? textArray(texts) : `{${texts.join(',')}}`;
  return sql`${value} = any(${array}::${sql.raw(type)}[])`;
}

/** How the B-tree of a sortable field finds those values. */
export function lookupOf(
  { column, type }: FieldPlace,
  operands: readonly unknown[],
): Pick<Predicate, 'lookup'> {
  if (column?.field.isSortable !== true) return {};
  const key = sql.raw(sortSql(column));
  if (type !== 'text') return { lookup: equalsOneOf({ sql: key, type }, operands) };
  const beginnings = operands.map((each) => indexedBeginningOf(String(each)));
  const equal = equalsOneOf({ sql: sql.id(column.name), type }, operands);
  return { lookup: sql`(${equalsOneOf({ sql: key, type }, beginnings)} and ${equal})` };
}

/** So many characters, of which each is one unit or two. */
function indexedBeginningOf(text: string): string {
  if (text.length <= INDEXED_LENGTH) return text;
  const long = text.slice(0, 2 * INDEXED_LENGTH);
  return Array.from(long).slice(0, INDEXED_LENGTH).join('');
}
