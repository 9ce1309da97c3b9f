import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Compile } from 'typebox/schema';
import { ERRORS } from '@patchbay/connectors';
import { allKinds } from '@patchbay/connectors/engine';
import { contractOf } from './support/contract.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { OPERATION_IDS } from './support/operation-ids.ts';
import { connectorBody, useTestService } from './support/start-test-service.ts';

/** Every `$ref` in a document. */
function refsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(refsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' ? [String(member)] : refsOf(member),
  );
}

function membersOf(answer: TestAnswer, path: string): readonly string[] {
  const value = at(answer, path);
  assert.ok(typeof value === 'object' && value !== null, `nothing at ${path}`);
  return Object.keys(value);
}

describe('the OpenAPI document', async () => {
  const { running } = await useTestService();
  const document = await running.send('GET', '/openapi.json');

  test('it is OpenAPI 3.1, every route is in it, and nothing else', () => {
    assert.match(String(at(document, 'openapi')), /^3\.1\./);
    const routes = running.service.routes.flatMap(({ method, path, also = [] }) =>
      [path, ...also].map(
        (each) => `${method.toLowerCase()} ${each.replace(/:([a-z]+)/g, '{$1}')}`,
      ),
    );
    const described = membersOf(document, 'paths').flatMap((path) => {
      const { body } = document;
      const item = Reflect.get(Object(at({ body }, 'paths')), path) as object;
      return Object.keys(item).map((method) => `${method} ${path}`);
    });
    assert.deepEqual(described.toSorted(), routes.toSorted());
  });

  test('no schema in it combines none, which JSON Schema forbids', () => {
    assert.doesNotMatch(document.text, /"(?:allOf|anyOf|oneOf)":\[\]/);
  });

  test('it is valid by the schema of OpenAPI itself', async () => {
    const { valid, errors } = await new Validator().validate(
      // A fresh copy, since the validator resolves references in place.
      JSON.parse(document.text) as Record<string, unknown>,
    );
    assert.ok(valid, JSON.stringify(errors, undefined, 2));
  });

  test('every reference leads somewhere, and operation ids are unique', () => {
    for (const reference of refsOf(document.body)) {
      const path = reference.replace('#/', '').replaceAll('/', '.');
      assert.notEqual(at(document, path), undefined, reference);
    }
    const ids = JSON.stringify(document.body).match(/"operationId":"[^"]+"/g) ?? [];
    assert.equal(new Set(ids).size, ids.length);
  });

  test('operation ids, by which generators of clients name methods, are words, and stay', () => {
    const ids = operationsOf(document).map(({ method, path, operation }) => {
      const id = String(operation['operationId']);
      assert.match(id, /^(?:get|post|put|patch|delete)(?:[A-Z][a-z0-9]*)+$/);
      return `${method} ${path} ${id}`;
    });
    assert.deepEqual(ids.toSorted(), OPERATION_IDS.toSorted());
  });

  test('execute lists every entity and action with its params', () => {
    const expected = allKinds().flatMap(({ entities }) =>
      Object.values(entities).flatMap(
        ({ actions, search }) => Object.keys(actions).length + (search === undefined ? 0 : 1),
      ),
    );
    const calls = at(document, 'components.schemas.ExecuteRequest.anyOf');
    assert.ok(Array.isArray(calls));
    assert.equal(
      calls.length,
      // And the check of a whole connector.
      expected.reduce((sum, count) => sum + count, 1),
    );
    const schema = 'components.schemas.ChatWorkspaceMessagesCreate.properties';
    assert.equal(at(document, `${schema}.entity.const`), 'messages');
    assert.deepEqual(at(document, `${schema}.params.required`), ['channel', 'text']);
    assert.equal(at(document, `${schema}.params.additionalProperties`), false);
    assert.ok(
      membersOf(document, 'components.schemas.ChatWorkspaceUsersRecord.properties').includes('tz'),
    );
    const search = 'components.schemas.ChatWorkspaceUsersSearch.properties';
    assert.deepEqual(at(document, `${search}.action.enum`), ['search', 'context_store_search']);
    assert.equal(at(document, `${search}.select_fields`), undefined);
    assert.equal(
      at(document, `${search}.params.properties.query.properties.filter.anyOf.0.$ref`),
      '#/components/schemas/ChatWorkspaceUsersSearchFilter',
    );
    assert.ok(
      membersOf(
        document,
        'components.schemas.ChatWorkspaceUsersSearchElementFilter.properties',
      ).includes('fuzzy'),
    );
  });

  test('a request that only the service would take is found, and so is a member too many', () => {
    const check = contractOf(running.service.routes);
    const headers = new Headers({ 'content-type': 'application/json' });
    const path = '/api/v1/account/applications/token';
    const right = { access_token: 'a', token_type: 'bearer', expires_in: 900 };
    const sent = { client_id: 'an-id', client_secret: 'a-secret' };
    const exchange = (request: object, answer: object, status = 200) =>
      check({ method: 'POST', path, body: request, answer: { status, headers, body: answer } });
    exchange(sent, right);
    assert.throws(() => exchange({ ...sent, client_id: 1 }, right), /client_id must be string/);
    assert.throws(() => exchange(sent, { ...right, also: 1 }), /additional properties/);
    assert.throws(
      () => exchange(sent, { ...right, expires_in: '900' }),
      /expires_in must be integer/,
    );
    assert.throws(() => exchange(sent, right, 201), /201/);
  });

  test('what the service takes in other words, the document takes too', async () => {
    const token = await running.scopedToken('user-1');
    // Every request that is taken is held against the document.
    const create = (body: object, collection = '/v1/integrations/connectors') =>
      running.send('POST', collection, { token, body });
    const { external_user_id, name, ...bare } = connectorBody();
    const zendesk = { external_user_id, name, credentials: { access_token: 'a-token' } };
    const variants = [
      connectorBody({ connector_type: ' Chat_Workspace ', config: null, verify: null }),
      connectorBody({ connector_type: 'SLACK', environment: {}, intent: 'whatever' }),
      connectorBody({
        connector_type: null,
        definition_id: 'C2281CEE-86F9-4A86-BB48-D23286B4C7BD',
        credentials: { api_token: null, bot_key: 'xoxb-test' },
      }),
      { ...connectorBody(), external_user_id: null, customer_name: 'user-1' },
      connectorBody({
        replication_config: {
          start_date: '2026-01-01T00:00:00Z',
          lookback_window: 0,
          join_channels: true,
          include_archived_channels: null,
        },
      }),
      { ...zendesk, connector_type: 'zendesk chat', replication_config: null, config: {} },
      { ...zendesk, connector_type: 'Intercom', replication_config: { start_date: null } },
    ];
    for (const body of variants) {
      const answer = await create(body);
      assert.equal(answer.status, 201, answer.text);
    }
    const also = await create(bare, '/api/v1/integrations/connectors');
    assert.equal(also.status, 201, also.text);
    const id = textAt(also, 'id');
    const change = { name: null, paused: null, config: null, replication_config: null };
    const item = `/v1/integrations/connectors/${id}`;
    assert.equal((await running.send('PATCH', item, { token, body: change })).status, 200);
    const calls = [
      { entity: 'users', action: 'list', params: null, select_fields: null },
      {
        entity: 'users',
        action: 'list',
        params: { limit: 1, cursor: null },
        skip_truncation: true,
      },
      { entity: '*', action: 'check', params: {} },
    ];
    for (const body of calls) {
      const answer = await running.execute(token, id, body);
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test('every error code is listed', () => {
    const codes = at(document, 'components.schemas.Problem.properties.code.x-extensible-enum');
    assert.deepEqual(codes, Object.keys(ERRORS));
  });

  test('says where the service is, and nothing that a request says of its host', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const answer = await running.send('GET', '/openapi.json', { headers });
    assert.equal(at(answer, 'servers.0.url'), '/');
    assert.equal(at(answer, 'servers.1'), undefined);
    assert.doesNotMatch(answer.text, /evil/);
  });

  test('every operation has a summary, a curl line and a tag that is described', () => {
    const tags = at(document, 'tags') as readonly { name: string; description?: string }[];
    const described = new Set(tags.flatMap(({ name, description }) => (description ? [name] : [])));
    for (const { path, method, operation } of operationsOf(document)) {
      const where = `${method} ${path}`;
      assert.match(String(operation['summary']), /\w{3}/, where);
      const shown = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
      assert.ok(String(operation['description']).includes(`"$PATCHBAY_BASE_URL${shown}"`), where);
      for (const tag of operation['tags'] as readonly string[]) assert.ok(described.has(tag), tag);
    }
  });

  test('every body and every answer of JSON has examples, which are of its schema', () => {
    let count = 0;
    const components = at(document, 'components');
    const checks = new Map<string, (value: unknown) => boolean>();
    const checkOf = (schema: object): ((value: unknown) => boolean) => {
      const key = JSON.stringify(schema);
      const validator = checks.has(key) ? undefined : Compile({ components, ...schema });
      const check = checks.get(key) ?? ((value) => validator?.Check(value) ?? false);
      checks.set(key, check);
      return check;
    };
    for (const { path, method, operation } of operationsOf(document))
      for (const { schema = {}, example, examples } of mediaOf(operation))
        for (const [name, { value }] of Object.entries(
          examples ?? { example: { value: example } },
        )) {
          count += 1;
          const isRight = value !== undefined && checkOf(schema)(value);
          assert.ok(isRight, `${method} ${path} ${name}`);
        }
    assert.ok(count > 300, String(count));
  });

  test('is compressed for whoever takes that, and the same for everybody', async () => {
    for (const encoding of ['br', 'gzip', 'identity', 'br;q=0, gzip;q=0.5']) {
      const response = await fetch(`${running.service.url}/openapi.json`, {
        headers: { 'accept-encoding': encoding },
      });
      const sent = response.headers.get('content-encoding');
      const expected = { identity: null, br: 'br' }[encoding] ?? null;
      assert.equal(sent, encoding.includes('gzip') ? 'gzip' : expected);
      assert.equal(response.headers.get('vary'), 'accept-encoding');
      assert.equal(await response.text(), document.text);
    }
  });
});

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** What goes in and out as JSON. */
function mediaOf({ requestBody, responses }: Operation['operation']): readonly Media[] {
  // By OpenAPI: media by their type.
  const bodies = [
    requestBody ?? {},
    ...Object.values(responses as Record<string, unknown>),
  ] as readonly {
    readonly content?: Readonly<Record<string, Media>>;
  }[];
  return bodies
    .flatMap(({ content = {} }) => Object.values(content))
    .filter(({ schema }) => schema !== undefined);
}

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operation: Readonly<Record<string, unknown>>;
}

function operationsOf(document: TestAnswer): readonly Operation[] {
  // By OpenAPI: operations by method, by path.
  const paths = at(document, 'paths') as Readonly<
    Record<string, Record<string, Operation['operation']>>
  >;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}
