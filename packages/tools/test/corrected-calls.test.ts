import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  allKinds,
  checkCall,
  checkSearch,
  findAction,
  findEntity,
  searchSchemaOf,
} from '@patchbay/connectors/engine';
import { describeKind } from '@patchbay/connectors/definitions';
import { Toolbox, type ToolHost } from '@patchbay/tools';
import type { JsonObject } from '../src/host.ts';
import { at, callerOf } from './support/answers.ts';

/** A service with a connector of every kind, which does nothing but the checks of the engine. */
const host: ToolHost = {
  mode: 'hosted',
  connectors: async () => allKinds().map(({ kind }) => ({ id: kind, kind, name: `Our ${kind}` })),
  describe: async (id) => describeKind(kindOf(id)),
  describeEntity: () => Promise.reject(new Error('not asked for here')),
  execute: async (id, { entity, action, params, selectFields }) => {
    const declared = findAction(kindOf(id), entity, action);
    checkCall(findEntity(kindOf(id), entity), declared, { params, selectFields });
    if (action !== 'list') return { type: 'record', record: {} };
    return { type: 'page', records: [], meta: {}, nextParams: null, warnings: [] };
  },
  search: async (id, { entity, params }) => {
    const schema = searchSchemaOf(findEntity(kindOf(id), entity));
    // This throws that there is no such action.
    if (schema === undefined) findAction(kindOf(id), entity, 'search');
    else checkSearch(schema, params);
    return { hits: [], next_cursor: null, took_ms: 1, sync: [] } as never;
  },
  syncStatus: async () => undefined,
};

function kindOf(id: string) {
  const kind = allKinds().find((each) => each.kind === id);
  assert.ok(kind !== undefined, id);
  return kind;
}

const call = callerOf(new Toolbox({ host, allowWrites: true }));

/** The correction of a call, which has been tried. */
async function corrected(tool: string, args: JsonObject): Promise<JsonObject | undefined> {
  const { corrected_call: right } = await call.error(tool, args);
  if (right === undefined) return undefined;
  await call(right.tool, right.arguments);
  return right.tool === tool ? right.arguments : { tool: right.tool, ...right.arguments };
}

const intercom = { connector: 'intercom', entity: 'contacts' };
const slackUsers = { connector: 'slack', entity: 'users' };
const byMail = { ...intercom, query: { filter: { eq: { email: 'a@b.c' } } } };

describe('the commonest mistakes of models are corrected', () => {
  const mistakes: readonly (readonly [
    what: string,
    tool: string,
    given: JsonObject,
    right: JsonObject,
  ])[] = [
    ['a filter beside query', 'search', { ...intercom, filter: byMail.query.filter }, byMail],
    ['an operator beside query', 'search', { ...intercom, eq: { email: 'a@b.c' } }, byMail],
    [
      'a field in the place of a filter',
      'search',
      { ...intercom, query: { email: 'a@b.c' } },
      byMail,
    ],
    [
      'a field that is a member of another',
      'search',
      { ...slackUsers, query: { filter: { like: { email: 'ada@%' } } } },
      { ...slackUsers, query: { filter: { like: { 'profile.email': 'ada@%' } } } },
    ],
    [
      'a selected field that is a member of another',
      'execute',
      { ...slackUsers, action: 'list', select_fields: ['id', 'email', 'profil.title'] },
      { ...slackUsers, action: 'list', select_fields: ['id', 'profile.email', 'profile.title'] },
    ],
    [
      'a filter in params',
      'search',
      { ...intercom, params: { filter: { eq: { email: 'a@b.c' } } } },
      byMail,
    ],
    [
      'a filter beside query, in params',
      'execute',
      { ...intercom, action: 'search', params: { filter: { eq: { email: 'a@b.c' } } } },
      { ...intercom, action: 'search', params: { query: byMail.query } },
    ],
    [
      'a list with a filter',
      'execute',
      { ...intercom, action: 'list', params: { filter: { email: { $eq: 'a@b.c' } }, limit: 5 } },
      { tool: 'search', ...byMail, limit: 5 },
    ],
    [
      'a field around its operator',
      'search',
      { ...intercom, query: { filter: { email: { eq: 'a@b.c' } } } },
      byMail,
    ],
    [
      'a range of a field',
      'search',
      { ...intercom, query: { filter: { updated_at: { $gte: 1, $lt: 2 } } } },
      { ...intercom, query: { filter: { gte: { updated_at: 1 }, lt: { updated_at: 2 } } } },
    ],
    [
      'the operators of another language',
      'search',
      {
        ...intercom,
        query: { filter: { $and: [{ $ne: { role: 'user' } }, { role: { $nin: ['lead'] } }] } },
      },
      {
        ...intercom,
        query: {
          filter: { and: [{ neq: { role: 'user' } }, { not: { in: { role: ['lead'] } } }] },
        },
      },
    ],
    [
      'conditions as a list',
      'search',
      {
        ...intercom,
        query: {
          filter: [
            { field: 'email', operator: 'starts_with', value: 'a' },
            { field: 'role', op: '=', value: 'user' },
          ],
        },
      },
      {
        ...intercom,
        query: { filter: { and: [{ like: { email: 'a%' } }, { eq: { role: 'user' } }] } },
      },
    ],
    [
      'contains of a text',
      'search',
      { ...intercom, query: { filter: { contains: { name: 'ada' } } } },
      { ...intercom, query: { filter: { like: { name: 'ada' } } } },
    ],
    [
      'several values of one field',
      'search',
      { ...intercom, query: { filter: { eq: { role: ['user', 'lead'] } } } },
      { ...intercom, query: { filter: { in: { role: ['user', 'lead'] } } } },
    ],
    [
      'a sort as text',
      'search',
      { ...intercom, query: { sort: '-updated_at' } },
      { ...intercom, query: { sort: [{ updated_at: 'desc' }] } },
    ],
    [
      'a sort beside query, and a wrong case',
      'search',
      { ...intercom, sort: [{ Updated_At: 'DESC' }] },
      { ...intercom, query: { sort: [{ updated_at: 'desc' }] } },
    ],
    [
      'query as a JSON string',
      'search',
      { ...intercom, query: JSON.stringify(byMail.query) },
      byMail,
    ],
    [
      'params as a JSON string',
      'execute',
      { ...intercom, action: 'list', params: '{"limit":5}' },
      { ...intercom, action: 'list', params: { limit: 5 } },
    ],
    [
      'params as a JSON string with a mistake inside',
      'execute',
      { ...intercom, action: 'LIST', params: '{"limt":"5"}' },
      { ...intercom, action: 'list', params: { limit: '5' } },
    ],
    [
      'params among the arguments',
      'execute',
      { connector: 'slack', entity: 'users', action: 'list', cursor: 'abc', fields: 'id, name' },
      {
        connector: 'slack',
        entity: 'users',
        action: 'list',
        params: { cursor: 'abc' },
        select_fields: ['id', 'name'],
      },
    ],
    [
      'numbers as text',
      'search',
      { ...byMail, limit: '5', count: 'true' },
      { ...byMail, limit: 5, count: true },
    ],
    [
      'a number out of bounds',
      'search',
      { ...byMail, limit: 50_000 },
      { ...byMail, limit: 10_000 },
    ],
    [
      'a search of an entity without a copy',
      'search',
      { connector: 'slack', entity: 'messages', query: { filter: { like: { text: 'x' } } } },
      {
        connector: 'slack',
        entity: 'channel_messages',
        query: { filter: { like: { text: 'x' } } },
      },
    ],
    [
      'the same, as an action',
      'execute',
      { connector: 'slack', entity: 'messages', action: 'search', params: { limit: 5 } },
      { tool: 'search', connector: 'slack', entity: 'channel_messages', limit: 5 },
    ],
    [
      'an action by another name, and an id by another',
      'execute',
      { connector: 'slack', entity: 'user', action: 'fetch', params: { id: 'U1' } },
      { connector: 'slack', entity: 'users', action: 'get', params: { user: 'U1' } },
    ],
    [
      'everything at once',
      'search',
      { connector: 'intercmo', entity: 'Contact', filter: { emial: { $eq: 'a@b.c' } }, limit: '3' },
      { ...byMail, limit: 3 },
    ],
  ];
  for (const [what, tool, given, right] of mistakes)
    test(what, async () => {
      assert.deepEqual(await corrected(tool, given), right);
    });

  test('limit is no mistake, whatever a list with pages calls their size', async () => {
    for (const { kind, entities } of allKinds())
      for (const { name, actions } of Object.values(entities)) {
        const { list } = actions;
        if (list === undefined || Object.values(list.params).some((each) => each.isRequired))
          continue;
        if (describedLimit(kind, name))
          await call('execute', {
            connector: kind,
            entity: name,
            action: 'list',
            params: { limit: 5 },
          });
      }
  });

  test('what nobody can know is not guessed', async () => {
    const calls: readonly (readonly [tool: string, args: JsonObject])[] = [
      ['execute', { connector: 'slack', entity: 'users', action: 'get' }],
      ['execute', { ...intercom, action: 'list', params: { limit: 'ten' } }],
      ['search', { ...intercom, query: 'ada' }],
      [
        'search',
        { ...intercom, query: { filter: { eq: { nothing_like_it: 'a' }, gt: { emial: 1 } } } },
      ],
    ];
    for (const [tool, args] of calls) assert.equal(await corrected(tool, args), undefined);
  });
});

/** Whether a list of a described kind takes `limit`. */
function describedLimit(kind: string, entity: string): boolean {
  const { entities } = describeKind(kindOf(kind));
  const list = entities
    .find(({ name }) => name === entity)
    ?.actions.find(({ name }) => name === 'list');
  return list?.params.some(({ name }) => name === 'limit') === true;
}

test('a corrected call passes every check, whatever mistakes were made of a right one', async () => {
  const random = randomNumbers(7);
  const counts = { corrected: 0, left: 0 };
  for (const { kind, entities } of allKinds())
    for (const entity of Object.values(entities)) {
      const schema = searchSchemaOf(entity);
      const fields = (schema?.fields ?? []).filter(({ type }) => type === 'string');
      for (let round = 0; round < 6; round += 1) {
        const field = fields[Math.floor(random() * fields.length)]?.name;
        const isSearch = field !== undefined && round % 2 === 0;
        let args: JsonObject = isSearch
          ? {
              connector: kind,
              entity: entity.name,
              query: { filter: { eq: { [field]: 'x' } }, sort: [{ [field]: 'asc' }] },
              limit: 5,
            }
          : { connector: kind, entity: entity.name, action: 'list', params: { limit: 5 } };
        for (let count = 0; count <= random() * 3; count += 1)
          args = MISTAKES[Math.floor(random() * MISTAKES.length)]?.(args, random) ?? args;
        const toolbox = new Toolbox({ host, allowWrites: true });
        const { isError, content } = await toolbox.call(isSearch ? 'search' : 'execute', args);
        const right = at(content, 'error.corrected_call');
        if (!isError) continue;
        counts[right === undefined ? 'left' : 'corrected'] += 1;
        if (right === undefined) continue;
        const again = await toolbox.call(String(at(right, 'tool')), at(right, 'arguments'));
        assert.equal(again.isError, false, `${JSON.stringify(args)} -> ${JSON.stringify(right)}`);
      }
    }
  // A test that corrects nothing would say nothing.
  assert.ok(counts.corrected > 100, JSON.stringify(counts));
});

type Mistake = (args: JsonObject, random: () => number) => JsonObject;

const MISTAKES: readonly Mistake[] = [
  (args, random) => renamedInside(args, 'entity', misspelt(String(args['entity']), random)),
  (args, random) => misspeltKey(args, random),
  (args) => ('params' in args ? { ...args, params: JSON.stringify(args['params']) } : args),
  (args) => ('query' in args ? { ...args, query: JSON.stringify(args['query']) } : args),
  ({ query, ...args }) => ({ ...args, ...(query as JsonObject) }),
  ({ params, ...args }) => ({ ...args, ...(params as JsonObject) }),
  (args) => ({ ...args, limit: '5' }),
  (args) => ({ ...args, params: { ...(args['params'] as JsonObject), filter: { x: 1 } } }),
  (args) => {
    const [field = ''] = Object.keys(at(args, 'query.filter.eq') ?? {});
    return 'query' in args ? { ...args, query: { filter: { [field]: { $eq: 'x' } } } } : args;
  },
  (args) => ('query' in args ? { ...args, query: { contains: { name: 7 }, sort: '-id' } } : args),
];

function renamedInside(args: JsonObject, name: string, value: unknown): JsonObject {
  return { ...args, [name]: value };
}

function misspeltKey(args: JsonObject, random: () => number): JsonObject {
  const names = Object.keys(args);
  const wrong = names[Math.floor(random() * names.length)];
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name === wrong ? misspelt(name, random) : name,
      value,
    ]),
  );
}

/** A name with two neighbouring letters swapped. */
function misspelt(name: string, random: () => number): string {
  const index = Math.floor(random() * (name.length - 1));
  return name.slice(0, index) + name.charAt(index + 1) + name.charAt(index) + name.slice(index + 2);
}

/** The same numbers from 0 to 1 for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
