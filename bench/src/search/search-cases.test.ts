import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS } from '@patchbay/connectors';
import { checkSearch, searchSchemaOf } from '@patchbay/connectors/engine';
import { CONDITIONS } from '../../../packages/connectors/src/search/operators.ts';
import { HandSql } from './hand-sql.ts';
import { EVERYDAY, SEARCH_CASES } from './search-cases.ts';
import { SearchTerms, type SampledContact } from './search-terms.ts';

const SCHEMA = searchSchemaOf(KINDS['customer-messaging'].entities.contacts);
const SQL = new HandSql('01a20428-5ab7-7c3e-93e6-3d463cd317aa', ['record_key', 'text_name']);
const ASKED = 100;

/** Cases that ask by one of few values, or for an order. */
const FEW_QUESTIONS = [
  'eq and in, three fields of few values',
  'not',
  'contains, an interest',
  'any, a tag',
  'sort, a sortable field',
  'sort, another field',
];

const SAMPLE: readonly SampledContact[] = Array.from({ length: 2_000 }, (_, nth) => {
  const letters = [nth, nth / 26, nth / 676].map((each) => String.fromCharCode(97 + (each % 26)));
  const name = letters.join('');
  return {
    email: `${name}.surname${name}.${nth}@firm${name}.example`,
    name: `${name}brin ${name}surname`,
    phone: `+120255${nth}`,
    createdAt: 1_700_000_000 + nth,
    company: `Firm${name} Labs`,
    interest: 'exports',
    tagId: String(nth % 14),
  };
});

const QUESTIONS = new Map(
  SEARCH_CASES.map(({ name, ask }) => {
    const terms = new SearchTerms(SAMPLE, 1);
    return [name, Array.from({ length: ASKED }, () => ask(terms, SQL))];
  }),
);

function questionsOf({ name }: (typeof SEARCH_CASES)[number]) {
  return QUESTIONS.get(name) ?? assert.fail();
}

describe('the cases of searches', () => {
  test('have every operator among them', () => {
    const text = JSON.stringify(SEARCH_CASES.map((each) => questionsOf(each)[0]?.params));
    for (const operator of [...CONDITIONS, 'not', 'and', 'or'])
      assert.ok(text.includes(`"${operator}":`), operator);
  });

  test('have names of their own', () => {
    assert.equal(new Set(SEARCH_CASES.map(({ name }) => name)).size, SEARCH_CASES.length);
  });

  test('are some of them asked every day', () => {
    const names = new Set(SEARCH_CASES.map(({ name }) => name));
    assert.deepEqual(
      [...EVERYDAY].filter((name) => !names.has(name)),
      [],
    );
  });

  for (const searchCase of SEARCH_CASES) {
    const { name } = searchCase;

    test(`${name}: are searches`, () => {
      for (const { params } of questionsOf(searchCase)) {
        const { query, limit } = params;
        assert.ok(SCHEMA !== undefined);
        checkSearch(SCHEMA, { query, limit });
      }
    });

    test(`${name}: ask for something else each time`, () => {
      const asked = new Set(questionsOf(searchCase).map(({ params }) => JSON.stringify(params)));
      assert.ok(asked.size >= (FEW_QUESTIONS.includes(name) ? 1 : 40), String(asked.size));
    });

    test(`${name}: have statements that use their values`, () => {
      for (const { statements } of questionsOf(searchCase).slice(0, 5)) {
        assert.ok(statements.length > 0);
        for (const { text, values } of statements)
          assert.deepEqual(
            new Set([...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1]))),
            new Set(values.map((_, nth) => nth + 1)),
            text,
          );
      }
    });
  }
});

function termsOf(words: readonly string[]): readonly number[] {
  return SQL.terms(['name'], words);
}

describe('SQL by hand', () => {
  test('looks for rows with most of the words, those with all of them first', () => {
    const [all, two, one, ...others] = SQL.mostWords(['name'], ['a', 'b', 'c']);
    assert.ok(all !== undefined && two !== undefined && one !== undefined);
    assert.equal(others.length, 0);
    assert.deepEqual(all.values.slice(1), [termsOf(['a', 'b', 'c'])]);
    assert.deepEqual(two.values.slice(1), [
      termsOf(['a', 'b']),
      termsOf(['a', 'c']),
      termsOf(['b', 'c']),
    ]);
    assert.deepEqual(one.values.slice(1), [termsOf(['a']), termsOf(['b']), termsOf(['c'])]);
    assert.match(two.text, /\(terms @> \$2::bigint\[\] or terms @> \$3::bigint\[\] or /);
  });

  test('shows the columns that hits have', () => {
    assert.match(SQL.rows('true').text, /^select record_key, text_name from patchbay\.copy_/);
  });
});
