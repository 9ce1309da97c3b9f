import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entity, list, paging, param, type ListAction, type Paging } from '../vocabulary/index.ts';
import { collect } from '../../test/support/connectors.ts';
import { firstPageParams, nextParams, walkPages, type EntityList } from './page-walk.ts';

function action(strategy: Paging): ListAction {
  return list({
    doc: 'x',
    reference: 'https://example.com',
    request: 'GET /things',
    params: {
      cursor: param.string('Cursor.'),
      size: param.pageSize('Size.', { upstreamName: 'per_page', maximum: 9, default: 2 }),
      since: param.integer('Since.'),
      q: param.string('Query.', { default: 'all' }),
      open: param.boolean('Open.'),
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
const placed = paging.link({ next: 'next', place: ['since', 'cursor'] });
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
  readonly expected: object | null;
}

describe('what changes in the params for the next page', () => {
  const rows: readonly Row[] = [
    { strategy: paging.single(), next: 'c', expected: null },
    { strategy: cursor, next: 'c', expected: { cursor: 'c' } },
    { strategy: cursor, params: { q: 'x', cursor: 'b' }, next: 'c', expected: { cursor: 'c' } },
    { strategy: cursor, next: '', expected: null },
    { strategy: cursor, next: null, expected: null },
    { strategy: cursor, expected: null },
    { strategy: cursor, records: [], next: 'c', expected: { cursor: 'c' } },
    { strategy: scroll, params: { cursor: 'c' }, next: 'c', expected: { cursor: 'c' } },
    { strategy: scroll, params: { cursor: 'c' }, next: 'd', expected: { cursor: 'd' } },
    { strategy: scroll, params: { cursor: 'c' }, next: 'c', records: [], expected: null },
    { strategy: scroll, params: { cursor: 'c' }, next: null, records: [], expected: null },
    { strategy: afterKey, expected: { cursor: 'b' } },
    { strategy: afterKey, params: { size: 3 }, expected: null },
    { strategy: afterKey, params: { size: 2, q: 'x' }, expected: { cursor: 'b' } },
    { strategy: afterKey, records: [], expected: null },
    {
      strategy: afterKey,
      params: { size: 9 },
      records: Array.from({ length: 9 }, (_, nth) => ({ id: `r${nth}` })),
      expected: { cursor: 'r8' },
    },
    // The size of a page is the caller's, under whichever name it was given.
    { strategy: link, params: { size: 2 }, next: '?since=5&per_page=7', expected: { since: 5 } },
    { strategy: link, next: '?since=5&per_page=2&limit=7', expected: { since: 5 } },
    { strategy: link, next: 'https://a.example/t?since=5', expected: { since: 5 } },
    { strategy: link, next: '/t?cursor=c%20d', expected: { cursor: 'c d' } },
    // What a link only repeats is left out, also a default that the caller did not give.
    {
      strategy: link,
      params: { q: 'x', since: 1, open: true },
      next: '?since=5&q=x&open=true&other=1',
      expected: { since: 5 },
    },
    { strategy: link, next: '?since=5&q=all', expected: { since: 5 } },
    { strategy: link, next: '?since=5&open=false', expected: { since: 5, open: false } },
    { strategy: link, next: '?since=5', records: [{ id: 'a' }], expected: null },
    { strategy: link, next: '?since=5', params: { size: 3 }, expected: null },
    { strategy: link, next: null, expected: null },
    { strategy: endless, next: '?since=5', records: [], expected: { since: 5 } },
    { strategy: endless, next: '', expected: null },
    // What says only together where a page is comes together: it may be merged into the first params.
    {
      strategy: placed,
      params: { q: 'x', since: 5, cursor: 'c' },
      next: '?since=5&cursor=d&q=x',
      expected: { since: 5, cursor: 'd' },
    },
    { strategy: placed, params: { since: 5 }, next: '?since=6', expected: { since: 6 } },
  ];
  for (const [index, { strategy, params = {}, records = two, next, expected }] of rows.entries())
    test(`${index + 1}: ${strategy.strategy}, next ${JSON.stringify(next)}`, () => {
      const page = {
        params: params as Record<string, unknown>,
        records: records as Record<string, unknown>[],
        meta: next === undefined ? {} : { next },
        body: {},
      };
      assert.deepEqual(nextParams(listBy(strategy), page), expected);
    });

  test('a scroll that breaks off before its empty page is no whole list', () => {
    const page = { params: {}, records: two, meta: { next: null }, body: {} };
    assert.throws(() => nextParams(listBy(scroll), page), { code: 'upstream_contract_broken' });
  });

  for (const strategy of [
    paging.cursor({ param: 'cursor', next: 'next', more: { at: 'info.more', is: true } }),
    paging.link({ next: 'next', more: { at: 'info.end', is: false } }),
  ])
    test(`a page of a ${strategy.strategy} that says that there is more, and not where, is no end`, () => {
      const page = { params: {}, records: two, meta: { next: null } };
      const after = (info: object, meta: object = page.meta) =>
        nextParams(listBy(strategy), { ...page, meta: { ...meta }, body: { info } });
      const broken = { code: 'upstream_contract_broken' };
      assert.throws(() => after({ more: true, end: false }), broken);
      assert.equal(after({ more: false, end: true }), null);
      assert.equal(after({}), null);
      assert.notEqual(after({ more: true, end: false }, { next: '?since=5' }), null);
    });

  for (const [what, strategy, params, next] of [
    ['a cursor', cursor, { cursor: 'c' }, 'c'],
    ['a link', endless, { since: 5 }, '?since=5'],
    ['a link without a query', endless, {}, '/things'],
    ['a key', afterKey, { cursor: 'b' }, undefined],
  ] as const)
    test(`${what} that leads back to its own page is no end, and changes nothing`, () => {
      const page = { params, records: two, meta: { next }, body: {} };
      assert.deepEqual({ ...params, ...nextParams(listBy(strategy), page) }, params);
      assert.notEqual(nextParams(listBy(strategy), page), null);
    });

  for (const next of ['http://[', '?since=five', '?open=perhaps'])
    test(`a link that cannot be followed is a broken contract: ${next}`, () => {
      const page = { params: {}, records: two, meta: { next }, body: {} };
      assert.throws(() => nextParams(listBy(endless), page), { code: 'upstream_contract_broken' });
    });

  test('a list by cursor goes on by a link where there is no cursor', () => {
    const page = { params: { size: 2, since: 1 }, records: two, body: {} };
    const byCursor = listBy(cursorOrLink);
    const next_link = 'https://a.example/things?since=2&per_page=2';
    const next = (meta: object) => nextParams(byCursor, { ...page, meta: { ...meta } });
    assert.deepEqual(next({ next: null, next_link }), { since: 2 });
    assert.deepEqual(next({ next: 'c', next_link }), { cursor: 'c' });
    assert.equal(next({ next: null, next_link: null }), null);
  });

  test('a walk begins with what starts the cursor, unless the caller chose another way', () => {
    const byCursor = action(cursorOrLink);
    assert.deepEqual(firstPageParams(byCursor, { size: 2 }), { size: 2, cursor: '' });
    for (const chosen of [{ cursor: 'c' }, { since: 1 }, { q: 'x', size: 2 }])
      assert.deepEqual(firstPageParams(byCursor, chosen), chosen);
  });

  test('an entity without a single key field cannot go on after one', () => {
    const page = { params: {}, records: two, meta: {}, body: {} };
    assert.equal(nextParams(listBy(afterKey, ['id', 'size']), page), null);
  });
});

test('a walk whose cursors are always new ends once a great many pages brought nothing', async () => {
  let asked = 0;
  const walk = walkPages({
    displayName: 'Things',
    entity: 'things',
    key: ['id'],
    params: {},
    fetchPage: async () => ({ data: [{ id: 1 }], nextParams: { cursor: `c${asked++}` } }),
  });
  await assert.rejects(collect(walk), { code: 'upstream_contract_broken', message: /1000 pages/ });
  assert.equal(asked, 1_001);
});

test('a walk merges what each page says, and ends where one leads back', async () => {
  const asked: object[] = [];
  const nexts = [{ since: 1 }, { cursor: 'c' }, { since: 1 }];
  const walk = walkPages({
    displayName: 'Things',
    entity: 'things',
    key: ['id'],
    params: { q: 'x' },
    fetchPage: async (params) => ({ data: [], nextParams: nexts[asked.push(params) - 1] ?? null }),
  });
  await assert.rejects(collect(walk), {
    message: 'Things gave the same page cursor twice; the list is incomplete.',
  });
  assert.deepEqual(asked, [{ q: 'x' }, { q: 'x', since: 1 }, { q: 'x', since: 1, cursor: 'c' }]);
});
