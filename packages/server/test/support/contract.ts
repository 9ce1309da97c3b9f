import assert from 'node:assert/strict';
import { Compile, type Validator } from 'typebox/schema';
import { allKinds, isJsonObject, recordSchema } from '@patchbay/connectors/engine';
import { HEADERS } from '../../src/http/openapi-headers.ts';
import { buildOpenApi } from '../../src/http/openapi.ts';
import type { Route } from '../../src/http/route.ts';

type Json = Readonly<Record<string, unknown>>;

/** One request and its answer. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** As it went out. */
  readonly body: unknown;
  readonly answer: { readonly status: number; readonly headers: Headers; readonly body: unknown };
}

/** Fails for an exchange that is none of those that the OpenAPI document describes. */
export type Contract = (exchange: Exchange) => void;

/**
 * Holds exchanges against the OpenAPI document of routes: answers strictly, so that none has a
 * member or a word that the document lacks; what the service has taken as a request, as it is.
 */
export function contractOf(routes: readonly Route[]): Contract {
  // All that the document is made from.
  const key = JSON.stringify(routes);
  const contract = contracts.get(key) ?? contractIn(JSON.stringify(buildOpenApi(routes, 'test')));
  contracts.set(key, contract);
  return contract;
}

/** Of all the services of a test file: most have the same routes. */
const contracts = new Map<string, Contract>();

/** @param text An OpenAPI document as it goes out. */
function contractIn(text: string): Contract {
  // An object of JSON.
  const document = JSON.parse(text) as Json;
  const operations = operationsIn(document);
  const checkRequest = checkerOf(document);
  const checkAnswer = checkerOf(strict(document));
  return ({ method, path, body, answer }) => {
    const { status, headers } = answer;
    // A slash at the end does not matter.
    const route = path.replace(/(?<=.)\/$/, '');
    const type = headers.get('content-type')?.split(';', 1)[0];
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const found = operations.find((each) => each.method === verb && each.path.test(route));
    assertHeaders(found, answer);
    if (type === 'application/problem+json') {
      checkAnswer('#/components/schemas/Problem', answer.body);
      assertSubjects(answer.body);
      return;
    }
    const media = found === undefined ? undefined : mediaAt(found, status, type);
    assert.ok(
      found !== undefined && media !== undefined,
      `${method} ${route}: ${status} of type ${type}`,
    );
    const { at, operation } = found;
    // What is wrong with a message of MCP is not told in problems.
    if (isJsonObject(body) && 'requestBody' in operation && status < 400)
      checkRequest(`${at}/requestBody/content/application~1json/schema`, body);
    if (type !== 'application/json' || method === 'HEAD') return;
    checkAnswer(`${at}${media}/schema`, answer.body);
    if (!route.endsWith('/execute') || !isJsonObject(body) || !isJsonObject(answer.body)) return;
    const { result } = answer.body;
    // A file has no envelope.
    if (body['action'] === 'download') return;
    const isAlso = route.startsWith('/api/v1/integrations/');
    const shape = shapeOfResult(body, isAlso);
    if (typeof shape === 'string') checkAnswer(`#/components/schemas/${shape}`, result);
    else assertShape(shape, result);
  };
}

/** Asserts that a value is of a schema, without members that the schema does not name. */
export function assertShape(schema: object, value: unknown): void {
  assertValid(
    compiledOnce(`strict ${JSON.stringify(schema)}`, () => strict(schema)),
    value,
  );
}

/** Of all the services of a test file: that of `execute` takes two seconds. */
const validators = new Map<string, Validator>();

function compiledOnce(key: string, make: () => object): Validator {
  const validator = validators.get(key) ?? Compile(make());
  validators.set(key, validator);
  return validator;
}

/** What `result` is follows from the call; a selection leaves parts of records. */
function shapeOfResult(
  { entity, action, select_fields: selected, exclude_fields: excluded }: Json,
  isAlso: boolean,
): string | object {
  switch (action) {
    case 'search':
    case 'context_store_search':
      if (isAlso) return 'BothSearchResults';
      return action === 'search' ? 'SearchResult' : 'ContextStoreSearchResult';
    case 'check':
      return { type: 'object' };
  }
  const isWhole = (selected ?? excluded ?? null) === null;
  const record = {
    anyOf: allKinds()
      .flatMap(({ entities }) => Object.values(entities).filter(({ name }) => name === entity))
      .map((each) => (isWhole ? recordSchema(each.record) : { type: 'object' })),
  };
  return action === 'list' ? { type: 'array', items: record } : record;
}

/** Some clients show nothing of a fault but its message. */
function assertSubjects(problem: unknown): void {
  // It has been checked.
  const { code, errors } = problem as {
    readonly code: string;
    readonly errors: readonly { readonly field: string; readonly message: string }[];
  };
  const isAboutName = /^unknown_|^unsupported_action$/.test(code);
  for (const { field, message } of errors)
    assert.ok(isAboutName || message.startsWith(`${field} `), `${field}: ${message}`);
}

interface FoundOperation {
  readonly method: string;
  readonly path: RegExp;
  readonly operation: object;
  /** Where the operation is in the document. */
  readonly at: string;
}

/** What a program may want to read of an answer is in the document. */
function assertHeaders(found: FoundOperation | undefined, { status, headers }: Exchange['answer']) {
  if (found === undefined) return;
  // By OpenAPI.
  const { responses } = found.operation as { readonly responses: Readonly<Record<string, Json>> };
  const { headers: declared } = responses[status >= 400 ? 'default' : String(status)] ?? {};
  const names = new Set(isJsonObject(declared) ? Object.keys(declared).map(lowerCase) : []);
  for (const name of Object.keys(HEADERS).map(lowerCase))
    assert.ok(!headers.has(name) || names.has(name), `${found.at} ${status}: ${name}`);
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** Where the answer of a status and type is in an operation; `undefined` where it is not. */
function mediaAt(
  { operation }: FoundOperation,
  status: number,
  type: string | undefined,
): string | undefined {
  // By OpenAPI.
  const { responses } = operation as { readonly responses: Readonly<Record<string, Json>> };
  const key = status >= 400 ? 'default' : String(status);
  const response = responses[key];
  if (response === undefined) return undefined;
  const { content } = response;
  if (!isJsonObject(content)) return type === undefined ? `/responses/${key}` : undefined;
  const named = Object.keys(content).find((each) => ['*/*', type].includes(each.split(';', 1)[0]));
  return named === undefined
    ? undefined
    : `/responses/${key}/content/${named.replaceAll('/', '~1')}`;
}

function operationsIn(document: Json): readonly FoundOperation[] {
  // By OpenAPI: paths of operations.
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, object>>>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method,
      operation,
      path: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+').replace(/\*$/, '.+')}$`),
      at: `#/paths/${path.replaceAll('/', '~1')}/${method}`,
    })),
  );
}

/** Checks values against the schema at a place in a document. */
function checkerOf(document: object): (at: string, value: unknown) => void {
  const compiled = new Map<string, Validator>();
  const compile = (schema: object) => {
    const whole = cutOut(document, schema);
    return compiledOnce(JSON.stringify(whole), () => whole);
  };
  return (at, value) => {
    const { names, schema } = narrow(document, lookUp(document, at), value);
    const place = [at, ...names].join(' ');
    const validator = compiled.get(place) ?? compile(schema);
    compiled.set(place, validator);
    assertValid(validator, value, at);
  };
}

/** Of the many calls that `execute` takes, those of the entity and action that a value names. */
function narrow(
  document: object,
  schema: object,
  value: unknown,
): { names: readonly string[]; schema: object } {
  const resolved = resolve(document, schema);
  const { anyOf } = resolved as { readonly anyOf?: readonly object[] };
  if (anyOf === undefined || !isJsonObject(value)) return { names: [], schema };
  const isPossible = (member: string, name: unknown, branch: object) => {
    const { properties } = resolve(document, branch) as { readonly properties?: Json };
    const words = properties?.[member];
    if (!isJsonObject(words)) return true;
    const { const: only = name, enum: some = [name] } = words;
    return only === name && Array.isArray(some) && some.includes(name);
  };
  const names = [value['entity'], value['action']].map(String);
  const possible = anyOf.filter(
    (branch) =>
      isPossible('entity', value['entity'], branch) &&
      isPossible('action', value['action'], branch),
  );
  return { names, schema: { anyOf: possible } };
}

function resolve(document: object, schema: object): object {
  const { $ref } = schema as { readonly $ref?: string };
  return $ref === undefined ? schema : lookUp(document, $ref);
}

/** A schema with the components that it needs: whole documents take seconds to compile. */
function cutOut(document: object, schema: object): object {
  const schemas: Record<string, object> = {};
  const need = (inner: object) => {
    const named = JSON.stringify(inner).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name = ''] of named) {
      if (Object.hasOwn(schemas, name)) continue;
      schemas[name] = lookUp(document, `#/components/schemas/${name}`);
      need(schemas[name]);
    }
  };
  need(schema);
  return { ...schema, components: { schemas } };
}

/** What a JSON pointer points to. */
function lookUp(document: object, pointer: string): object {
  const names = pointer.split('/').slice(1);
  const found = names.reduce<unknown>((value, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isJsonObject(value) ? value[key] : undefined;
  }, document);
  assert.ok(isJsonObject(found), `nothing at ${pointer}`);
  return found;
}

function assertValid(validator: Validator, value: unknown, at = 'the record'): void {
  if (validator.Check(value)) return;
  const [, errors] = validator.Errors(value);
  const told = errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  assert.fail(`not as ${at} says: ${told.join('; ')}\n${JSON.stringify(value).slice(0, 2_000)}`);
}

/** A schema that takes only the members it names, and only the known words of a list. */
function strict(schema: object): object {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    if (!isJsonObject(value)) return value;
    // What vendors send inside a field may have more than they document.
    if ('x-members' in value) return value;
    const { 'x-extensible-enum': words, ...rest } = value;
    const isClosed = rest['type'] === 'object' && 'properties' in rest;
    return {
      ...(isClosed ? { additionalProperties: false } : {}),
      ...Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, inner(each)])),
      ...(words === undefined ? {} : { enum: words }),
    };
  };
  // Objects stay objects.
  return inner(JSON.parse(JSON.stringify(schema))) as object;
}
