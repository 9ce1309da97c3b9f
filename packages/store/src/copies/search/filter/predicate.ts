import { sql, type RawBuilder } from 'kysely';
import { plainArray } from '../../array-literal.ts';

/**
 * A condition on a row, in SQL; null counts as false.
 *
 * One that is not exact holds for more rows than it should, and the reference evaluator sorts them
 * out. Under an odd number of `not`s it is the other way round: there it holds for fewer, is never
 * null, and its complement is what holds for more.
 */
export interface Predicate {
  readonly sql: RawBuilder<unknown>;
  /** The same as the inverted indexes find it, where that is more than the condition itself. */
  readonly found?: RawBuilder<unknown>;
  /** The same without telling the planner which terms or grams: see `hasGrams`. */
  readonly blind?: RawBuilder<unknown>;
  /** The same in parts, one of which has to hold, where grams are in one of them. */
  readonly alternatives?: readonly Alternative[];
  /** What the inverted indexes alone decide of it, where they find its rows. */
  readonly inverted?: RawBuilder<unknown>;
  /** What is to be asked of those rows besides, if anything is. */
  readonly rest?: RawBuilder<unknown>;
  /** A range of a B-tree that all its rows are in. */
  readonly range?: IndexRange;
  /** What an index would have to fetch rows for, where that is more than it finds in the end. */
  readonly candidates?: RawBuilder<unknown>;
  /** The same as a B-tree of the field finds it, which is better where there is one. */
  readonly lookup?: RawBuilder<unknown>;
  readonly isExact: boolean;
  /** What finds its rows without looking at the others: the inverted indexes, a B-tree, or nothing. */
  readonly index: 'inverted' | 'range' | 'none';
  /** Grams are looked up, many for each word: to find few rows may take long, and more than once too long. */
  readonly usesGrams?: true;
  /** How many lookups that takes. */
  readonly breadth: number;
  /** How many parameters it takes, roughly; few unless said. */
  readonly parameters?: number;
  /** Whether it holds, where that is the same for all rows. */
  readonly constant?: boolean;
}

/** How some of a predicate's rows are found. */
type Alternative = Pick<
  Predicate,
  'sql' | 'found' | 'blind' | 'alternatives' | 'usesGrams' | 'parameters'
>;

/** Rows that a B-tree of a field has beside each other. */
export interface IndexRange {
  /** What the index is in the order of. */
  readonly key: string;
  readonly where: RawBuilder<unknown>;
}

/** Terms that one operand is looked for by: more of them find hardly fewer rows. */
export const MAX_TERMS = 16;

/** More lookups than these rather go to a B-tree than to the inverted indexes, whatever else is asked. */
const MANY_LOOKUPS = 8;

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
  return {
    sql: joined(parts.map(sqlOf), AND),
    isExact,
    parameters: parametersOfAll(parts),
    ...foundByAll(parts),
    ...inRangesOf(parts),
    ...candidatesOfAll(parts),
    ...lookedUpByOne(parts),
  };
}

/** The inverted indexes find what satisfies the parts that they know. */
function candidatesOfAll(parts: readonly Predicate[]): Pick<Predicate, 'candidates'> {
  const known = parts.filter(({ index }) => index === 'inverted');
  if (known.length === 0 || known.length === parts.length) return candidatesJoined(parts, AND);
  return {
    candidates: joined(
      known.map((part) => part.candidates ?? part.sql),
      AND,
    ),
  };
}

/** The ranges of one field together; of several fields, those of one with most bounds. */
function inRangesOf(parts: readonly Predicate[]): Pick<Predicate, 'range'> {
  const ranges = parts.flatMap(({ range }) => range ?? []);
  const byKey = Map.groupBy(ranges, ({ key }) => key);
  const [most] = [...byKey.values()].toSorted((a, b) => b.length - a.length);
  const [first] = most ?? [];
  if (most === undefined || first === undefined) return {};
  return {
    range: {
      key: first.key,
      where: joined(
        most.map(({ where }) => where),
        AND,
      ),
    },
  };
}

/** The rows of one part are looked up, unless the inverted indexes know several parts and so find fewer. */
function lookedUpByOne(parts: readonly Predicate[]): Pick<Predicate, 'lookup'> {
  const looked = parts.find(({ lookup }) => lookup !== undefined);
  if (looked?.lookup === undefined) return {};
  const isOnly = parts.filter(({ index }) => index === 'inverted').length === 1;
  if (!isOnly && looked.breadth <= MANY_LOOKUPS) return {};
  const others = parts.filter((part) => part !== looked);
  return { lookup: joined([looked.lookup, ...others.map(sqlOf)], AND) };
}

function candidatesJoined(
  parts: readonly Predicate[],
  separator: RawBuilder<unknown>,
): Pick<Predicate, 'candidates'> {
  if (parts.every(({ candidates }) => candidates === undefined)) return {};
  return {
    candidates: joined(
      parts.map((part) => part.candidates ?? part.sql),
      separator,
    ),
  };
}

export function anyOf(predicates: readonly Predicate[]): Predicate {
  if (predicates.some(({ constant, isExact }) => constant === true && isExact)) return ALWAYS;
  const isExact = predicates.every((each) => each.isExact);
  if (predicates.some(({ constant }) => constant === true)) return constantly(true, false);
  const parts = predicates.filter(({ constant }) => constant === undefined);
  const [first] = parts;
  if (first === undefined) return constantly(false, isExact);
  if (parts.length === 1) return { ...first, isExact };
  const isFound = parts.every(({ index }) => index === 'inverted');
  const lookups = parts.flatMap(({ lookup }) => lookup ?? []);
  return {
    sql: joined(parts.map(sqlOf), OR),
    ...(isFound ? foundBySome(parts) : {}),
    ...(lookups.length === parts.length ? { lookup: joined(lookups, OR) } : {}),
    isExact,
    parameters: parametersOfAll(parts),
    index: isFound ? 'inverted' : 'none',
    breadth: parts.reduce((sum, { breadth }) => sum + breadth, 0),
  };
}

function foundBySome(
  parts: readonly Predicate[],
): Pick<
  Predicate,
  'found' | 'blind' | 'alternatives' | 'inverted' | 'rest' | 'usesGrams' | 'candidates'
> {
  const usedGrams = usedGramsOf(parts);
  const alternatives = usedGrams.usesGrams ? parts.flatMap(alternativesOf) : parts;
  const found = joined(alternatives.map(foundSql), OR);
  return {
    found,
    blind: joined(parts.map(blindSql), OR),
    ...(usedGrams.usesGrams ? { alternatives } : {}),
    ...usedGrams,
    inverted: joined(parts.map(invertedSql), OR),
    // Which part found a row, nobody knows afterwards.
    ...(parts.some(({ rest }) => rest !== undefined) ? { rest: found } : {}),
    ...candidatesJoined(parts, OR),
  };
}

export function notOf({ sql: condition, isExact, constant, parameters = 0 }: Predicate): Predicate {
  if (constant !== undefined) return constantly(!constant, isExact);
  return { sql: sql`not (${condition})`, isExact, parameters, index: 'none', breadth: 0 };
}

/** Terms that a row must have all of, or some of. */
export function hasTerms(operator: '@>' | '&&', terms: readonly number[]): Predicate {
  if (terms.length === 0) return operator === '@>' ? ALWAYS : NEVER;
  const wanted = sql`${plainArray(terms)}::bigint[]`;
  return {
    sql: sql`terms ${sql.raw(operator)} ${wanted}`,
    blind: sql`terms ${sql.raw(operator)} (select ${wanted})`,
    isExact: true,
    index: 'inverted',
    breadth: operator === '@>' ? 1 : terms.length,
  };
}

/**
 * Grams that a row must have all of. Told which, the planner takes grams that come together for independent, their rows
 * for one or two, and looks at all that have them, however few have the terms besides. Not told, it takes them
 * for some thousands, and reads the index of terms as well.
 */
export function hasGrams(grams: readonly number[]): Predicate {
  if (grams.length === 0) return unknown(false);
  const wanted = sql`${plainArray(grams)}::integer[]`;
  return {
    sql: sql`grams @> ${wanted}`,
    found: sql`grams @> (select ${wanted})`,
    isExact: false,
    index: 'inverted',
    usesGrams: true,
    breadth: 1,
  };
}

/** Finds the rows of a predicate through terms and grams that all of them have. */
export function foundBy(candidates: readonly Predicate[], holds: Predicate): Predicate {
  const parts = [holds, ...candidates].filter(({ constant }) => constant !== true);
  const isSettled = holds.constant === false || (holds.constant === true && holds.isExact);
  if (parts.length === 0 || isSettled) return holds;
  // Who looks at a row anyway need not look at its terms, which are stored apart, if the rest is exact.
  const sqlParts = holds.isExact ? [holds] : parts;
  return { sql: joined(sqlParts.map(sqlOf), AND), isExact: holds.isExact, ...foundByAll(parts) };
}

function foundByAll(
  parts: readonly Predicate[],
): Pick<
  Predicate,
  'found' | 'blind' | 'alternatives' | 'inverted' | 'rest' | 'usesGrams' | 'index' | 'breadth'
> {
  const known = parts.filter(({ index }) => index === 'inverted');
  if (known.length > 0) {
    const others = parts.filter(({ index }) => index !== 'inverted');
    const rest = parts.flatMap((part) =>
      part.index === 'inverted' ? (part.rest ?? []) : part.sql,
    );
    return {
      found: joined([foundTogether(known), ...others.map(foundSql)], AND),
      blind: joined(parts.map(blindSql), AND),
      ...alternativesTogether(known, others),
      inverted: joined(known.map(invertedSql), AND),
      ...(rest.length === 0 ? {} : { rest: joined(rest, AND) }),
      ...usedGramsOf(known),
      index: 'inverted',
      breadth: Math.min(...known.map(({ breadth }) => breadth)),
    };
  }
  return { index: parts.some(({ index }) => index === 'range') ? 'range' : 'none', breadth: 0 };
}

/**
 * What has to hold, "a or b, and c" as "a and c, or b and c": the planner intersects the indexes within each of them,
 * but none of "c" with those of "a or b", if both ask the same one. Several that have alternatives it intersects.
 */
function foundTogether(parts: readonly Alternative[]): RawBuilder<unknown> {
  const plain = parts.filter(({ alternatives }) => alternatives === undefined);
  const [first, ...besides] = parts.filter(({ alternatives }) => alternatives !== undefined);
  if (first === undefined) return foundSql(together(plain));
  const alternatives = alternativesOf(first);
  if (alternatives.length * parametersOfAll(plain) > MAX_PARAMETERS)
    return joined(parts.map(blindSql), AND);
  const found = alternatives.map((each) => foundSql(together([each, ...plain])));
  return joined([joined(found, OR), ...besides.map(blindSql)], AND);
}

/** More are left as they are: planning takes the longer the more there are. */
const MAX_ALTERNATIVES = 16;
/** With more parameters likewise, since each alternative repeats the others' and a statement has 65,535. */
const MAX_PARAMETERS = 2_000;

/** Every choice of an alternative of each part, with the others. */
function alternativesTogether(
  parts: readonly Alternative[],
  others: readonly Alternative[],
): Pick<Predicate, 'alternatives'> {
  const count = parts.reduce((product, part) => product * alternativesOf(part).length, 1);
  if (count === 1 || count > MAX_ALTERNATIVES) return {};
  if (count * parametersOfAll([...parts, ...others]) > MAX_PARAMETERS) return {};
  let chosen: readonly (readonly Alternative[])[] = [others];
  for (const part of parts)
    chosen = chosen.flatMap((begun) => alternativesOf(part).map((each) => [...begun, each]));
  return { alternatives: chosen.map(together) };
}

function parametersOfAll(parts: readonly Pick<Predicate, 'parameters'>[]): number {
  return parts.reduce((sum, { parameters = 0 }) => sum + parameters, 0);
}

function together(parts: readonly Alternative[]): Alternative {
  const blind = joined(parts.map(blindSql), AND);
  const usedGrams = usedGramsOf(parts);
  return {
    sql: usedGrams.usesGrams ? blind : joined(parts.map(foundSql), AND),
    blind,
    ...usedGrams,
  };
}

function alternativesOf(alternative: Alternative): readonly Alternative[] {
  return alternative.alternatives ?? [alternative];
}

function blindSql(alternative: Alternative): RawBuilder<unknown> {
  return alternative.blind ?? foundSql(alternative);
}

function usedGramsOf(parts: readonly Alternative[]): Pick<Predicate, 'usesGrams'> {
  return parts.some(({ usesGrams }) => usesGrams) ? { usesGrams: true } : {};
}

/** The condition by which an index finds the rows. */
export function foundSql({
  sql: condition,
  found = condition,
}: Pick<Predicate, 'sql' | 'found'>): RawBuilder<unknown> {
  return found;
}

/** The condition by which the inverted indexes alone find the rows, and more. */
export function invertedSql(predicate: Predicate): RawBuilder<unknown> {
  return predicate.inverted ?? foundSql(predicate);
}

function sqlOf({ sql: condition }: Predicate): RawBuilder<unknown> {
  return condition;
}

const AND = sql` and `;
const OR = sql` or `;

function joined(
  conditions: readonly RawBuilder<unknown>[],
  separator: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [first] = conditions;
  return first !== undefined && conditions.length === 1
    ? first
    : sql`(${sql.join(conditions, separator)})`;
}
