import { sql, type RawBuilder } from 'kysely';
import type { Compiler } from './compiler.ts';
import type { FieldPlace } from './field-place.ts';
import { equalsOneOf, lookupOf } from './one-of-values.ts';
import { OperandTerms } from './operand-terms.ts';
import { anyOf, exactly, foundBy, hasTerms, NEVER, unknown, type Predicate } from './predicate.ts';
import { hasOneSet } from './term-sets.ts';

/** Where operands are looked for, and what finds their terms. */
export interface SearchedPlace {
  readonly place: FieldPlace;
  readonly terms: OperandTerms;
}

/** Whether what stands at a place is equal to one of the values. */
export function compileEqual(
  compiler: Compiler,
  place: FieldPlace,
  values: readonly unknown[],
): Predicate {
  const given = values.filter((value) => value !== null);
  const parts = given.length < values.length ? [exactly(isNull(place))] : [];
  if (given.length > 0) {
    const equal = exactly(equalsOneOf(place, given));
    // An element's terms would be looked for in the row of every element; compileAny does it once.
    const isPlain = compiler.isNegated || !place.hasOwnWords;
    if (isPlain) parts.push(equal);
    else {
      const terms = new OperandTerms(compiler.hashes);
      const found = foundBy([termsOfOne(compiler, { place, terms }, given)], equal);
      const { lookup } = lookupOf(place, given);
      parts.push(lookup === undefined ? found : { ...found, lookup, breadth: given.length });
    }
  }
  return anyOf(parts);
}

function isNull(place: FieldPlace): RawBuilder<unknown> {
  if (place.type !== 'jsonb') return sql`${place.sql} is null`;
  return sql`coalesce(${place.sql}, 'null'::jsonb) = 'null'::jsonb`;
}

/** Whether the array at a place has an element that is equal to the value. */
export function compileContains(
  compiler: Compiler,
  place: FieldPlace,
  value: string | number | boolean | null,
): Predicate {
  if (place.type !== 'jsonb') return NEVER;
  const contains = exactly(sql`${place.sql} @> ${JSON.stringify([value])}::jsonb`);
  if (compiler.isNegated || !place.hasOwnWords) return contains;
  const terms = new OperandTerms(compiler.hashes);
  return foundBy([termsOfAll({ place, terms }, [value])], contains);
}

/** Terms that the rows have whose value is equal to one of the operands. */
export function termsOfOne(
  compiler: Compiler,
  { place, terms }: SearchedPlace,
  operands: readonly unknown[],
): Predicate {
  const termsOfEach = terms.ofEach(place, operands);
  // Some values leave no terms behind.
  return termsOfEach === undefined ? unknown(false) : hasOneSet(compiler, termsOfEach);
}

/** Terms that the rows have whose value is equal to the operand, or, an array, contains it. */
export function termsOfAll({ place, terms }: SearchedPlace, operand: unknown): Predicate {
  return hasTerms('@>', terms.of(place, operand));
}
