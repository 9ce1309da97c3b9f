import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { allKinds, ERRORS } from '@patchbay/connectors';
import { at, type TestAnswer } from './support/http-client.ts';
import { useTestService } from './support/start-test-service.ts';

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
    const calls = at(document, 'components.schemas.ExecuteRequest.oneOf');
    assert.ok(Array.isArray(calls));
    assert.equal(
      calls.length,
      expected.reduce((sum, count) => sum + count, 0),
    );
    const schema = 'components.schemas.ChatWorkspaceMessagesCreate.properties';
    assert.equal(at(document, `${schema}.entity.const`), 'messages');
    assert.deepEqual(at(document, `${schema}.params.required`), ['channel', 'text']);
    assert.equal(at(document, `${schema}.params.additionalProperties`), false);
    assert.ok(
      membersOf(document, 'components.schemas.ChatWorkspaceUsersRecord.properties').includes('tz'),
    );
  });

  test('every error code is listed', () => {
    const codes = at(document, 'components.schemas.Problem.properties.code.enum');
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
