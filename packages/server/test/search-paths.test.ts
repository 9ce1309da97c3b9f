import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { at } from './support/http-client.ts';
import { openMcp, type McpSession } from './support/mcp-session.ts';
import { useTestService } from './support/start-test-service.ts';

const PEOPLE = [
  copiedUser('U1', { profile: { email: 'a@b', phone: null, list: [{ kind: 'x' }] } }),
  copiedUser('U2', { profile: { email: 'c@d', 'plan.tier': 'gold', 'plan.teir.x': { y: 1 } } }),
];

describe('paths of searches', async () => {
  let session: McpSession;
  // Before the service is told to end: hooks run in their order.
  after(async () => {
    await session[Symbol.asyncDispose]();
  });
  const { running, token } = await useTestService();
  const own = await running.scopedToken('user-1');
  const id = await running.connector(own);
  await copyByHand(running.store, id, 'users', PEOPLE);
  session = await openMcp(running, own);

  const search = async (params: object, more: object = {}) => {
    const answer = await running.execute(token, id, {
      entity: 'users',
      action: 'search',
      params: { query: {}, ...params },
      ...more,
    });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  const warnings = async (filter: object) =>
    at(await search({ query: { filter } }), 'warnings') ?? [];

  test('that no record has are told, with the nearest that there is', async () => {
    const filter = { eq: { 'profile.emial': 'a@b' } };
    const answer = await search({ query: { filter } });
    assert.deepEqual(at(answer, 'result.hits'), []);
    assert.deepEqual(at(answer, 'warnings'), [
      {
        code: 'path_not_seen',
        message: 'No record in the copy of users has profile.emial; did you mean profile.email?',
        field: 'params.query.filter.eq.profile.emial',
        did_you_mean: 'profile.email',
      },
    ]);
    const later = await search({ query: { filter } }, { action: 'context_store_search' });
    assert.deepEqual(at(later, 'warnings'), at(answer, 'warnings'));
  });

  const inList = { path: ['profile', 'plan.teir'], value: 'gold' };
  for (const [what, filter, told] of [
    ['a path that is there', { eq: { 'profile.email': 'x' }, like: { profile: 'x' } }, []],
    ['one that is null', { eq: { 'profile.phone': 1 } }, []],
    [
      'one that the vendor documents, but nobody has',
      { eq: { 'profile.skype': 1 } },
      ofPath('profile.skype.', 'eq.profile.skype'),
    ],
    [
      'one with no name near it',
      { eq: { 'profile.zzz': 1 } },
      ofPath('profile.zzz.', 'eq.profile.zzz'),
    ],
    [
      'one with a dot in a name',
      { not: { neq: [inList] } },
      ofPath(
        '["profile","plan.teir"]; did you mean ["profile","plan.tier"]?',
        'not.neq.0',
        '["profile","plan.tier"]',
      ),
    ],
    [
      'one whose last two names are one with a dot in it',
      { eq: { 'profile.plan.tier': 'gold' } },
      ofPath(
        'profile.plan.tier; did you mean ["profile","plan.tier"], a name with a dot in it, which takes the form with "path"?',
        'eq.profile.plan.tier',
        '["profile","plan.tier"]',
      ),
    ],
    [
      'one that goes into an array without any',
      { eq: { 'profile.list.kind': 'x' } },
      ofPath(
        'profile.list.kind; did you mean profile.list[].kind, which filters reach with "any"?',
        'eq.profile.list.kind',
        'profile.list[].kind',
      ),
    ],
    [
      'one inside any',
      { any: { 'profile.list': { eq: { kidn: 1 }, gt: { kind: 'a' } } } },
      ofPath(
        'profile.list[].kidn; did you mean profile.list[].kind?',
        'any.profile.list.eq.kidn',
        'kind',
      ),
    ],
  ] as const)
    test(`of conditions: ${what}`, async () => {
      assert.deepEqual(await warnings(filter), told);
    });

  test('of fields and facets are told as well, and so many at most', async () => {
    const fields = ['id', 'profile.emial', ['profile', 'plan.tier'], 'profile'];
    assert.deepEqual(at(await search({ fields }), 'warnings'), [
      {
        code: 'path_not_seen',
        message: 'No record in the copy of users has profile.emial; did you mean profile.email?',
        field: 'params.fields.1',
        did_you_mean: 'profile.email',
      },
    ]);
    const [facet] = at(await search({ facets: ['profile.emial'] }), 'warnings') as unknown[];
    assert.partialDeepStrictEqual(facet, { field: 'params.facets.0' });
    const many = Array.from({ length: 500 }, (_, index) => `profile.${index}`);
    assert.equal((at(await search({ fields: many }), 'warnings') as unknown[]).length, 20);
  });

  test('are described with what the copy has there', async () => {
    const described = await running.send('GET', `/v1/integrations/connectors/${id}/describe`, {
      token,
    });
    const profile = profileIn(described.body);
    assert.deepEqual(profile['observed'], [
      { path: 'profile.email', types: ['string'], count: 2 },
      { path: 'profile.list', types: ['array'], count: 1 },
      { path: 'profile.list[]', types: ['object'], count: 1 },
      { path: 'profile.list[].kind', types: ['string'], count: 1 },
      { path: 'profile.phone', types: ['null'], count: 1 },
      { path: ['profile', 'plan.teir.x'], types: ['object'], count: 1 },
      { path: ['profile', 'plan.teir.x', 'y'], types: ['integer'], count: 1 },
      { path: ['profile', 'plan.tier'], types: ['string'], count: 1 },
    ]);
    const kinds = await running.send('GET', '/api/v1/connector-kinds/chat-workspace', { token });
    const ofKind = profileIn(kinds.body);
    assert.deepEqual(ofKind['members'], profile['members']);
    assert.equal('observed' in ofKind, false);
  });

  test('are told to models, with what is there', async () => {
    const { structuredContent: found } = await session.client.callTool({
      name: 'search',
      arguments: { entity: 'users', query: { filter: { eq: { 'profile.emial': 'x' } } } },
    });
    assert.equal(
      (found as { warnings: readonly { did_you_mean: string }[] }).warnings[0]?.did_you_mean,
      'profile.email',
    );
    const { structuredContent: told } = await session.client.callTool({
      name: 'describe',
      arguments: { entity: 'users', action: 'search' },
    });
    const nested = (told as { nested_fields: Record<string, string> }).nested_fields;
    assert.equal(nested['profile.email'], 'string, in about 2 records');
    assert.equal(nested['["profile","plan.tier"]'], 'string, in about 1 records');
    assert.equal(nested['profile.skype'], 'string, in no record yet');
  });
});

/** The warning of one condition. */
function ofPath(message: string, field: string, nearest?: string): readonly object[] {
  return [
    {
      code: 'path_not_seen',
      message: `No record in the copy of users has ${message}`,
      field: `params.query.filter.${field}`,
      ...(nearest === undefined ? {} : { did_you_mean: nearest }),
    },
  ];
}

function profileIn(kind: unknown): Readonly<Record<string, unknown>> {
  const { entities } = kind as {
    entities: readonly { name: string; searchable: readonly Record<string, unknown>[] }[];
  };
  const users = entities.find(({ name }) => name === 'users');
  return users?.searchable.find(({ name }) => name === 'profile') ?? assert.fail();
}
