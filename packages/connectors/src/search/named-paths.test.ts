import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchedThings } from '../../test/support/searched-things.ts';
import { checkSearch } from './check-search.ts';
import { namedPathsOf } from './named-paths.ts';
import { searchSchemaOf } from './search-schema.ts';

test('the paths that a search names are told with their places; fields alone are none', () => {
  const schema = searchSchemaOf(searchedThings) ?? assert.fail();
  const search = checkSearch(schema, {
    query: {
      filter: {
        eq: { name: 'x', 'profile.a': 1 },
        not: { in: [{ path: ['profile', 'a.b'], value: [1] }] },
        or: [{ any: { parts: { like: { 'size.of': 'x' }, any: { bits: { eq: { c: 1 } } } } } }],
      },
      sort: [{ name: 'asc' }],
    },
    fields: ['name', 'address.city'],
    facets: ['profile.team'],
  });
  const named = namedPathsOf(search).map(({ segments, at, outer }) => [
    segments.join(' '),
    at,
    outer,
  ]);
  const any = 'params.query.filter.or.0.any.parts';
  assert.deepEqual(
    named.toSorted(([, one], [, other]) => (String(one) < String(other) ? -1 : 1)),
    [
      ['profile team', 'params.facets.0', 0],
      ['address city', 'params.fields.1', 0],
      ['profile a', 'params.query.filter.eq.profile.a', 0],
      ['profile a.b', 'params.query.filter.not.in.0', 0],
      ['parts [] bits', `${any}.any.bits`, 2],
      ['parts [] bits [] c', `${any}.any.bits.eq.c`, 4],
      ['parts [] size of', `${any}.like.size.of`, 2],
    ],
  );
});
