import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedQuestion, newQuestion, paramsOf, questionOf } from './search-question.ts';

/** The params as the form would send them once something of it has changed. */
const sentOf = (params: unknown) => paramsOf(changedQuestion(questionOf(params)));

test('what the form has is what is sent, there and back', () => {
  const params = {
    query: { filter: { gt: { updated: 1 } }, sort: [{ updated: 'desc' }, { id: 'asc' }] },
    fields: ['id', ['profile', 'a.b']],
    facets: ['is_bot'],
    count: true,
    limit: 20,
    allow_partial: true,
  };
  assert.deepEqual(sentOf(params), params);
  assert.deepEqual(paramsOf(newQuestion()), { query: {}, count: true, limit: 100 });
  const nothing = { query: { filter: { or: [] } } };
  assert.deepEqual(sentOf(nothing), nothing);
  const long = { query: { sort: [{ field: 'id', order: 'asc' }] } };
  assert.deepEqual(paramsOf(questionOf(long)), long, 'what was written is sent as it is');
  assert.deepEqual(sentOf(long), { query: { sort: [{ id: 'asc' }] } });
});

test('what the form cannot show is told', () => {
  for (const [params, message] of [
    [[], 'The search must be an object.'],
    [{}, 'query must be an object.'],
    [{ query: { filters: {} } }, 'query.filters is not known.'],
    [{ query: { sort: ['id'] } }, 'query.sort.0 must be an object.'],
    [
      { query: { sort: [{ id: 'up' }] } },
      'query.sort.0 must be like {"name": "asc"} or {"name": "desc"}.',
    ],
    [{ query: {}, facets: 'id' }, 'facets must be an array.'],
    [{ query: {}, fields: [1] }, 'fields must have names, or arrays of names.'],
    [{ query: {}, limit: '1' }, 'limit must be a number.'],
    [{ query: {}, count: 1 }, 'count must be true or false.'],
  ] as const)
    assert.throws(() => questionOf(params), { message });
});
