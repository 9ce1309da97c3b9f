import type { Condition, Filter, Steps } from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import { termsInside } from './array-terms.ts';
import { compileComparison } from './comparison.ts';
import type { Compiler } from './compiler.ts';
import { compileContains, compileEqual } from './equality.ts';
import { findPlace, inElements } from './field-place.ts';
import { parametersOf } from './parameters.ts';
import {
  allOf,
  ALWAYS,
  anyOf,
  exactly,
  foundBy,
  NEVER,
  notOf,
  unknown,
  type Predicate,
} from './predicate.ts';
import { compileText } from './text-predicates.ts';

/** A filter as a condition on the rows of a table; a condition is a step. */
export function* compileFilter(compiler: Compiler, filter: Filter): Steps<Predicate> {
  switch (filter.operator) {
    case 'and':
      return allOf(yield* compileAll(compiler, filter.filters));
    case 'or':
      return anyOf(yield* compileAll(compiler, filter.filters));
    case 'not':
      return notOf(yield* compileFilter(negated(compiler), filter.filter));
    default: {
      const isInRow = compiler.root.element === undefined;
      const holds = isInRow ? compiler.known.get(filter) : undefined;
      if (holds !== undefined) return holds ? ALWAYS : NEVER;
      return yield* compileOnce(compiler, filter);
    }
  }
}

function* compileAll(compiler: Compiler, filters: readonly Filter[]): Steps<readonly Predicate[]> {
  const predicates: Predicate[] = [];
  for (const each of filters) predicates.push(yield* compileFilter(compiler, each));
  return predicates;
}

/** Each score of a filter has a predicate with the same conditions, which stand where they stand. */
function* compileOnce(compiler: Compiler, condition: Condition): Steps<Predicate> {
  const compiled = compiler.isNegated ? compiler.compiled.negated : compiler.compiled.plain;
  const known = compiled.get(condition);
  if (known !== undefined) return known;
  yield;
  const holds = asOperand(compiler, yield* compileCondition(compiler, condition));
  const predicate = { ...holds, parameters: parametersOf(condition) };
  compiled.set(condition, predicate);
  return predicate;
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

function* compileCondition(compiler: Compiler, condition: Condition): Steps<Predicate> {
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
      return compileComparison(place, condition);
    case 'contains':
      return compileContains(compiler, place, condition.value);
    case 'any':
      return yield* compileAny(compiler, condition);
    case 'like':
    case 'keyword':
    case 'fuzzy':
      return compileText(compiler, place, condition);
  }
}

function* compileAny(
  compiler: Compiler,
  { path, filter }: Extract<Condition, { operator: 'any' }>,
): Steps<Predicate> {
  const place = findPlace(compiler, path);
  if (place.type !== 'jsonb') return NEVER;
  const name = `e${compiler.root.depth}`;
  const inside = inElements(compiler, place);
  const holds = yield* compileFilter(inside, filter);
  const exists = sql`exists (
    select from jsonb_array_elements(
      case when jsonb_typeof(${place.sql}) = 'array' then ${place.sql} else '[]'::jsonb end
    ) as ${sql.id(name)}(value)
    where jsonb_typeof(${sql.id(name, 'value')}) = 'object' and (${holds.sql})
  )`;
  const predicate = { ...exactly(exists), isExact: holds.isExact };
  if (holds.constant === false) return holds;
  if (compiler.isNegated || !place.hasOwnWords) return predicate;
  return foundBy(termsInside(inside, filter), predicate);
}
