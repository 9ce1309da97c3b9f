import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ERRORS } from '@patchbay/connectors';
import { allKinds } from '@patchbay/connectors/engine';
import { contractOf } from './support/contract.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
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

describe('the OpenAPI document and the page', async () => {
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

  test('the page describes everything and may load nothing', async () => {
    const page = await running.send('GET', '/docs');
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.ok(!/<script|https?:\/\/(?!127)/.test(page.text.replaceAll(/<code>.*?<\/code>/g, '')));
    for (const { kind, entities } of allKinds())
      for (const word of [kind, ...Object.keys(entities)]) assert.ok(page.text.includes(word));
    for (const code of Object.keys(ERRORS)) assert.ok(page.text.includes(code));
    for (const { path } of running.service.routes)
      assert.ok(page.text.includes(path.replace(/:([a-z]+)/g, '{$1}')), path);
  });
});
