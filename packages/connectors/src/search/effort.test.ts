import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { searchedThings } from '../../test/support/searched-things.ts';
import { isConnectorError } from '../errors.ts';
import { checkSearch } from './check-search.ts';
import { Effort } from './effort.ts';
import { judge, judgeScore } from './evaluate.ts';
import { searchSchemaOf } from './search-schema.ts';
import { atOnce } from './steps.ts';

const schema = searchSchemaOf(searchedThings);
assert.ok(schema);

type Values = Readonly<Record<string, unknown>>;

/** How many records can be judged by a filter within so many units. */
function judgedWithin(units: number, filter: unknown, values: Values): number {
  const checked = checkSearch(schema as NonNullable<typeof schema>, { query: { filter } }).filter;
  const effort = new Effort('things', { most: units });
  for (let judged = 0; judged < 10_000; judged++) {
    try {
      atOnce(judge(checked, values, effort));
    } catch (error) {
      assert.ok(isConnectorError(error, 'search_too_broad'));
      return judged;
    }
  }
  return Infinity;
}

const thousandWords = Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(' ');

describe('the effort of a search', () => {
  const rows: readonly (readonly [why: string, filter: unknown, values: Values, most: number])[] = [
    ['a condition costs 1', { eq: { size: 1 } }, { size: 1 }, 1_000],
    ['each of several', { eq: { size: 1, name: 'a' } }, { size: 1, name: 'a' }, 500],
    ['none that is not looked at', { eq: { name: 'a', size: 1 } }, { name: 'b', size: 1 }, 1_000],
    ['values of in', { in: { size: Array.from({ length: 8 }, (_, each) => each) } }, {}, 500],
    ['what is nested', { not: { or: [{ eq: { size: 1 } }, { eq: { size: 2 } }] } }, {}, 500],
    ['elements', { any: { parts: { eq: { a: 1 } } } }, { parts: [{}, {}, {}] }, 250],
  ];
  for (const [why, filter, values, most] of rows)
    test(`is told by the number of records: ${why}`, () => {
      assert.equal(judgedWithin(1_000, filter, values), most);
    });

  test('grows with the words of the filter, and with those of the records', () => {
    const few = judgedWithin(1_000_000, { fuzzy: { name: 'abcd' } }, { name: thousandWords });
    const many = judgedWithin(
      1_000_000,
      { fuzzy: { name: 'w1 w2 w3 w4 abcd' } },
      { name: thousandWords },
    );
    const short = judgedWithin(1_000_000, { fuzzy: { name: 'abcd' } }, { name: 'w1' });
    assert.ok(many <= few && few < 1_000, `${many} ${few}`);
    assert.equal(short, Infinity);
  });

  test('grows with texts', () => {
    const long = { name: 'x'.repeat(100_000) };
    for (const operator of ['like', 'keyword', 'fuzzy'])
      assert.ok(judgedWithin(1_000_000, { [operator]: { name: 'abc' } }, long) < 1_000, operator);
  });

  test('ends with the condition that cost most, where it was written', () => {
    const filter = {
      eq: { size: 1 },
      not: { or: [{ like: { name: 'a' } }, { any: { parts: { fuzzy: { text: 'abcd efgh' } } } }] },
    };
    const values = { size: 1, name: 'b', parts: [{ text: thousandWords }] };
    const checked = checkSearch(schema, { query: { filter } });
    const effort = new Effort('things', { most: 20_000 });
    let judged = 0;
    assert.throws(
      () => {
        for (;;) {
          effort.countRecord();
          judged++;
          atOnce(judge(checked.filter, values, effort));
        }
      },
      (error) => {
        assert.ok(isConnectorError(error, 'search_too_broad'));
        const condition = 'params.query.filter.not.or.1.any.parts.fuzzy.text';
        const spent = { condition, recordsJudged: judged };
        assert.deepEqual(error.details, { entity: 'things', action: 'search', ...spent });
        assert.ok(judged > 1);
        assert.match(error.message, new RegExp(`: ${judged} records were judged`));
        assert.match(error.message, /params\.query\.filter\.not\.or\.1\.any\.parts\.fuzzy\.text/);
        assert.deepEqual([error.status, error.retry], [422, 'never']);
        return true;
      },
    );
  });

  test('counts scores, too, and neq where it was written', () => {
    const scored = checkSearch(schema, { query: { filter: { fuzzy: { name: 'abcd' } } } }).filter;
    const effort = new Effort('things', { most: 10_000 });
    assert.throws(() => {
      for (;;) atOnce(judgeScore(scored, { name: thousandWords }, effort));
    }, /params\.query\.filter\.fuzzy\.name/);
    const other = checkSearch(schema, { query: { filter: { neq: { name: 'a' } } } }).filter;
    assert.throws(() => {
      for (;;) atOnce(judge(other, {}, effort));
    }, /most of it for params\.query\.filter/);
  });

  test('says what it was where the time was over first', () => {
    const checked = checkSearch(schema, { query: { filter: { eq: { size: 1 } } } });
    const effort = new Effort('things');
    const cause = new Error('over');
    const nothing = effort.outOfTime(50, cause);
    assert.deepEqual(nothing.details, {
      entity: 'things',
      action: 'search',
      recordsJudged: 0,
      timeoutMs: 50,
    });
    assert.match(nothing.message, /^The search was not done after 50 ms; take words/);
    effort.countRecord();
    atOnce(judge(checked.filter, {}, effort));
    const error = effort.outOfTime(50, cause);
    assert.deepEqual([error.code, error.retry], ['upstream_timeout', 'backoff']);
    assert.equal(error.details.condition, 'params.query.filter.eq.size');
    assert.equal(error.details.recordsJudged, 1);
    assert.match(error.message, /allow_partial.*timeout_ms/);
    assert.equal(error.cause, cause);
  });

  test('offers no part of the hits to whoever would take one', () => {
    const { filter } = checkSearch(schema, { query: { filter: { eq: { size: 1 } } } });
    const effort = new Effort('things', { most: 0, allowsPartial: true });
    const said = /no part to give; take words.*fewer records satisfy/;
    assert.match(effort.outOfTime(50, undefined).message, said);
    assert.doesNotMatch(effort.outOfTime(50, undefined).message, /allow_partial/);
    assert.throws(() => atOnce(judge(filter, { size: 1 }, effort)), said);
  });

  test('is not bounded where nobody bounds it', () => {
    const { filter } = checkSearch(schema, { query: { filter: { eq: { size: 1 } } } });
    for (let judged = 0; judged < 10_000; judged++) atOnce(judge(filter, { size: 1 }));
  });
});
