import { isJsonObject, wordsOf } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { HashLanes } from '../../hashes.ts';
import type { PathHashes } from '../../path-hashes.ts';
import { valueTerm, wordTerm } from '../../terms.ts';
import type { Compiler } from './compiler.ts';
import type { FieldPlace } from './field-place.ts';
import { equalsOneOf, lookupOf } from './one-of-values.ts';
import {
  anyOf,
  exactly,
  foundBy,
  hasTerms,
  MAX_TERMS,
  NEVER,
  unknown,
  type Predicate,
} from './predicate.ts';
import { hasOneSet } from './term-sets.ts';

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
      const found = foundBy([termsOfOne(compiler, place, given)], equal);
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
  return foundBy([termsOfAll(compiler, place, [value])], contains);
}

/** Terms that the rows have whose value is equal to one of the operands. */
export function termsOfOne(
  compiler: Compiler,
  place: FieldPlace,
  operands: readonly unknown[],
): Predicate {
  const termsOfEach = operands.map((operand) =>
    termsOf(compiler.hashes, place, operand).slice(0, MAX_TERMS),
  );
  // Some values leave no terms behind.
  if (termsOfEach.some((terms) => terms.length === 0)) return unknown(false);
  return hasOneSet(compiler, termsOfEach);
}

/** Terms that the rows have whose value is equal to the operand, or, an array, contains it. */
export function termsOfAll({ hashes }: Compiler, place: FieldPlace, operand: unknown): Predicate {
  return hasTerms('@>', termsOf(hashes, place, operand).slice(0, MAX_TERMS));
}

/** Terms of a value that stands at a place, the one that fewest rows may have first. */
function termsOf(
  hashes: PathHashes,
  { values, words }: { readonly values: HashLanes; readonly words: HashLanes },
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
    const element = { values: hashes.element(values), words };
    return value.flatMap((each) => termsOf(hashes, element, each));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = hashes.below(values, name);
    return termsOf(hashes, { values: below, words: words === values ? below : words }, member);
  });
}
