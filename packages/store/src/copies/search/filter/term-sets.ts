import { sql } from 'kysely';
import { ofConnector } from '../../of-connector.ts';
import { SCHEMA } from '../../../database.ts';
import { plainArray, textArray } from '../../array-literal.ts';
import type { Compiler } from './compiler.ts';
import { anyOf, hasTerms, unknown, type Predicate } from './predicate.ts';

/** Whose rows are looked at, and where they are. */
interface SearchedRows {
  readonly connectorId: Compiler['connectorId'];
  readonly isDistributed: Compiler['isDistributed'];
  readonly mostSets: Compiler['mostSets'];
  readonly table: Pick<Compiler['table'], 'name'>;
}

/** More alternatives are no conditions of their own: to plan them takes longer than to look them up. */
const MAX_SETS = 66;

/**
 * Whether a row has all terms of one of several sets. What that costs follows from the sets' rarest
 * terms: the index intersects the terms of each, and never reads all rows of a common one. Of too many sets
 * for one statement nothing is said: rows are found in another way, and looked at.
 *
 * @param sets At least one, none of them empty.
 */
export function hasOneSet(rows: SearchedRows, sets: readonly (readonly number[])[]): Predicate {
  const { connectorId, table } = rows;
  const distinct = [...new Map(sets.map((terms) => [terms.join(), terms])).values()];
  if (distinct.length > rows.mostSets) return unknown(false);
  const single = distinct.filter(({ length }) => length === 1).flat();
  const several = distinct.filter(({ length }) => length > 1);
  if (several.length <= MAX_SETS) {
    const alternatives = several.map((terms) => hasTerms('@>', terms));
    return anyOf(single.length === 0 ? alternatives : [hasTerms('&&', single), ...alternatives]);
  }
  const literals = distinct.map(plainArray);
  return {
    sql: sql`(connector_id = ${connectorId}::uuid and record_key = any(array(
      select r.record_key from unnest(${textArray(literals)}::text[]) as s(terms)
      cross join lateral (
        select record_key from ${sql.id(SCHEMA, table.name)}
        where ${ofConnector(rows)}
          and terms @> s.terms::bigint[]
      ) as r
    )))`,
    isExact: true,
    index: 'inverted',
    breadth: distinct.length,
  };
}

/**
 * Whether a row has at least `count` of some terms, or a little less: of many terms, whoever has so
 * many has some of the first ones, all but which would be too few.
 *
 * @param terms Those that fewest rows may have first.
 */
export function hasSome(rows: SearchedRows, terms: readonly number[], count: number): Predicate {
  for (let size = count; size > 1; size--) {
    const first = terms.slice(0, terms.length - count + size);
    if (combinationCount(first.length, size) > MAX_SETS) continue;
    return { ...hasOneSet(rows, subsetsOf(first, size)), isExact: size === count };
  }
  const first = terms.slice(0, terms.length - count + 1);
  return { ...hasTerms('&&', first), isExact: count === 1 };
}

function combinationCount(from: number, size: number): number {
  let count = 1;
  for (let index = 0; index < size; index++) count = (count * (from - index)) / (index + 1);
  return Math.round(count);
}

/** Looks at those alone that can be completed: of 64 terms, 63 are left out in 64 ways and not in 2^64. */
function subsetsOf(terms: readonly number[], size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return terms
    .slice(0, terms.length - size + 1)
    .flatMap((term, index) =>
      subsetsOf(terms.slice(index + 1), size - 1).map((others) => [term, ...others]),
    );
}
