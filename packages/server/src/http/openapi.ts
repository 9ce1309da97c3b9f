import { ERRORS, type ConnectorKind, type ErrorRow } from '@patchbay/connectors';
import { allKinds, recordSchema } from '@patchbay/connectors/engine';
import {
  BothSearchResults,
  ContextStoreSearchResult,
  ExecuteAnswer,
  SearchResult,
} from '@patchbay/connectors/wire';
import { REACH } from '../access/reach.ts';
import { PROBLEM_TYPE } from './problem.ts';
import type { Route, RouteParameter } from './route.ts';
import { requestSchemas } from './request-schemas.ts';
import { ref, SCHEMAS, schemaName, withRefs } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI document, as far as readers here need to know it. */
export interface OpenApi {
  readonly openapi: '3.1.1';
  readonly info: Json;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json };
}

/**
 * The OpenAPI 3.1 document of the routes. What can be executed, and what a connector of each kind
 * needs, comes from the definitions; the failures come from the error table.
 */
export function buildOpenApi(
  routes: readonly Route[],
  version: string,
  kinds: readonly ConnectorKind[] = allKinds(),
): OpenApi {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes)
    for (const [index, path] of [route.path, ...(route.also ?? [])].entries()) {
      const item = (paths[openApiPath(path)] ??= {});
      item[route.method.toLowerCase()] = operationOf(route, path, index > 0);
    }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Patchbay',
      version,
      description: 'Read from, search and write to business systems through one call shape.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: {
      schemas: { ...SCHEMAS, ...requestSchemas(kinds), ...recordSchemas(kinds) },
      securitySchemes: {
        applicationToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        scopedToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        operatorKey: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

/** The errors by HTTP status, for people. */
export function errorTable(): readonly (ErrorRow & { readonly code: string })[] {
  return Object.entries(ERRORS)
    .map(([code, row]) => ({ code, ...row }))
    .toSorted((a, b) => a.status - b.status);
}

function openApiPath(path: string): string {
  return path.replace(/:([a-z_]+)/g, '{$1}');
}

function operationOf({ method, doc, reach }: Route, path: string, isAlso: boolean): Json {
  const body = (isAlso ? doc.alsoBody : undefined) ?? doc.body;
  const parameters = [
    ...[...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => ({
      in: 'path',
      name,
      required: true,
      schema: { type: 'string' },
    })),
    ...(doc.query ?? []).map((each) => parameterOf('query', each)),
    ...(doc.headers ?? []).map((each) => parameterOf('header', each)),
  ];
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^a-z0-9]+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: doc.summary,
    tags: [doc.tag],
    ...(isAlso ? { description: 'For clients of other generations.' } : {}),
    security: securityOf(reach),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: contentOf('application/json', body) } }),
    responses: {
      [String(doc.status ?? 200)]: {
        description: 'Success.',
        ...(doc.status === 204
          ? {}
          : { content: contentOf(doc.type ?? 'application/json', doc.answer) }),
      },
      default: {
        description: 'Failure.',
        content: contentOf(PROBLEM_TYPE.split(';', 1)[0] ?? '', ref('Problem')),
      },
    },
  };
}

function contentOf(type: string, schema: object | undefined): Json {
  return { [type]: schema === undefined ? {} : { schema: withRefs(schema) } };
}

function securityOf(routeClass: Route['reach']): readonly Json[] {
  const { needsToken, application, scoped, operator } = REACH[routeClass];
  if (!needsToken) return [];
  return [
    ...(application ? [{ applicationToken: [] }] : []),
    ...(scoped === 'no' ? [] : [{ scopedToken: [] }]),
    ...(operator ? [{ operatorKey: [] }] : []),
  ];
}

function parameterOf(place: 'query' | 'header', { name, doc, schema }: RouteParameter): Json {
  return { in: place, name, description: doc, required: false, schema };
}

function recordSchemas(kinds: readonly ConnectorKind[]): Json {
  const records = kinds.flatMap((kind) =>
    Object.values(kind.entities).map(
      ({ name, doc, record }) =>
        [
          schemaName(kind.kind, name, 'record'),
          { ...recordSchema(record), description: doc },
        ] as const,
    ),
  );
  const refs = records.map(([name]) => ref(name));
  const { properties, ...envelope } = ExecuteAnswer;
  const found = [SearchResult, ContextStoreSearchResult, BothSearchResults];
  const anyRecord = { type: 'object', description: 'A part of a record.' };
  const result = {
    ...properties.result,
    anyOf: [
      { type: 'array', items: { anyOf: [...refs, anyRecord] } },
      ...refs,
      ...found,
      anyRecord,
    ],
  };
  return {
    ...Object.fromEntries(records),
    ExecuteAnswer: withRefs({ ...envelope, properties: { ...properties, result } }),
  };
}
