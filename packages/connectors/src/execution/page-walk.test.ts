import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entity, list, paging, param, type ListAction, type Paging } from '../vocabulary/index.ts';
import { firstPageParams, nextPageParams, type EntityList } from './page-walk.ts';

function action(strategy: Paging): ListAction {
  return list({
    doc: 'x',
    reference: 'https://example.com',
    request: 'GET /things',
    params: {
      cursor: param.string('Cursor.'),
      size: param.pageSize('Size.', { upstreamName: 'per_page', maximum: 9, default: 2 }),
      since: param.integer('Since.'),
      q: param.string('Query.'),
    },
    records: 'things',
    paging: strategy,
  });
}

/** That list of an entity, whose records the key identifies. */
function listBy(strategy: Paging, key: string | readonly string[] = 'id'): EntityList {
  const { doc, reference } = action(strategy);
  return {
    entity: entity({ name: 'things', doc, reference, key, record: {}, actions: {} }),
    action: action(strategy),
  };
}

const link = paging.link({ next: 'next', endsShort: true });
const endless = paging.link({ next: 'next' });
const cursor = paging.cursor({ param: 'cursor', next: 'next' });
const afterKey = paging.afterLastKey({ param: 'cursor', step: 0 });
const cursorOrLink = paging.cursor({
  param: 'cursor',
  next: 'next',
  walk: { start: '', unless: ['since', 'q'] },
  orLink: 'next_link',
});
const scroll = paging.scroll({ param: 'cursor', next: 'next', taken: 'busy' });
const two = [{ id: 'a' }, { id: 'b' }];

interface Row {
  readonly strategy: Paging;
  readonly params?: object;
  readonly records?: readonly object[];
  readonly next?: unknown;
  readonly expected: object | undefined;
}

describe('the params of the next page', () => {
  const rows: readonly Row[] = [
    { strategy: paging.single(), next: 'c', expected: undefined },
    { strategy: cursor, next: 'c', expected: { cursor: 'c' } },
    { strategy: scroll, params: { cursor: 'c' }, next: 'c', expected: { cursor: 'c' } },
    { strategy: scroll, params: { cursor: 'c' }, next: 'd', expected: { cursor: 'd' } },
    { strategy: scroll, params: { cursor: 'c' }, next: 'c', records: [], expected: undefined },
    { strategy: scroll, params: { cursor: 'c' }, next: null, records: [], expected: undefined },
    {
      strategy: cursor,
      params: { q: 'x', cursor: 'b' },
      next: 'c',
      expected: { q: 'x', cursor: 'c' },
    },
    { strategy: cursor, next: '', expected: undefined },
    { strategy: cursor, next: null, expected: undefined },
    { strategy: cursor, expected: undefined },
    { strategy: cursor, records: [], next: 'c', expected: { cursor: 'c' } },
    { strategy: afterKey, expected: { cursor: 'b' } },
    { strategy: afterKey, params: { size: 3 }, expected: undefined },
    { strategy: afterKey, params: { size: 2, q: 'x' }, expected: { size: 2, q: 'x', cursor: 'b' } },
    { strategy: afterKey, records: [], expected: undefined },
    // The hosted client walks with params as its caller gave them.
    { strategy: afterKey, params: { limit: 3 }, expected: undefined },
    { strategy: afterKey, params: { limit: '2' }, expected: { limit: '2', cursor: 'b' } },
    {
      strategy: afterKey,
      params: { limit: 500 },
      records: Array.from({ length: 9 }, (_, nth) => ({ id: `r${nth}` })),
      expected: { limit: 500, cursor: 'r8' },
    },
    {
      strategy: link,
      params: { limit: 2 },
      next: '?since=5&per_page=2&limit=7',
      expected: { since: 5, size: 2 },
    },
    { strategy: link, params: { limit: 2 }, next: '?since=5', expected: { limit: 2, since: 5 } },
    {
      strategy: link,
      next: 'https://a.example/t?since=5&per_page=2',
      expected: { since: 5, size: 2 },
    },
    { strategy: link, next: '/t?cursor=c%20d', expected: { cursor: 'c d' } },
    {
      strategy: link,
      next: '?since=5',
      params: { q: 'x', since: 1 },
      expected: { q: 'x', since: 5 },
    },
    { strategy: link, next: '?since=5&other=1', expected: { since: 5 } },
    { strategy: link, next: '?since=5', records: [{ id: 'a' }], expected: undefined },
    { strategy: link, next: '?since=5', params: { size: 3 }, expected: undefined },
    { strategy: link, next: null, expected: undefined },
    { strategy: endless, next: '?since=5', records: [], expected: { since: 5 } },
    { strategy: endless, next: '', expected: undefined },
  ];
  for (const [index, { strategy, params = {}, records = two, next, expected }] of rows.entries())
    test(`${index + 1}: ${strategy.strategy}, next ${JSON.stringify(next)}`, () => {
      const page = {
        params: params as Record<string, unknown>,
        records: records as Record<string, unknown>[],
        meta: next === undefined ? {} : { next },
      };
      assert.deepEqual(nextPageParams(listBy(strategy), page), expected);
    });

  test('a scroll that breaks off before its empty page is no whole list', () => {
    const page = { params: {}, records: two, meta: { next: null } };
    assert.throws(() => nextPageParams(listBy(scroll), page), {
      code: 'upstream_contract_broken',
    });
  });

  test('a list by cursor goes on by a link where there is no cursor', () => {
    const page = { params: { size: 2, since: 1 }, records: two };
    const byCursor = listBy(cursorOrLink);
    const next_link = 'https://a.example/things?since=2&per_page=2';
    assert.deepEqual(nextPageParams(byCursor, { ...page, meta: { next: null, next_link } }), {
      size: 2,
      since: 2,
    });
    assert.deepEqual(nextPageParams(byCursor, { ...page, meta: { next: 'c', next_link } }), {
      size: 2,
      since: 1,
      cursor: 'c',
    });
    const ended = { next: null, next_link: null };
    assert.equal(nextPageParams(byCursor, { ...page, meta: ended }), undefined);
  });

  test('a walk begins with what starts the cursor, unless the caller chose another way', () => {
    const byCursor = action(cursorOrLink);
    assert.deepEqual(firstPageParams(byCursor, { size: 2 }), { size: 2, cursor: '' });
    for (const chosen of [{ cursor: 'c' }, { since: 1 }, { q: 'x', size: 2 }])
      assert.deepEqual(firstPageParams(byCursor, chosen), chosen);
  });

  test('an entity without a single key field cannot go on after one', () => {
    const page = { params: {}, records: two, meta: {} };
    assert.equal(nextPageParams(listBy(afterKey, ['id', 'size']), page), undefined);
  });
});
