import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { param } from '../vocabulary/index.ts';
import { buildRequest } from './request-builder.ts';

describe('a request', () => {
  test('has objects in its body where dots in names lead into them', () => {
    const action = {
      request: 'POST /things/search',
      constants: { 'query.operator': '>', 'sort.order': 'ascending' },
      params: {
        after: param.integer('Time.', { upstreamName: 'query.value' }),
        cursor: param.string('Cursor.', { upstreamName: 'pagination.starting_after' }),
        name: param.string('Name.'),
      },
    } as const;
    assert.deepEqual(JSON.parse(buildRequest(action, { after: 7, name: 'a.b' }).body ?? ''), {
      query: { operator: '>', value: 7 },
      sort: { order: 'ascending' },
      name: 'a.b',
    });
    assert.partialDeepStrictEqual(JSON.parse(buildRequest(action, { cursor: 'c' }).body ?? ''), {
      pagination: { starting_after: 'c' },
    });
  });

  test('keeps dots in the names of a query', () => {
    const params = { name: param.string('Name.', { upstreamName: 'a.b' }) };
    assert.equal(buildRequest({ request: 'GET /x', params }, { name: '1' }).path, '/x?a.b=1');
  });

  test('leaves out a param for which another one stands', () => {
    const params = {
      start: param.integer('Time.', { omittedWith: 'cursor' }),
      cursor: param.string('Cursor.'),
    };
    const pathOf = (given: Readonly<Record<string, unknown>>) =>
      buildRequest({ request: 'GET /x', params }, given).path;
    assert.equal(pathOf({ start: 0 }), '/x?start=0');
    assert.equal(pathOf({ start: 0, cursor: 'c' }), '/x?cursor=c');
  });
});
