import { sql, type RawBuilder } from 'kysely';
import { plainArray } from '../array-literal.ts';

/**
 * A condition on a row, in SQL; null counts as false.
 *
 * One that is not exact holds for more rows than it should, and the reference evaluator sorts them
 * out. Under an odd number of `not`s it is the other way round: there it holds for fewer, is never
 * null, and its complement is what holds for more.
 */
export interface Predicate {
  readonly sql: RawBuilder<unknown>;
  readonly isExact: boolean;
  /** What finds its rows without looking at the others: the inverted indexes, a B-tree, or nothing. */
  readonly index: 'inverted' | 'range' | 'none';
  /** How many terms there are to look up, each of which some rows may have. */
  readonly breadth: number;
  /** Whether it holds, where that is the same for all rows. */
  readonly constant?: boolean;
}

export const ALWAYS: Predicate = constantly(true, true);
export const NEVER: Predicate = constantly(false, true);

/** The predicate of a condition that SQL can say nothing about. */
export function unknown(isNegated: boolean): Predicate {
  return constantly(!isNegated, false);
}

function constantly(constant: boolean, isExact: boolean): Predicate {
  return { sql: constant ? sql`true` : sql`false`, isExact, index: 'none', breadth: 0, constant };
}

export function exactly(condition: RawBuilder<unknown>): Predicate {
  return { sql: condition, isExact: true, index: 'none', breadth: 0 };
}

/** For a condition that holds for more rows than it should. */
export function atLeast(condition: RawBuilder<unknown>): Predicate {
  return { sql: condition, isExact: false, index: 'none', breadth: 0 };
}

export function allOf(predicates: readonly Predicate[]): Predicate {
  if (predicates.some(({ constant, isExact }) => constant === false && isExact)) return NEVER;
  const isExact = predicates.every((each) => each.isExact);
  if (predicates.some(({ constant }) => constant === false)) return constantly(false, false);
  const parts = predicates.filter(({ constant }) => constant === undefined);
  if (parts.length === 0) return constantly(true, isExact);
  return { sql: joined(parts, sql` and `), isExact, ...indexOfAll(parts) };
}

export function anyOf(predicates: readonly Predicate[]): Predicate {
  if (predicates.some(({ constant, isExact }) => constant === true && isExact)) return ALWAYS;
  const isExact = predicates.every((each) => each.isExact);
  if (predicates.some(({ constant }) => constant === true)) return constantly(true, false);
  const parts = predicates.filter(({ constant }) => constant === undefined);
  const [first] = parts;
  if (first === undefined) return constantly(false, isExact);
  const isFound = parts.every(({ index }) => index === 'inverted');
  return {
    sql: joined(parts, sql` or `),
    isExact,
    index: parts.length === 1 ? first.index : isFound ? 'inverted' : 'none',
    breadth: parts.reduce((sum, { breadth }) => sum + breadth, 0),
  };
}

export function notOf({ sql: condition, isExact, constant }: Predicate): Predicate {
  if (constant !== undefined) return constantly(!constant, isExact);
  return { sql: sql`not (${condition})`, isExact, index: 'none', breadth: 0 };
}

/** Terms that a row must have all of, or some of. */
export function hasTerms(operator: '@>' | '&&', terms: readonly number[]): Predicate {
  if (terms.length === 0) return operator === '@>' ? ALWAYS : NEVER;
  return {
    sql: sql`terms ${sql.raw(operator)} ${plainArray(terms)}::bigint[]`,
    isExact: true,
    index: 'inverted',
    breadth: operator === '@>' ? 1 : terms.length,
  };
}

/** Grams that a row must have all of. */
export function hasGrams(grams: readonly number[]): Predicate {
  if (grams.length === 0) return unknown(false);
  return {
    sql: sql`grams @> ${plainArray(grams)}::integer[]`,
    isExact: false,
    index: 'inverted',
    breadth: 1,
  };
}

/** Finds the rows of a predicate through terms and grams that all of them have. */
export function foundBy(candidates: readonly Predicate[], wanted: Predicate): Predicate {
  const parts = [wanted, ...candidates].filter(({ constant }) => constant !== true);
  if (parts.length === 0 || wanted.constant === false) return wanted;
  return { sql: joined(parts, sql` and `), isExact: wanted.isExact, ...indexOfAll(parts) };
}

function indexOfAll(parts: readonly Predicate[]): Pick<Predicate, 'index' | 'breadth'> {
  const found = parts.filter(({ index }) => index === 'inverted');
  if (found.length > 0) {
    return { index: 'inverted', breadth: Math.min(...found.map(({ breadth }) => breadth)) };
  }
  return { index: parts.some(({ index }) => index === 'range') ? 'range' : 'none', breadth: 0 };
}

function joined(parts: readonly Predicate[], separator: RawBuilder<unknown>): RawBuilder<unknown> {
  const conditions = parts.map((part) => part.sql);
  const [first] = conditions;
  return first !== undefined && conditions.length === 1
    ? first
    : sql`(${sql.join(conditions, separator)})`;
}
