import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { checkSearch, findKind, searchSchemaOf } from '@patchbay/connectors/engine';
import { compileWhere, type FilterJson } from './compile.ts';
import { WhereError } from './where-error.ts';

const TYPES = new Map([
  ['email', 'string'],
  ['name', 'string'],
  ['created_at', 'integer'],
  ['open', 'boolean'],
  ['tags', 'array'],
  ['plan', 'object'],
]);

describe('an expression compiles to', () => {
  const rows: readonly (readonly [string, FilterJson])[] = [
    [
      'email like %@acme.com and created_at > 1700000000',
      { and: [{ like: { email: '%@acme.com' } }, { gt: { created_at: 1_700_000_000 } }] },
    ],
    ['created_at=5', { eq: { created_at: 5 } }],
    ['created_at == 5', { eq: { created_at: 5 } }],
    ['created_at<>-5', { neq: { created_at: -5 } }],
    ['created_at != 5.25e1', { neq: { created_at: 52.5 } }],
    [
      'created_at >= 5 AND created_at <= 6',
      { and: [{ gte: { created_at: 5 } }, { lte: { created_at: 6 } }] },
    ],
    ['created_at < 5', { lt: { created_at: 5 } }],
    ['open = true', { eq: { open: true } }],
    ['open = FALSE', { eq: { open: false } }],
    ['open = "true"', { eq: { open: 'true' } }],
    // On a text field, what looks like a number or a truth is a text; null is null.
    ['name = 42', { eq: { name: '42' } }],
    ['name = true', { eq: { name: 'true' } }],
    ['name = 12345678901234567890', { eq: { name: '12345678901234567890' } }],
    ['name = null', { eq: { name: null } }],
    ["name = 'null'", { eq: { name: 'null' } }],
    ['name is null', { eq: { name: null } }],
    ['name is not null', { neq: { name: null } }],
    // Below an object field, values are what they look like.
    [
      'plan.seats = 42 and plan.name = gold',
      { and: [{ eq: { 'plan.seats': 42 } }, { eq: { 'plan.name': 'gold' } }] },
    ],
    ['name keyword 42', { keyword: { name: '42' } }],
    ['name fuzzy "jon smith"', { fuzzy: { name: 'jon smith' } }],
    ['name not like a%', { not: { like: { name: 'a%' } } }],
    ['tags contains 7', { contains: { tags: 7 } }],
    ['tags not contains vip', { not: { contains: { tags: 'vip' } } }],
    ['name in (a, 7, null)', { in: { name: ['a', '7', null] } }],
    ['created_at in ()', { in: { created_at: [] } }],
    ['created_at not in (1,2)', { not: { in: { created_at: [1, 2] } } }],
    [
      'tags any (name = 7 or id = x)',
      { any: { tags: { or: [{ eq: { name: 7 } }, { eq: { id: 'x' } }] } } },
    ],
    // "and" binds tighter than "or", "not" tighter than both.
    [
      'open=true or name=a and not name=b',
      {
        or: [
          { eq: { open: true } },
          { and: [{ eq: { name: 'a' } }, { not: { eq: { name: 'b' } } }] },
        ],
      },
    ],
    [
      '(open=true or name=a) and name=b',
      { and: [{ or: [{ eq: { open: true } }, { eq: { name: 'a' } }] }, { eq: { name: 'b' } }] },
    ],
    ['not (not name = a)', { not: { not: { eq: { name: 'a' } } } }],
    ["name = o'brien", { eq: { name: "o'brien" } }],
    ["name = 'o\\'brien \\u00e9\\n'", { eq: { name: "o'brien é\n" } }],
    ['name = hello!', { eq: { name: 'hello!' } }],
    ['"and" = 1', { eq: { and: 1 } }],
    ['name = "and"', { eq: { name: 'and' } }],
    ['like like like', { like: { like: 'like' } }],
  ];
  for (const [text, filter] of rows)
    test(`${text} → ${JSON.stringify(filter)}`, () => {
      assert.deepEqual(compileWhere(text, TYPES), filter);
    });
});

describe('an expression that is wrong says where and why', () => {
  const rows: readonly (readonly [string, number, RegExp])[] = [
    ['', 0, /expected a field, "not" or "\(", got nothing more/],
    ['email', 5, /expected an operator after "email", got nothing more/],
    ['email lik x', 6, /got "lik"; did you mean "like"\?/],
    ['email wibble x', 6, /there are =, !=, >/],
    ['email =', 7, /expected a value, got nothing more/],
    ['email = a b', 10, /quote texts that have spaces/],
    [
      'email = and open = true',
      8,
      /expected a value, got "and"; as a name or value it is written ""?/,
    ],
    ['email = (a)', 8, /expected a value, got "\("/],
    ['(email = a', 10, /expected "and", "or" or "\)", got nothing more/],
    ['email = a)', 9, /expected "and", "or" or the end, got "\)"/],
    ['email in a', 9, /expected "\(" after "in"/],
    ['email in (a', 11, /expected "," or "\)"/],
    ['email in (a,)', 12, /expected a value/],
    ['tags any x', 9, /expected "\(" after "any"/],
    ['email is 5', 9, /expected "null", got "5"/],
    ['email not = 5', 10, /expected an operator/],
    ['email not is null', 10, /expected an operator/],
    ["email = 'abc", 8, /no closing '/],
    ['email = "a\\x"', 10, /no escape/],
    ['email = "a"b', 11, /ends at its "/],
    ['created_at = 9007199254740993', 13, /beyond what a number holds/],
    ['created_at = 1e999', 13, /beyond what a number holds/],
    [`${'('.repeat(100_000)}a = 1`, 101, /nested too deep/],
    [`${'not '.repeat(100_000)}a = 1`, 404, /nested too deep/],
  ];
  for (const [text, at, problem] of rows)
    test(`${text.slice(0, 40)} at ${at}`, () => {
      const error = errorOf(text);
      assert.equal(error.at, at);
      assert.match(error.problem, problem);
    });

  test('with a caret below the place, whatever the width of what is before it', () => {
    const [line, caret] = errorOf('name = "日本" x').pointed().split('\n');
    assert.equal(line, '  name = "日本" x');
    assert.equal(caret, `  ${' '.repeat(14)}^`);
    assert.match(errorOf('name = "日本" x').message, /character 13:/);
  });

  test('with the surroundings of the place alone, where the expression is long', () => {
    const [line = '', caret = ''] = errorOf(`${'a = 1 and '.repeat(100)}b ${'x'.repeat(500)}`)
      .pointed()
      .split('\n');
    assert.ok(line.length < 110);
    assert.equal(line.charAt(caret.length - 1), 'x');
  });

  test('without what a terminal would obey', () => {
    assert.ok(!errorOf('a = 1 \u001b[2J').pointed().includes('\u001b'));
  });
});

describe('properties', () => {
  test('what is written in any way compiles to what was meant', () => {
    fc.assert(
      fc.property(filters, fc.infiniteStream(fc.nat(1_000_000)), (filter, numbers) => {
        const pick = <T>(choices: readonly [T, ...T[]]): T =>
          choices[Number(numbers.next().value) % choices.length] ?? choices[0];
        assert.deepEqual(compileWhere(written(filter, pick), new Map()), filter);
      }),
    );
  });

  test('any text compiles, or is told a place within it', () => {
    const piece = fc.constantFrom(
      'a',
      'and',
      'or',
      'not',
      '(',
      ')',
      '=',
      '!',
      '!=',
      '<',
      'in',
      'any',
      'is',
      'null',
      ',',
      '"',
      "'",
      '\\',
      ' ',
      'like',
      '5',
      '日',
      '\n',
      '%',
      '"x y"',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(text, (given) => {
        try {
          compileWhere(given, TYPES);
        } catch (error) {
          assert.ok(error instanceof WhereError, String(error));
          assert.ok(error.at >= 0 && error.at <= given.length);
          assert.match(error.pointed(), /\n +\^$/);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('what compiles with the types of an entity, the service takes', () => {
    const schema = searchSchemaOf(findKind('intercom').entities['contacts'] ?? assert.fail());
    assert.ok(schema !== undefined);
    const types = new Map(schema.fields.map(({ name, type }) => [name, type]));
    const word = fc.constantFrom('7', 'true', '%@acme.com', 'gold', '-1.5', '"a b"');
    const ofType = (wanted: string) =>
      fc.constantFrom(
        ...schema.fields.filter(({ type }) => type === wanted).map(({ name }) => name),
      );
    const condition = fc.oneof(
      fc.tuple(ofType('string'), fc.constantFrom('=', '!=', '>', '<=', 'like', 'keyword'), word),
      fc.tuple(ofType('integer'), fc.constantFrom('=', '!=', '>', '<='), fc.constantFrom('7', '0')),
      fc.tuple(ofType('boolean'), fc.constantFrom('=', '!='), fc.constantFrom('true', 'null')),
      fc.tuple(
        ofType('string'),
        fc.constant('in'),
        word.map((each) => `(${each}, null)`),
      ),
    );
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 5 }), (conditions) => {
        const text = conditions.map((each) => each.join(' ')).join(' or ');
        checkSearch(schema, { query: { filter: compileWhere(text, types) } });
      }),
    );
  });
});

function errorOf(text: string): WhereError {
  try {
    compileWhere(text, TYPES);
  } catch (error) {
    assert.ok(error instanceof WhereError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: `${text} compiles` });
}

/** Filters as the language can write them. */
const field = fc.oneof(
  fc.constantFrom('a', 'plan.name', 'and', 'x y', 'in', 'é', 'null', '5'),
  fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
);
const text = fc.oneof(fc.constantFrom('null', 'true', '5', '-1e3', 'a b', '', '%x%'), fc.string());
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
);
const value = fc.oneof(
  text,
  number.map((each) => (Object.is(each, -0) ? 0 : each)),
  fc.boolean(),
  fc.constant(null),
);
const { filters } = fc.letrec<{ filters: FilterJson }>((tie) => ({
  filters: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .tuple(fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'contains'), field, value)
      .map(([operator, name, operand]) => ({ [operator]: { [name]: operand } })),
    fc
      .tuple(fc.constantFrom('like', 'keyword', 'fuzzy'), field, text)
      .map(([operator, name, operand]) => ({ [operator]: { [name]: operand } })),
    fc.tuple(field, fc.array(value)).map(([name, values]) => ({ in: { [name]: values } })),
    fc.tuple(field, tie('filters')).map(([name, inner]) => ({ any: { [name]: inner } })),
    tie('filters').map((inner) => ({ not: inner })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filters'), { minLength: 2, maxLength: 4 }))
      .map(([operator, parts]) => ({ [operator]: parts })),
  ),
}));

type Pick = <T>(choices: readonly [T, ...T[]]) => T;

const SIGNS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  eq: ['=', '=='],
  neq: ['!=', '<>'],
  gt: ['>'],
  gte: ['>='],
  lt: ['<'],
  lte: ['<='],
};

/** One of the many ways to write a filter. */
function written(filter: FilterJson, pick: Pick): string {
  const [[operator, operand] = ['', undefined]] = Object.entries(filter);
  const space = pick([' ', '  ', '\n', '\t ']);
  const word = (each: string) => pick([each, each.toUpperCase()]);
  if (operator === 'and' || operator === 'or')
    // Everything that is not a condition stands in parentheses, which "and" does not always need.
    return (operand as FilterJson[])
      .map((part) => inParentheses(part, pick, operator === 'or' ? ['or'] : ['and', 'or']))
      .join(space + word(operator) + space);
  if (operator === 'not')
    return `${word('not')}${space}${inParentheses(operand as FilterJson, pick, ['and', 'or'])}`;
  const [[name, given] = ['', undefined]] = Object.entries(operand as FilterJson);
  const left = quotedOr(name, pick);
  if (operator === 'any') return `${left} ${word('any')} (${written(given as FilterJson, pick)})`;
  if (operator === 'in')
    return `${left} ${word('in')} (${(given as unknown[]).map((each) => writtenValue(each, pick)).join(pick([',', ' , ']))})`;
  const sign = SIGNS[operator];
  if (sign === undefined && operator !== 'contains')
    return `${left} ${word(operator)} ${quotedOr(given as string, pick)}`;
  if (given === null && (operator === 'eq' || operator === 'neq') && pick([true, false]))
    return `${left} ${word('is')} ${operator === 'eq' ? '' : word('not')} ${word('null')}`;
  return `${left} ${sign === undefined ? word('contains') : pick(sign)} ${writtenValue(given, pick)}`;
}

function inParentheses(filter: FilterJson, pick: Pick, operators: readonly string[]): string {
  const needs = Object.keys(filter).some((each) => operators.includes(each));
  return needs || pick([true, false]) ? `(${written(filter, pick)})` : written(filter, pick);
}

function writtenValue(given: unknown, pick: Pick): string {
  // A bare word is a text only where it does not look like anything else.
  if (typeof given === 'string') return quoted(given, pick);
  return JSON.stringify(given);
}

function quotedOr(given: string, pick: Pick): string {
  const isPlain = /^[\p{L}\p{N}._%-]+$/u.test(given) && !/^(and|or|not)$/i.test(given);
  return isPlain && pick([true, false]) ? given : quoted(given, pick);
}

function quoted(given: string, pick: Pick): string {
  const json = JSON.stringify(given);
  if (pick([true, false])) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
