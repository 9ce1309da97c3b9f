import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { Compile } from 'typebox/schema';
import {
  arbitraryBrokenSearch,
  arbitrarySearchParams,
} from '../../test/support/arbitrary-search.ts';
import { searchedThings } from '../../test/support/searched-things.ts';
import { describeKind } from '../describe.ts';
import { isConnectorError } from '../errors.ts';
import { allKinds } from '../find-kind.ts';
import { checkSearch } from './check-search.ts';
import { SEARCH_PARAMS } from './search-params.ts';
import { searchParamsSchema } from './search-params-schema.ts';
import { searchSchemaOf, type SearchSchema } from './search-schema.ts';

const things = searchSchemaOf(searchedThings) ?? assert.fail();

/** Whether a search takes the params. */
function isTaken(schema: SearchSchema, params: unknown): boolean {
  try {
    checkSearch(schema, params);
    return true;
  } catch (error) {
    if (isConnectorError(error)) return false;
    throw error;
  }
}

function agrees(schema: SearchSchema, runs: number): void {
  const described = Compile(searchParamsSchema(schema));
  fc.assert(
    fc.property(arbitrarySearchParams(schema), (params) => {
      assert.ok(described.Check(params));
    }),
    { numRuns: runs },
  );
  // JSON Schema has no words for a field that is sorted by twice.
  const broken = arbitraryBrokenSearch(schema).filter(({ at }) => at !== 'params.query.sort.1');
  fc.assert(
    fc.property(broken, ({ params }) => assert.ok(!described.Check(params))),
    { numRuns: runs },
  );
}

const filter = (members: object) => ({ query: { filter: members } });
const any = (members: object) => filter({ any: { parts: members } });
const path = (segments: number) => ['profile', ...Array<string>(segments - 1).fill('a')];

describe('the JSON Schema of the params of a search', () => {
  test('takes the searches that are taken, and refuses those that are refused', () => {
    agrees(things, 1_000);
  });

  for (const [what, params] of [
    ['nothing', {}],
    ['everything', { query: {} }],
    ['a page', { query: {}, limit: 10_000, cursor: 'c', fields: [] }],
    [
      'absent members',
      { query: { filter: null, sort: null }, limit: null, cursor: null, fields: null },
    ],
    ['an absent query', { query: null }],
    ['a budget', { query: {}, timeout_ms: 300_000, allow_partial: true }],
    ['freshness of each hit', { query: {}, freshness: true }],
    ['too much time', { query: {}, timeout_ms: 300_001 }],
    ['a page too great', { query: {}, limit: 10_001 }],
    ['an unknown param', { query: {}, offset: 5 }],
    ['null for an integer', filter({ eq: { size: null } })],
    ['null to compare with', filter({ gt: { size: null } })],
    ['an array for an array', filter({ eq: { tags: ['a'] } })],
    ['an element of an array', filter({ contains: { tags: 'a' } })],
    ['an object in an array', filter({ contains: { tags: {} } })],
    ['a path below an object', filter({ eq: { 'address.city.': 'x' } })],
    ['a path below free form', filter({ gt: { 'profile.rank': 5 } })],
    ['an object to compare', filter({ gt: { profile: 5 } })],
    ['a path into an array', filter({ eq: { 'tags.0': 'a' } })],
    ['a path written out', filter({ eq: [{ path: ['profile', 'a.b'], value: { c: 1 } }] })],
    ['a dotted path in a list', filter({ like: [{ path: 'address.city', value: 'x' }] })],
    ['a list of none', filter({ in: [] })],
    ['a path without a value', filter({ eq: [{ path: ['name'] }] })],
    ['null in a list', filter({ eq: [{ path: ['name'], value: null }] })],
    ['a value of a wrong type in a list', filter({ gte: [{ path: ['size'], value: 'x' }] })],
    ['an operator that does not fit in a list', filter({ gt: [{ path: ['tags'], value: 1 }] })],
    ['segments below a text in a list', filter({ eq: [{ path: ['name', 'a'], value: 1 }] })],
    ['more in a list than there is', filter({ eq: [{ path: ['name'], value: 'a', at: 1 }] })],
    ['a list inside any', any({ eq: [{ path: ['a.b', ''], value: 1 }] })],
    ['the longest segments', filter({ eq: [{ path: path(100), value: 1 }] })],
    ['longer segments', filter({ eq: [{ path: path(101), value: 1 }] })],
    ['a longest path', filter({ eq: { [path(100).join('.')]: 1 } })],
    ['a longer path', filter({ eq: { [path(101).join('.')]: 1 } })],
    ['the longest path inside any', any({ eq: { [path(100).join('.')]: 1 } })],
    ['a longer path inside any', any({ eq: { [path(101).join('.')]: 1 } })],
    ['any inside any', any({ any: { 'a.b': { not: { like: { c: 'x%' } } } } })],
    ['an unknown operator inside any', any({ and: [{ is: { a: 1 } }] })],
    ['text for a text inside any', any({ fuzzy: { a: 5 } })],
    ['a sort by a number', { query: { sort: [{ size: 'desc' }, { name: 'asc' }] } }],
    ['a sort written out', { query: { sort: [{ field: 'size', order: 'desc' }] } }],
    ['a sort without its order', { query: { sort: [{ field: 'size' }] } }],
    ['a sort by two at once', { query: { sort: [{ size: 'asc', name: 'asc' }] } }],
    ['a sort by an object', { query: { sort: [{ profile: 'asc' }] } }],
    ['a sort by a path', { query: { sort: [{ 'profile.rank': 'asc' }] } }],
    ['fields', { query: {}, fields: ['id', 'profile.a.b', ['profile', 'a.b'], ['tags']] }],
    ['no field', { query: {}, fields: [[]] }],
    ['a field below a text', { query: {}, fields: ['name.first'] }],
    ['segments below a text', { query: {}, fields: [['name', 'first']] }],
    ['a longest field', { query: {}, fields: [path(100), path(100).join('.')] }],
    ['a longer field', { query: {}, fields: [path(101)] }],
    ['a longer field with dots', { query: {}, fields: [path(101).join('.')] }],
  ] as const)
    test(`judges ${what} as a search does`, () => {
      const described = Compile(searchParamsSchema(things));
      assert.equal(described.Check(params), isTaken(things, params));
    });
});

for (const kind of allKinds())
  test(`every searchable entity of ${kind.kind} describes search, and no other`, () => {
    for (const { name, actions, searchable } of describeKind(kind).entities) {
      const search = actions.find((action) => action.name === 'search');
      assert.equal(search !== undefined, searchable.length > 0, name);
      const schema = searchSchemaOf(kind.entities[name] ?? assert.fail());
      assert.equal(schema === undefined, search === undefined, name);
      if (search === undefined || schema === undefined) continue;
      assert.equal(search, actions.at(-1));
      assert.deepEqual(
        [search.writes, search.hosted_only, search.aliases, search.extension],
        [false, true, ['context_store_search'], searchable[0]?.extension],
      );
      assert.deepEqual(
        search.params.map((param) => [param.name, param.required]),
        Object.entries(SEARCH_PARAMS).map(([param, { isRequired }]) => [param, isRequired]),
      );
      assert.deepEqual(search.params_schema, searchParamsSchema(schema));
      agrees(schema, 30);
    }
  });
