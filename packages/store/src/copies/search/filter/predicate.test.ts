import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  PostgresIntrospector,
} from 'kysely';
import {
  allOf,
  anyOf,
  exactly,
  foundSql,
  hasGrams,
  hasTerms,
  type Predicate,
} from './predicate.ts';
import { sql } from 'kysely';

const DATABASE = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** The condition that finds the rows, with its values in their places; those that the planner is not told in brackets. */
function found(predicate: Predicate): string {
  const { sql: text, parameters } = foundSql(predicate).compile(DATABASE);
  return text
    .replaceAll(/\$(\d+)::(?:bigint|integer)\[\]/g, (_, place: string) =>
      String(parameters[Number(place) - 1]),
    )
    .replaceAll(/\(select (\{\d+\})\)/g, '[$1]');
}

const ONE = hasTerms('&&', [1]);
const TWO = hasTerms('&&', [2]);
const SEVEN = hasGrams([7]);
const EIGHT = hasGrams([8]);

test('the planner is told which terms are wanted, where no grams are', () => {
  assert.equal(
    found(allOf([ONE, anyOf([TWO, hasTerms('@>', [3])])])),
    '(terms && {1} and (terms && {2} or terms @> {3}))',
  );
});

test('terms are intersected with each alternative that grams are one of', () => {
  assert.equal(
    found(allOf([anyOf([ONE, SEVEN]), TWO])),
    '((terms && {1} and terms && {2}) or (grams @> [{7}] and terms && [{2}]))',
  );
});

test('alternatives with grams are intersected as they are, but one by one within other alternatives', () => {
  const both = allOf([anyOf([ONE, SEVEN]), anyOf([TWO, EIGHT])]);
  assert.equal(
    found(both),
    '((terms && {1} or grams @> [{7}]) and (terms && [{2}] or grams @> [{8}]))',
  );
  assert.equal(
    found(anyOf([both, hasTerms('@>', [3])])),
    '((terms && {1} and terms && {2}) or (terms && [{1}] and grams @> [{8}]) or (grams @> [{7}] and terms && [{2}]) or (grams @> [{7}] and grams @> [{8}]) or terms @> {3})',
  );
});

test('whatever else has to hold, has to hold in each alternative', () => {
  const other = exactly(sql`x > 1`);
  assert.equal(
    found(anyOf([allOf([anyOf([ONE, SEVEN]), other]), TWO])),
    '((x > 1 and terms && {1}) or (x > 1 and grams @> [{7}]) or terms && {2})',
  );
  assert.equal(
    found(allOf([anyOf([ONE, SEVEN]), other])),
    '((terms && {1} or grams @> [{7}]) and x > 1)',
  );
});

test('what takes many parameters is not repeated for each alternative', () => {
  const either = anyOf([ONE, SEVEN]);
  for (const [parameters, count] of [
    [100, 2],
    [1_100, 1],
  ] as const) {
    const long = { ...hasTerms('@>', [99]), parameters };
    for (const each of [allOf([either, long]), anyOf([TWO, allOf([either, long])])])
      assert.equal(found(each).split('{99}').length - 1, count, found(each));
  }
});
