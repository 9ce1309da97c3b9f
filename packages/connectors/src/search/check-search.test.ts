import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import {
  arbitraryBrokenSearch,
  arbitraryFilter,
  arbitrarySearchParams,
} from '../../test/support/arbitrary-search.ts';
import { searchedThings } from '../../test/support/searched-things.ts';
import { faultsOf, isConnectorError, type ConnectorError, type Fault } from '../errors.ts';
import { canonicalText } from './canonical-text.ts';
import { checkSearch } from './check-search.ts';
import type { Search } from './filter.ts';
import { searchSchemaOf } from './search-schema.ts';

const schema = searchSchemaOf(searchedThings);
assert.ok(schema);

function refusalOf(params: unknown): ConnectorError {
  try {
    checkSearch(schema as NonNullable<typeof schema>, params);
  } catch (error) {
    if (isConnectorError(error)) return error;
    throw error;
  }
  return assert.fail('nothing was wrong');
}

const check = (params: unknown): Search => checkSearch(schema, params);
const checkFilter = (filter: unknown) => check({ query: { filter } }).filter;

const textOf = (query: unknown, others = {}) => canonicalText(check({ query, ...others }));

function withoutMessage(fault: Fault): Omit<Fault, 'message'> {
  const { message: _, ...others } = fault;
  return others;
}

const FIELDS = 'id, name, note, size, weight, is_open, is_red, profile, address, tags, parts, rank';
const OPERATORS =
  'and, or, not, eq, neq, gt, gte, lt, lte, in, like, keyword, fuzzy, contains, any';
const INTEGER = 'an integer from -9007199254740991 to 9007199254740991';
const CONDITIONS_ALLOWED = 'an object of fields and values, or an array of {"path":…,"value":…}';
const PATH_ALLOWED = 'a dotted path, or an array of path segments, at least one';
const WORDS_ALLOWED = 'at most 64 words in keyword and fuzzy together, repetitions counted';
const COUNTED =
  'id, name, note, size, weight, is_open, is_red, tags, parts, rank, and paths below profile, address';
const OF_OBJECT = 'eq, neq, in, like, keyword, fuzzy';
const OF_ARRAY = `${OF_OBJECT}, contains, any`;

interface Expected {
  readonly at: string;
  readonly code: Fault['errorCode'];
  readonly allowed: string;
  readonly nearest?: string;
}

function nested(depth: number, inner: unknown): unknown {
  return depth === 0 ? inner : { not: nested(depth - 1, inner) };
}

describe('a malformed filter', () => {
  const rows: readonly (readonly [filter: unknown, expected: Expected])[] = [
    // Not a filter at all.
    [[], { at: '', code: 'wrong_type', allowed: 'a filter, an object' }],
    ['name', { at: '', code: 'wrong_type', allowed: 'a filter, an object' }],
    // Operators.
    [{ eqq: {} }, { at: '.eqq', code: 'unknown', allowed: OPERATORS, nearest: 'eq' }],
    [{ EQ: {} }, { at: '.EQ', code: 'unknown', allowed: OPERATORS, nearest: 'eq' }],
    [{ kyeword: {} }, { at: '.kyeword', code: 'unknown', allowed: OPERATORS, nearest: 'keyword' }],
    [{ startsWith: {} }, { at: '.startsWith', code: 'unknown', allowed: OPERATORS }],
    [{ name: 'x' }, { at: '.name', code: 'unknown', allowed: OPERATORS }],
    [
      { __proto__: null, constructor: {} },
      { at: '.constructor', code: 'unknown', allowed: OPERATORS },
    ],
    // What operators take.
    [{ eq: 1 }, { at: '.eq', code: 'wrong_type', allowed: CONDITIONS_ALLOWED }],
    [
      { eq: [1] },
      { at: '.eq.0', code: 'wrong_type', allowed: 'a condition: {"path":…,"value":…}' },
    ],
    [
      { eq: [{ path: 'name' }] },
      { at: '.eq.0.value', code: 'missing', allowed: 'what the operator takes' },
    ],
    [{ in: [{ value: [] }] }, { at: '.in.0.path', code: 'missing', allowed: PATH_ALLOWED }],
    [
      { in: [{ path: 'name', values: [], value: [] }] },
      { at: '.in.0.values', code: 'unknown', allowed: 'path, value', nearest: 'value' },
    ],
    [
      { eq: [{ path: [], value: 1 }] },
      { at: '.eq.0.path', code: 'wrong_type', allowed: PATH_ALLOWED },
    ],
    [
      { eq: [{ path: ['profile', 1], value: 1 }] },
      { at: '.eq.0.path.1', code: 'wrong_type', allowed: 'a string' },
    ],
    [
      {
        eq: [
          { path: ['profile', 'a'], value: 1 },
          { path: ['profle', 'a.b'], value: 1 },
        ],
      },
      { at: '.eq.1.path', code: 'unknown', allowed: FIELDS, nearest: 'profile.a.b' },
    ],
    [
      { gt: [{ path: ['is_open'], value: 1 }] },
      { at: '.gt.0.path', code: 'not_allowed', allowed: OF_OBJECT },
    ],
    [
      { gt: [{ path: ['size'], value: 'x' }] },
      { at: '.gt.0.value', code: 'wrong_type', allowed: INTEGER },
    ],
    [
      { in: [{ path: ['size'], value: [1, 'x'] }] },
      { at: '.in.0.value.1', code: 'wrong_type', allowed: `${INTEGER} or null` },
    ],
    [
      { any: [{ path: ['parts'], value: { eqq: {} } }] },
      { at: '.any.0.value.eqq', code: 'unknown', allowed: OPERATORS, nearest: 'eq' },
    ],
    [{ eq: null }, { at: '.eq', code: 'wrong_type', allowed: CONDITIONS_ALLOWED }],
    [{ like: 'x' }, { at: '.like', code: 'wrong_type', allowed: CONDITIONS_ALLOWED }],
    [{ and: {} }, { at: '.and', code: 'wrong_type', allowed: 'an array of filters' }],
    [{ or: null }, { at: '.or', code: 'wrong_type', allowed: 'an array of filters' }],
    [
      { and: [{}, 7] },
      { at: '.and.1', code: 'wrong_type', allowed: 'a filter: an object whose keys are operators' },
    ],
    [
      { not: [] },
      { at: '.not', code: 'wrong_type', allowed: 'a filter: an object whose keys are operators' },
    ],
    [
      { any: { parts: 7 } },
      {
        at: '.any.parts',
        code: 'wrong_type',
        allowed: 'a filter: an object whose keys are operators',
      },
    ],
    [
      { any: { parts: { eqq: { name: 1 } } } },
      { at: '.any.parts.eqq', code: 'unknown', allowed: OPERATORS, nearest: 'eq' },
    ],
    [
      { or: [{ not: { any: { parts: { any: { x: { in: { y: 1 } } } } } } }] },
      {
        at: '.or.0.not.any.parts.any.x.in.y',
        code: 'wrong_type',
        allowed: 'an array of at most 1,000 values',
      },
    ],
    // Fields.
    [{ eq: { naem: 'x' } }, { at: '.eq.naem', code: 'unknown', allowed: FIELDS, nearest: 'name' }],
    [{ eq: { Name: 'x' } }, { at: '.eq.Name', code: 'unknown', allowed: FIELDS, nearest: 'name' }],
    [{ eq: { zzzzzz: 'x' } }, { at: '.eq.zzzzzz', code: 'unknown', allowed: FIELDS }],
    [{ eq: { '': 'x' } }, { at: '.eq.', code: 'unknown', allowed: FIELDS }],
    [{ eq: { constructor: 'x' } }, { at: '.eq.constructor', code: 'unknown', allowed: FIELDS }],
    [
      { eq: { 'profle.plan.id': 'x' } },
      { at: '.eq.profle.plan.id', code: 'unknown', allowed: FIELDS, nearest: 'profile.plan.id' },
    ],
    [
      { eq: { 'name.first': 'x' } },
      { at: '.eq.name.first', code: 'unknown', allowed: 'profile, address', nearest: 'name' },
    ],
    [
      { any: { 'parts.0': {} } },
      { at: '.any.parts.0', code: 'unknown', allowed: 'profile, address', nearest: 'parts' },
    ],
    [
      { eq: { [`profile${'.a'.repeat(100)}`]: 1 } },
      {
        at: `.eq.profile${'.a'.repeat(100)}`,
        code: 'out_of_range',
        allowed: 'at most 100 segments',
      },
    ],
    [
      { any: { parts: { eq: { ['.'.repeat(100)]: 1 } } } },
      {
        at: `.any.parts.eq.${'.'.repeat(100)}`,
        code: 'out_of_range',
        allowed: 'at most 100 segments',
      },
    ],
    // Operators that make no sense of a field.
    [{ gt: { profile: 1 } }, { at: '.gt.profile', code: 'not_allowed', allowed: OF_OBJECT }],
    [{ lte: { tags: 'a' } }, { at: '.lte.tags', code: 'not_allowed', allowed: OF_ARRAY }],
    [{ gte: { is_open: true } }, { at: '.gte.is_open', code: 'not_allowed', allowed: OF_OBJECT }],
    [
      { contains: { profile: 1 } },
      { at: '.contains.profile', code: 'not_allowed', allowed: OF_OBJECT },
    ],
    [
      { contains: { name: 'a' } },
      {
        at: '.contains.name',
        code: 'not_allowed',
        allowed: 'eq, neq, gt, gte, lt, lte, in, like, keyword, fuzzy',
      },
    ],
    [{ any: { address: {} } }, { at: '.any.address', code: 'not_allowed', allowed: OF_OBJECT }],
    // Operands.
    [{ eq: { name: 1 } }, { at: '.eq.name', code: 'wrong_type', allowed: 'a string or null' }],
    [{ neq: { name: true } }, { at: '.neq.name', code: 'wrong_type', allowed: 'a string or null' }],
    [
      { eq: { name: { gt: 1 } } },
      { at: '.eq.name', code: 'wrong_type', allowed: 'a string or null' },
    ],
    [{ eq: { size: '1' } }, { at: '.eq.size', code: 'wrong_type', allowed: `${INTEGER} or null` }],
    [{ eq: { size: 1.5 } }, { at: '.eq.size', code: 'wrong_type', allowed: `${INTEGER} or null` }],
    [
      { eq: { size: 2 ** 53 } },
      { at: '.eq.size', code: 'out_of_range', allowed: `${INTEGER} or null` },
    ],
    [{ gt: { size: '1' } }, { at: '.gt.size', code: 'wrong_type', allowed: INTEGER }],
    [{ gt: { size: null } }, { at: '.gt.size', code: 'wrong_type', allowed: INTEGER }],
    [{ lt: { size: -(2 ** 53) } }, { at: '.lt.size', code: 'out_of_range', allowed: INTEGER }],
    [{ lt: { name: 1 } }, { at: '.lt.name', code: 'wrong_type', allowed: 'a string' }],
    [{ lt: { weight: '1' } }, { at: '.lt.weight', code: 'wrong_type', allowed: 'a number' }],
    [
      { eq: { weight: '1' } },
      { at: '.eq.weight', code: 'wrong_type', allowed: 'a number or null' },
    ],
    [
      { eq: { weight: JSON.parse('1e999') as unknown } },
      { at: '.eq.weight', code: 'out_of_range', allowed: 'a number or null' },
    ],
    [
      { eq: { 'profile.a': JSON.parse('1e999') as unknown } },
      { at: '.eq.profile.a', code: 'out_of_range', allowed: 'a JSON value' },
    ],
    [
      { eq: { profile: { a: [JSON.parse('1e999') as unknown] } } },
      { at: '.eq.profile', code: 'out_of_range', allowed: 'a JSON value' },
    ],
    [
      { eq: { is_open: 'true' } },
      { at: '.eq.is_open', code: 'wrong_type', allowed: 'true, false or null' },
    ],
    [
      { eq: { tags: 'a' } },
      {
        at: '.eq.tags',
        code: 'wrong_type',
        allowed: 'an array (contains looks for an element) or null',
      },
    ],
    [
      { gt: { 'profile.a': null } },
      { at: '.gt.profile.a', code: 'wrong_type', allowed: 'a number or a string' },
    ],
    [
      { any: { parts: { lte: { n: {} } } } },
      { at: '.any.parts.lte.n', code: 'wrong_type', allowed: 'a number or a string' },
    ],
    [
      { like: { name: 1 } },
      { at: '.like.name', code: 'wrong_type', allowed: 'a string of at most 1,000 characters' },
    ],
    [
      { like: { name: null } },
      { at: '.like.name', code: 'wrong_type', allowed: 'a string of at most 1,000 characters' },
    ],
    [
      { like: { name: '🙂'.repeat(1_001) } },
      { at: '.like.name', code: 'out_of_range', allowed: 'a string of at most 1,000 characters' },
    ],
    [{ keyword: { size: 1 } }, { at: '.keyword.size', code: 'wrong_type', allowed: 'a string' }],
    [{ fuzzy: { name: ['a'] } }, { at: '.fuzzy.name', code: 'wrong_type', allowed: 'a string' }],
    [
      { contains: { tags: {} } },
      {
        at: '.contains.tags',
        code: 'wrong_type',
        allowed: 'a string, a number, true, false or null',
      },
    ],
    [
      { in: { size: 1 } },
      { at: '.in.size', code: 'wrong_type', allowed: 'an array of at most 1,000 values' },
    ],
    [
      { in: { size: [1, null, '2'] } },
      { at: '.in.size.2', code: 'wrong_type', allowed: `${INTEGER} or null` },
    ],
    [
      { in: { size: Array.from({ length: 1_001 }, () => 1) } },
      { at: '.in.size', code: 'out_of_range', allowed: 'an array of at most 1,000 values' },
    ],
    // Sizes.
    [
      { fuzzy: { name: 'ada '.repeat(65) } },
      { at: '.fuzzy.name', code: 'out_of_range', allowed: WORDS_ALLOWED },
    ],
    [
      {
        not: { fuzzy: { name: 'ada '.repeat(40) } },
        like: { name: 'ada '.repeat(100) },
        any: { parts: { keyword: { 'a.b': 'ada '.repeat(25) } } },
        keyword: { name: 'ada' },
      },
      { at: '.any.parts.keyword.a.b', code: 'out_of_range', allowed: WORDS_ALLOWED },
    ],
    [
      nested(21, { eq: { name: 'a' } }),
      {
        at: '.not'.repeat(21),
        code: 'out_of_range',
        allowed: 'at most 20 levels of and, or, not and any',
      },
    ],
    [
      { or: Array.from({ length: 201 }, () => ({ eq: { name: 'a' } })) },
      { at: '', code: 'out_of_range', allowed: 'at most 200 conditions' },
    ],
    [
      { or: Array.from({ length: 201 }, () => ({})) },
      { at: '', code: 'out_of_range', allowed: 'at most 200 conditions' },
    ],
    [
      { any: { parts: { eq: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [n, 1])) } } },
      { at: '', code: 'out_of_range', allowed: 'at most 200 conditions' },
    ],
  ];
  for (const [filter, { at, code, allowed, nearest }] of rows) {
    const shown = JSON.stringify(filter);
    test(`${shown.slice(0, 100)} has its fault at filter${at.slice(0, 100)}`, () => {
      const error = refusalOf({ query: { filter } });
      assert.equal(error.code, 'invalid_query');
      assert.deepEqual(faultsOf(error).map(withoutMessage), [
        {
          field: `params.query.filter${at}`,
          errorCode: code,
          allowed,
          ...(nearest === undefined ? {} : { didYouMean: nearest }),
        },
      ]);
    });
  }

  test('says what it has found, and what would work', () => {
    const messages = faultsOf(
      refusalOf({
        query: {
          filter: { eq: { naem: 'x' }, gt: { profile: 1, size: 'ten' }, name: 'x', eqq: {} },
        },
      }),
    ).map(({ message }) => message);
    assert.deepEqual(messages, [
      'is no searchable field of things; did you mean "name"?',
      `does not work with "profile", of type object, which takes ${OF_OBJECT}; a path below it takes gt, too`,
      `must be ${INTEGER}, got "ten"`,
      'is no operator; fields stand inside an operator, as in {"eq":{"name":"…"}}',
      'is no operator; did you mean "eq"?',
    ]);
  });
});

describe('malformed params', () => {
  const ASC = 'asc, desc';
  const SCALARS = 'id, name, note, size, weight, is_open, is_red, rank';
  const rows: readonly (readonly [
    params: unknown,
    code: 'invalid_query' | 'invalid_params',
    expected: Omit<Expected, 'allowed'> & { readonly allowed?: string },
  ])[] = [
    [
      undefined,
      'invalid_query',
      { at: 'params.query', code: 'missing', allowed: 'an object (it may be empty)' },
    ],
    [
      { query: null },
      'invalid_query',
      { at: 'params.query', code: 'missing', allowed: 'an object (it may be empty)' },
    ],
    [
      { query: 'ada' },
      'invalid_query',
      { at: 'params.query', code: 'wrong_type', allowed: 'an object (it may be empty)' },
    ],
    [[], 'invalid_params', { at: 'params', code: 'wrong_type' }],
    [
      { query: {}, limt: 5 },
      'invalid_params',
      {
        at: 'params.limt',
        code: 'unknown',
        allowed:
          'query, limit, cursor, fields, count, facets, timeout_ms, allow_partial, freshness',
        nearest: 'limit',
      },
    ],
    [
      { query: {}, fieldset: [] },
      'invalid_params',
      {
        at: 'params.fieldset',
        code: 'unknown',
        allowed:
          'query, limit, cursor, fields, count, facets, timeout_ms, allow_partial, freshness',
        nearest: 'fields',
      },
    ],
    ...[0, 10_001].map(
      (limit) =>
        [
          { query: {}, limit },
          'invalid_params',
          { at: 'params.limit', code: 'out_of_range', allowed: 'an integer from 1 to 10000' },
        ] as const,
    ),
    [
      { query: {}, limit: '5.0' },
      'invalid_params',
      { at: 'params.limit', code: 'wrong_type', allowed: 'an integer from 1 to 10000' },
    ],
    [
      { query: {}, cursor: 5 },
      'invalid_params',
      { at: 'params.cursor', code: 'wrong_type', allowed: 'a string' },
    ],
    ...[0, 300_001].map(
      (timeout_ms) =>
        [
          { query: {}, timeout_ms },
          'invalid_params',
          {
            at: 'params.timeout_ms',
            code: 'out_of_range',
            allowed: 'an integer from 1 to 300000',
          },
        ] as const,
    ),
    [
      { query: {}, allow_partial: 1 },
      'invalid_params',
      { at: 'params.allow_partial', code: 'wrong_type', allowed: 'true or false' },
    ],
    [
      { query: {}, freshness: 'yes' },
      'invalid_params',
      { at: 'params.freshness', code: 'wrong_type', allowed: 'true or false' },
    ],
    [
      { query: { filters: {} } },
      'invalid_query',
      { at: 'params.query.filters', code: 'unknown', allowed: 'filter, sort', nearest: 'filter' },
    ],
    [
      { query: { eq: { name: 'x' } } },
      'invalid_query',
      { at: 'params.query.eq', code: 'unknown', allowed: 'filter, sort', nearest: 'filter.eq' },
    ],
    [
      { query: { sort: { name: 'asc' } } },
      'invalid_query',
      { at: 'params.query.sort', code: 'wrong_type', allowed: 'an array' },
    ],
    [
      { query: { sort: ['name'] } },
      'invalid_query',
      { at: 'params.query.sort.0', code: 'wrong_type', allowed: '{"<field>": "asc" or "desc"}' },
    ],
    [
      { query: { sort: [{ name: 'asc', size: 'asc' }] } },
      'invalid_query',
      { at: 'params.query.sort.0', code: 'wrong_type', allowed: '{"<field>": "asc" or "desc"}' },
    ],
    [
      { query: { sort: [{}] } },
      'invalid_query',
      { at: 'params.query.sort.0', code: 'wrong_type', allowed: '{"<field>": "asc" or "desc"}' },
    ],
    [
      { query: { sort: [{ name: 'ASC' }] } },
      'invalid_query',
      { at: 'params.query.sort.0.name', code: 'not_allowed', allowed: ASC, nearest: 'asc' },
    ],
    [
      { query: { sort: [{ name: 1 }] } },
      'invalid_query',
      { at: 'params.query.sort.0.name', code: 'not_allowed', allowed: ASC },
    ],
    [
      { query: { sort: [{ field: 'name' }] } },
      'invalid_query',
      { at: 'params.query.sort.0.order', code: 'missing', allowed: ASC },
    ],
    [
      { query: { sort: [{ field: 'naem', order: 'asc' }] } },
      'invalid_query',
      { at: 'params.query.sort.0.field', code: 'unknown', allowed: SCALARS, nearest: 'name' },
    ],
    [
      { query: { sort: [{ field: 7, order: 'asc' }] } },
      'invalid_query',
      { at: 'params.query.sort.0.field', code: 'wrong_type', allowed: SCALARS },
    ],
    [
      { query: { sort: [{ size: 'asc' }, { naem: 'asc' }] } },
      'invalid_query',
      { at: 'params.query.sort.1.naem', code: 'unknown', allowed: SCALARS, nearest: 'name' },
    ],
    ...['profile', 'tags', 'profile.plan'].map(
      (name) =>
        [
          { query: { sort: [{ [name]: 'asc' }] } },
          'invalid_query',
          { at: `params.query.sort.0.${name}`, code: 'not_allowed', allowed: SCALARS },
        ] as const,
    ),
    [
      { query: { sort: [{ name: 'asc' }, { field: 'name', order: 'desc' }] } },
      'invalid_query',
      { at: 'params.query.sort.1', code: 'conflict', allowed: 'each field once' },
    ],
    [
      { query: {}, fields: 'name' },
      'invalid_query',
      {
        at: 'params.fields',
        code: 'wrong_type',
        allowed: 'an array of at most 1000 field paths',
      },
    ],
    [
      { query: {}, fields: ['name', 'nmae'] },
      'invalid_query',
      { at: 'params.fields.1', code: 'unknown', allowed: FIELDS, nearest: 'name' },
    ],
    [
      { query: {}, fields: [['profile.plan']] },
      'invalid_query',
      { at: 'params.fields.0', code: 'unknown', allowed: FIELDS },
    ],
    [
      { query: {}, fields: ['tags.0'] },
      'invalid_query',
      { at: 'params.fields.0', code: 'unknown', allowed: 'profile, address', nearest: 'tags' },
    ],
    [
      { query: {}, fields: [['profile', 7]] },
      'invalid_query',
      { at: 'params.fields.0.1', code: 'wrong_type', allowed: 'a string' },
    ],
    ...[[], 7, null].map(
      (entry) =>
        [
          { query: {}, fields: [entry] },
          'invalid_query',
          {
            at: 'params.fields.0',
            code: 'wrong_type',
            allowed: 'a dotted path, or an array of path segments, at least one',
          },
        ] as const,
    ),
    [
      { query: {}, count: 'yes' },
      'invalid_params',
      { at: 'params.count', code: 'wrong_type', allowed: 'true or false' },
    ],
    [
      { query: {}, facets: 'name' },
      'invalid_query',
      { at: 'params.facets', code: 'wrong_type', allowed: 'an array of at most 10 field paths' },
    ],
    [
      { query: {}, facets: Array.from({ length: 11 }, (_, index) => `profile.p${index}`) },
      'invalid_query',
      { at: 'params.facets', code: 'out_of_range', allowed: 'an array of at most 10 field paths' },
    ],
    [
      { query: {}, facets: ['name', 'nmae'] },
      'invalid_query',
      { at: 'params.facets.1', code: 'unknown', allowed: COUNTED, nearest: 'name' },
    ],
    [
      { query: {}, facets: ['profile'] },
      'invalid_query',
      { at: 'params.facets.0', code: 'not_allowed', allowed: COUNTED },
    ],
    [
      { query: {}, facets: ['tags.0'] },
      'invalid_query',
      { at: 'params.facets.0', code: 'unknown', allowed: COUNTED, nearest: 'tags' },
    ],
    [
      { query: {}, facets: [['profile', 7]] },
      'invalid_query',
      { at: 'params.facets.0.1', code: 'wrong_type', allowed: 'a string' },
    ],
    [
      { query: {}, facets: ['size', 'profile.a.b', ['profile', 'a.b']] },
      'invalid_query',
      { at: 'params.facets.2', code: 'conflict', allowed: 'each name once' },
    ],
  ];
  for (const [params, code, { at, code: errorCode, allowed, nearest }] of rows)
    test(`${JSON.stringify(params)} have their fault at ${at}`, () => {
      const error = refusalOf(params);
      assert.equal(error.code, code);
      assert.equal(error.details.action, 'search');
      assert.deepEqual(faultsOf(error).map(withoutMessage), [
        {
          field: at,
          errorCode,
          ...(allowed === undefined ? {} : { allowed }),
          ...(nearest === undefined ? {} : { didYouMean: nearest }),
        },
      ]);
    });

  test('have all their faults told at once, and are no mere matter of the query', () => {
    const error = refusalOf({
      query: { filter: { eq: { a: 1, size: 'x' }, nope: {} }, sort: [{ b: 'asc' }], more: 1 },
      limit: 0,
      fields: ['c'],
      facets: ['d'],
    });
    assert.equal(error.code, 'invalid_params');
    assert.deepEqual(
      faultsOf(error).map(({ field }) => field.slice('params.'.length)),
      [
        'limit',
        'query.more',
        'query.filter.eq.a',
        'query.filter.eq.size',
        'query.filter.nope',
        'query.sort.0.b',
        'fields.0',
        'facets.0',
      ],
    );
    for (const { field, message } of faultsOf(error))
      assert.ok(error.message.includes(`${field} ${message}`));
  });

  test('have at most 100 faults told, however many there are', () => {
    const error = refusalOf({
      query: { filter: { in: { size: Array.from({ length: 1_000 }, () => 'x') } } },
    });
    assert.equal(faultsOf(error).length, 100);
    assert.match(error.message, /; and 90 more at least$/);
  });
});

describe('the checked search', () => {
  test('of an empty query finds everything, 1,000 at a time', () => {
    const everything: Search = {
      filter: { operator: 'and', filters: [] },
      sort: [],
      limit: 1_000,
      cursor: undefined,
      fields: undefined,
      count: false,
      facets: [],
      timeoutMs: undefined,
      allowsPartial: false,
      tellsFreshness: false,
    };
    assert.deepEqual(check({ query: {} }), everything);
    const nothing = { limit: null, cursor: null, fields: null, timeout_ms: null };
    assert.deepEqual(
      check({
        query: { filter: null, sort: null },
        ...nothing,
        count: null,
        facets: null,
        allow_partial: null,
        freshness: null,
      }),
      everything,
    );
    assert.deepEqual(check({ query: { filter: {}, sort: [] }, fields: [] }), everything);
    assert.deepEqual(check({ query: { filter: { eq: undefined } } }), everything);
  });

  test('has the time it may take, and whether a part of the hits will do', () => {
    const { timeoutMs, allowsPartial } = check({
      query: {},
      timeout_ms: 300_000,
      allow_partial: true,
    });
    assert.deepEqual([timeoutMs, allowsPartial], [300_000, true]);
    assert.equal(check({ query: {}, allow_partial: false }).allowsPartial, false);
    assert.equal(check({ query: {}, freshness: true }).tellsFreshness, true);
  });

  test('has the paths, the type of whole fields, and neq as not eq', () => {
    assert.deepEqual(checkFilter({ neq: { 'profile.a..b': 1 } }), {
      operator: 'not',
      filter: {
        operator: 'eq',
        path: { segments: ['profile', 'a', '', 'b'], type: undefined },
        value: 1,
      },
    });
    assert.deepEqual(checkFilter({ any: { parts: { like: { 'a.b': 'X%' } } } }), {
      operator: 'any',
      path: { segments: ['parts'], type: 'array' },
      filter: {
        operator: 'like',
        path: { segments: ['a', 'b'], type: undefined },
        pattern: 'X%',
      },
    });
  });

  test('has distinct words in the order of the query', () => {
    const path = { segments: ['name'], type: 'string' };
    assert.deepEqual(checkFilter({ fuzzy: { name: 'Über ada UBER, 7' } }), {
      operator: 'fuzzy',
      path,
      words: ['uber', 'ada', '7'],
    });
    assert.deepEqual(checkFilter({ keyword: { name: '!?' } }), {
      operator: 'keyword',
      path,
      words: [],
    });
  });

  test('has well-formed operands, patterns and names', () => {
    const { filter, fields } = check({
      query: { filter: { eq: { 'profile.\0': { '\ud800': '\0' } }, like: { name: '\0%' } } },
      fields: ['profile.\0', ['profile', '\ud800.']],
    });
    assert.equal(JSON.stringify([filter, fields]).includes('\\u'), false);
    assert.deepEqual(fields, [
      ['profile', '\uFFFD'],
      ['profile', '\uFFFD.'],
    ]);
  });

  test('has sort entries of both shapes', () => {
    assert.deepEqual(
      check({ query: { sort: [{ name: 'desc' }, { field: 'size', order: 'asc' }] } }).sort,
      [
        { field: 'name', order: 'desc' },
        { field: 'size', order: 'asc' },
      ],
    );
  });

  test('says how many words were too many', () => {
    assert.throws(
      () => checkFilter({ fuzzy: { name: 'ada '.repeat(60) }, keyword: { name: 'a b c d e' } }),
      /params\.query\.filter\.keyword\.name.* at most 64 words .* got 65/,
    );
  });

  test('may be 20 levels deep, have 200 conditions, 1,000 values and 64 words', () => {
    checkFilter({ fuzzy: { name: 'ada '.repeat(32) }, keyword: { name: 'ada '.repeat(32) } });
    checkFilter(nested(20, { eq: { name: 'a' } }));
    checkFilter({ or: Array.from({ length: 200 }, () => ({ eq: { name: 'a' } })) });
    checkFilter({ in: { size: Array.from({ length: 1_000 }, () => 1) } });
    assert.equal(check({ query: {}, limit: 10_000 }).limit, 10_000);
    const inDigits = check({ query: {}, limit: '5', timeout_ms: '2000' });
    assert.deepEqual([inDigits.limit, inDigits.timeoutMs], [5, 2_000]);
  });

  test('comes of every valid params, and of no broken ones', () => {
    fc.assert(
      fc.property(arbitrarySearchParams(schema), (params) => {
        check(params);
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(arbitraryBrokenSearch(schema), ({ params, at }) => {
        const faults = faultsOf(refusalOf(params));
        assert.ok(
          faults.some(({ field }) => field === at),
          `${at} is not among ${faults.map(({ field }) => field).join(', ')}`,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('comes of no params at all that are not checked', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (params) => {
        try {
          check(params);
        } catch (error) {
          assert.ok(
            isConnectorError(error, 'invalid_query') || isConnectorError(error, 'invalid_params'),
          );
        }
      }),
    );
  });
});

describe('the canonical text', () => {
  test('is the same for all orders of keys, and for all ways to sort', () => {
    assert.equal(
      textOf({
        filter: { eq: { name: 'a', profile: { x: 1, y: [{ b: 1, a: 2 }] } }, like: { note: 'n' } },
        sort: [{ name: 'asc' }],
      }),
      textOf({
        sort: [{ order: 'asc', field: 'name' }],
        filter: { like: { note: 'n' }, eq: { profile: { y: [{ a: 2, b: 1 }], x: 1 }, name: 'a' } },
      }),
    );
    assert.equal(textOf({}), textOf({ filter: {}, sort: null }));
  });

  test('tells nothing of page size, cursor, fields and what is counted', () => {
    assert.equal(
      textOf({}),
      textOf({}, { limit: 5, cursor: 'x', fields: ['name'], count: true, facets: ['size'] }),
    );
  });

  const filters: readonly unknown[] = [
    {},
    { or: [] },
    { eq: { name: 'a' } },
    { eq: { note: 'a' } },
    { neq: { name: 'a' } },
    { like: { name: 'a' } },
    { eq: { 'profile.a.b': 'a' } },
    { eq: { 'profile.a': { b: 'a' } } },
    { eq: { 'profile.a': [1, 2] } },
    { eq: { 'profile.a': [2, 1] } },
    { eq: { 'profile.a': null } },
    { eq: { 'profile.a': 'null' } },
    { eq: { 'profile.a': '1' } },
    { eq: { 'profile.a': 1 } },
  ];
  test('differs where the meaning does', () => {
    const texts = filters.map((filter) => textOf({ filter }));
    assert.equal(new Set(texts).size, filters.length);
    assert.notEqual(textOf({ sort: [{ name: 'asc' }] }), textOf({ sort: [{ name: 'desc' }] }));
    assert.notEqual(textOf({ sort: [{ name: 'asc' }] }), textOf({}));
  });

  test('is the same whether paths are dotted or written out, alone or mixed', () => {
    const byName = { eq: { 'profile.a': 1, name: 'x' }, any: { parts: { like: { 'b.c': 'y' } } } };
    const listed = {
      any: [{ path: ['parts'], value: { like: [{ path: ['b', 'c'], value: 'y' }] } }],
      eq: [
        { path: ['profile', 'a'], value: 1 },
        { path: 'name', value: 'x' },
      ],
    };
    assert.equal(textOf({ filter: byName }), textOf({ filter: listed }));
    assert.notEqual(
      textOf({ filter: { eq: [{ path: ['profile', 'a.b'], value: 1 }] } }),
      textOf({ filter: { eq: { 'profile.a.b': 1 } } }),
    );
  });

  test('is the same for any filter with its paths written out', () => {
    const listed = (filter: unknown): unknown => {
      if (Array.isArray(filter)) return filter.map(listed);
      return Object.fromEntries(
        Object.entries(filter as object).map(([operator, inner]: [string, unknown]) => {
          if (['and', 'or', 'not'].includes(operator)) return [operator, listed(inner)];
          const entries = Array.isArray(inner)
            ? (inner as { path: readonly string[]; value: unknown }[])
            : Object.entries(inner as object).map(([name, value]: [string, unknown]) => ({
                path: name.split('.'),
                value,
              }));
          const deep = (value: unknown) => (operator === 'any' ? listed(value) : value);
          return [operator, entries.map(({ path, value }) => ({ path, value: deep(value) }))];
        }),
      );
    };
    fc.assert(
      fc.property(arbitraryFilter(schema), (filter) => {
        assert.equal(textOf({ filter: listed(filter) }), textOf({ filter }));
      }),
    );
  });

  test('is the same for any params with their keys reversed', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      const entries: (readonly [string, unknown])[] = Object.entries(value);
      return Object.fromEntries(entries.toReversed().map(([key, each]) => [key, reversed(each)]));
    };
    fc.assert(
      fc.property(arbitrarySearchParams(schema), (params) => {
        assert.equal(canonicalText(check(params)), canonicalText(check(reversed(params))));
      }),
    );
  });
});
