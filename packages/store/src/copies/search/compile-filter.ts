import { isJsonObject, wordsOf, type Condition, type Filter } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import { textArray } from '../array-literal.ts';
import type { Lanes } from '../hashes.ts';
import { INDEXED_LENGTH, sortSql } from '../column-sql.ts';
import type { TermPlaces } from '../term-places.ts';
import { mayFitScalar, valueTerm, wordTerm } from '../terms.ts';
import type { Compiler } from './compiler.ts';
import { mayMatchScalar } from './like-pattern.ts';
import { findPlace, inElements, type Place } from './place.ts';
import {
  allOf,
  ALWAYS,
  anyOf,
  exactly,
  foundBy,
  hasTerms,
  NEVER,
  notOf,
  unknown,
  type Predicate,
} from './predicate.ts';
import { candidatesLike, compileText, MAX_TERMS } from './text-predicates.ts';

/** A filter as a condition on the rows of a table. */
export function compileFilter(compiler: Compiler, filter: Filter): Predicate {
  switch (filter.operator) {
    case 'and':
      return allOf(filter.filters.map((each) => compileFilter(compiler, each)));
    case 'or':
      return anyOf(filter.filters.map((each) => compileFilter(compiler, each)));
    case 'not':
      return notOf(compileFilter(negated(compiler), filter.filter));
    default: {
      const isInRow = compiler.root.element === undefined;
      const holds = isInRow ? compiler.known.get(filter) : undefined;
      if (holds !== undefined) return holds ? ALWAYS : NEVER;
      return asOperand(compiler, compileCondition(compiler, filter));
    }
  }
}

/** The compiler for what stands inside a `not`. */
export function negated(compiler: Compiler): Compiler {
  return { ...compiler, isNegated: !compiler.isNegated };
}

/**
 * Under `not`, nothing may hold for more rows than it should. Nor may it be null: that counts as
 * false only in the end, and in the end of what is asked of each element of an array.
 */
function asOperand({ isNegated, root }: Compiler, predicate: Predicate): Predicate {
  if (predicate.constant !== undefined) return predicate;
  if (isNegated && !predicate.isExact) return unknown(isNegated);
  if (!isNegated && root.element === undefined) return predicate;
  return { ...predicate, sql: sql`((${predicate.sql}) is true)` };
}

function compileCondition(compiler: Compiler, condition: Condition): Predicate {
  const place = findPlace(compiler, condition.path);
  switch (condition.operator) {
    case 'eq':
      return compileEqual(compiler, place, [condition.value]);
    case 'in':
      return compileEqual(compiler, place, condition.values);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compileOrdered(place, COMPARISONS[condition.operator], condition.value);
    case 'contains':
      return compileContains(compiler, place, condition.value);
    case 'any':
      return compileAny(compiler, place, condition.filter);
    case 'like':
    case 'keyword':
    case 'fuzzy':
      return compileText(compiler, place, condition);
  }
}

/** Whether what stands at a place is equal to one of the values. */
function compileEqual(compiler: Compiler, place: Place, values: readonly unknown[]): Predicate {
  const given = values.filter((value) => value !== null);
  const parts = given.length < values.length ? [exactly(isNull(place))] : [];
  if (given.length > 0) {
    const equal = exactly(equalsOneOf(place, given));
    // An element's terms would be looked for in the row of every element; compileAny does it once.
    const isPlain = compiler.isNegated || !place.hasOwnWords;
    parts.push(isPlain ? equal : foundBy([termsOfOne(compiler, place, given)], equal));
  }
  return anyOf(parts);
}

function isNull(place: Place): RawBuilder<unknown> {
  if (place.type !== 'jsonb') return sql`${place.sql} is null`;
  return sql`coalesce(${place.sql}, 'null'::jsonb) = 'null'::jsonb`;
}

function equalsOneOf(
  { sql: value, type }: Place,
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

/** Terms that the rows have whose value is equal to one of the operands. */
function termsOfOne({ places }: Compiler, place: Place, operands: readonly unknown[]): Predicate {
  const terms = operands.map((operand) => termsOf(places, place, operand));
  const [first] = terms;
  if (first !== undefined && terms.length === 1) return hasTerms('@>', first.slice(0, MAX_TERMS));
  const oneOfEach = terms.map((each) => each[0]);
  // Some values leave no terms behind.
  if (oneOfEach.includes(undefined)) return unknown(false);
  return hasTerms(
    '&&',
    oneOfEach.filter((term) => term !== undefined),
  );
}

/** Terms of a value that stands at a place, the one that fewest rows may have first. */
function termsOf(
  places: TermPlaces,
  { values, words }: { readonly values: Lanes; readonly words: Lanes },
  value: unknown,
): readonly number[] {
  if (typeof value === 'string') {
    const found = wordsOf(value).toSorted((a, b) => b.length - a.length);
    return found.length === 0
      ? [valueTerm(values, value)]
      : found.slice(0, MAX_TERMS).map((word) => wordTerm(words, word));
  }
  if (typeof value === 'number' || typeof value === 'boolean') return [valueTerm(values, value)];
  if (Array.isArray(value)) {
    const element = { values: places.element(values), words };
    return value.flatMap((each) => termsOf(places, element, each));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = places.below(values, name);
    return termsOf(places, { values: below, words: words === values ? below : words }, member);
  });
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
type Comparison = (typeof COMPARISONS)[keyof typeof COMPARISONS];

function compileOrdered(place: Place, comparison: Comparison, operand: number | string): Predicate {
  const compared = sql.raw(comparison);
  if (place.column === undefined || place.type === 'jsonb') {
    return exactly(orderedJson(place.sql, comparison, operand));
  }
  const { column } = place;
  const condition = sql`${place.sql} ${compared} ${operand}::${sql.raw(place.type)}`;
  if (!column.field.isSortable) return exactly(condition);
  if (place.type !== 'text') return { ...exactly(condition), index: 'range' };
  // The index has the beginnings of texts only: those that are equal may belong to greater texts.
  const beginning = sql`${sql.raw(sortSql(column))} ${sql.raw(comparison[0] ?? '')}= left(${operand}::text, ${sql.lit(INDEXED_LENGTH)})`;
  return { ...exactly(sql`(${beginning} and ${condition})`), index: 'range' };
}

/** The types have to match. JSON's own comparison orders texts by the database's collation. */
function orderedJson(
  json: RawBuilder<unknown>,
  comparison: Comparison,
  operand: number | string,
): RawBuilder<unknown> {
  const compared = sql.raw(comparison);
  if (typeof operand === 'number') {
    return sql`(jsonb_typeof(${json}) = 'number' and ${json} ${compared} ${String(operand)}::jsonb)`;
  }
  return sql`(jsonb_typeof(${json}) = 'string' and (${json} #>> '{}') collate "C" ${compared} ${operand}::text)`;
}

function compileContains(
  { places, isNegated }: Compiler,
  place: Place,
  value: string | number | boolean | null,
): Predicate {
  if (place.type !== 'jsonb') return NEVER;
  const contains = exactly(sql`${place.sql} @> ${JSON.stringify([value])}::jsonb`);
  if (isNegated || !place.hasOwnWords) return contains;
  return foundBy([hasTerms('@>', termsOf(places, place, [value]).slice(0, MAX_TERMS))], contains);
}

function compileAny(compiler: Compiler, place: Place, filter: Filter): Predicate {
  if (place.type !== 'jsonb') return NEVER;
  const name = `e${compiler.root.depth}`;
  const inside = inElements(compiler, place);
  const wanted = compileFilter(inside, filter);
  const exists = sql`exists (
    select from jsonb_array_elements(
      case when jsonb_typeof(${place.sql}) = 'array' then ${place.sql} else '[]'::jsonb end
    ) as ${sql.id(name)}(value)
    where jsonb_typeof(${sql.id(name, 'value')}) = 'object' and (${wanted.sql})
  )`;
  const predicate = { ...exactly(exists), isExact: wanted.isExact };
  if (wanted.constant === false) return wanted;
  if (compiler.isNegated || !place.hasOwnWords) return predicate;
  return foundBy(candidatesInside(inside, filter), predicate);
}

/** Terms of the row that some element's satisfying the filter implies. */
function candidatesInside(compiler: Compiler, filter: Filter): readonly Predicate[] {
  switch (filter.operator) {
    case 'and':
      return filter.filters.flatMap((each) => candidatesInside(compiler, each));
    case 'eq':
    case 'in': {
      const operands = filter.operator === 'eq' ? [filter.value] : filter.values;
      if (operands.length === 0 || operands.includes(null)) return [];
      const place = findPlace(compiler, filter.path);
      return [termsOfOne(compiler, place, operands)];
    }
    case 'contains': {
      const place = findPlace(compiler, filter.path);
      const terms = termsOf(compiler.places, place, [filter.value]);
      return [hasTerms('@>', terms.slice(0, MAX_TERMS))];
    }
    case 'keyword': {
      if (filter.words.some(mayFitScalar)) return [];
      const place = findPlace(compiler, filter.path);
      return [
        hasTerms(
          '&&',
          filter.words.map((word) => wordTerm(place.words, word)),
        ),
      ];
    }
    case 'like': {
      if (mayMatchScalar(filter.pattern)) return [];
      return candidatesLike(compiler.places, findPlace(compiler, filter.path), filter.pattern);
    }
    case 'any': {
      const place = findPlace(compiler, filter.path);
      return candidatesInside(inElements(compiler, place), filter.filter);
    }
    default:
      return [];
  }
}
