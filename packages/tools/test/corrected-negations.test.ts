/** No correction turns a filter, a field or a sort into its opposite. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allKinds, checkSearch, findEntity, searchSchemaOf } from '@patchbay/connectors/engine';
import { describeKind } from '@patchbay/connectors/definitions';
import { Toolbox, type ToolHost } from '@patchbay/tools';
import { callerOf } from './support/answers.ts';

const [slack] = allKinds().filter(({ kind }) => kind === 'chat-workspace');
assert.ok(slack !== undefined);
const schema = searchSchemaOf(findEntity(slack, 'users'));
assert.ok(schema !== undefined);
const host: ToolHost = {
  mode: 'hosted',
  connectors: async () => [{ id: 'chat-workspace', kind: 'chat-workspace', name: 'Ours' }],
  describe: async () => describeKind(slack),
  describeEntity: () => Promise.reject(new Error('not asked for here')),
  execute: () => Promise.reject(new Error('not asked for here')),
  search: async (_, { params }) => {
    checkSearch(schema, params);
    return Promise.reject(new Error('no query of these is right'));
  },
  syncStatus: async () => undefined,
};
const call = callerOf(new Toolbox({ host }));

async function correctedQuery(query: object): Promise<unknown> {
  const error = await call.error('search', { entity: 'users', query });
  return error.corrected_call?.arguments['query'];
}

const NOT_LIKE = { filter: { not: { like: { real_name: 'x' } } } };
const negations: readonly (readonly [string, unknown, object])[] = [
  ['not_contains', 'x', NOT_LIKE],
  ['notContains', 'x', NOT_LIKE],
  ['ncontains', 'x', NOT_LIKE],
  ['!contains', 'x', NOT_LIKE],
  ['nlike', 'x', NOT_LIKE],
  ['!like', 'x', NOT_LIKE],
  ['!eq', 'x', { filter: { neq: { real_name: 'x' } } }],
  ['!in', ['x'], { filter: { not: { in: { real_name: ['x'] } } } }],
  ['nkeyword', 'x', { filter: { not: { keyword: { real_name: 'x' } } } }],
  ['nfuzzy', 'x', { filter: { not: { fuzzy: { real_name: 'x' } } } }],
];
for (const [operator, value, right] of negations)
  test(`"${operator}" is corrected to its negation, or not at all`, async () => {
    const query = await correctedQuery({ filter: { [operator]: { real_name: value } } });
    if (query !== undefined) assert.deepEqual(query, right);
  });

test('"nand" does not become "and"', async () => {
  const query = await correctedQuery({ filter: { nand: [{ eq: { deleted: true } }] } });
  assert.notDeepEqual(query, { filter: { and: [{ eq: { deleted: true } }] } });
});

for (const field of ['undeleted', 'isnt_bot', 'is_unrestricted'])
  test(`"${field}" is not corrected to the field of the opposite`, async () => {
    assert.equal(await correctedQuery({ filter: { eq: { [field]: true } } }), undefined);
  });

test('"dsc" is no "asc"', async () => {
  const query = await correctedQuery({ sort: [{ updated: 'dsc' }] });
  if (query !== undefined) assert.deepEqual(query, { sort: [{ updated: 'desc' }] });
});

test('did_you_mean does not say the opposite of the correction: "nin", "nor"', async () => {
  for (const [name, value] of [
    ['nin', { real_name: ['x'] }],
    ['nor', [{ eq: { deleted: true } }]],
  ] as const) {
    const error = await call.error('search', {
      entity: 'users',
      query: { filter: { [name]: value } },
    });
    const means = (error.faults ?? []).map(({ did_you_mean }) => did_you_mean);
    assert.deepEqual(
      means.filter((each) => each === 'in' || each === 'or'),
      [],
      name,
    );
  }
});
