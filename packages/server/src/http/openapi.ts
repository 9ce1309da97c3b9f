import {
  allKinds,
  describeKind,
  ERRORS,
  recordSchema,
  type ActionDescription,
  type ConnectorKind,
  type Entity,
  type ErrorRow,
} from '@patchbay/connectors';
import { REACH } from '../access/reach.ts';
import { PROBLEM_TYPE } from './problem.ts';
import type { Route, RouteParameter } from './route.ts';
import { object, ref, SCHEMAS } from './schemas.ts';

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
export function buildOpenApi(routes: readonly Route[], version: string): OpenApi {
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
      schemas: { ...SCHEMAS, ...kindSchemas() },
      securitySchemes: {
        applicationToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        scopedToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
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
    ...(doc.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: doc.body } } } }),
    responses: {
      [String(doc.status ?? 200)]: {
        description: 'Success.',
        content: contentOf(doc.type ?? 'application/json', doc.answer),
      },
      default: {
        description: 'Failure.',
        content: contentOf(PROBLEM_TYPE.split(';', 1)[0] ?? '', ref('Problem')),
      },
    },
  };
}

function contentOf(type: string, schema: object | undefined): Json {
  return { [type]: schema === undefined ? {} : { schema } };
}

function securityOf(routeClass: Route['reach']): readonly Json[] {
  const { needsToken, application, scoped } = REACH[routeClass];
  if (!needsToken) return [];
  return [
    ...(application ? [{ applicationToken: [] }] : []),
    ...(scoped === 'no' ? [] : [{ scopedToken: [] }]),
  ];
}

function parameterOf(place: 'query' | 'header', { name, doc, schema }: RouteParameter): Json {
  return { in: place, name, description: doc, required: false, schema };
}

function kindSchemas(): Json {
  const kinds = allKinds();
  const calls = kinds.flatMap(executeSchemas);
  return {
    NewConnector: { oneOf: kinds.map(newConnectorSchema) },
    ConnectorChange: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 255 },
        paused: { type: 'boolean' },
        credentials: { type: 'object' },
        config: { type: 'object' },
        replication_config: { type: 'object' },
      },
    },
    ExecuteRequest: { oneOf: calls.map(({ name }) => ref(name)) },
    ...Object.fromEntries(calls.map(({ name, schema }) => [name, schema])),
    ...Object.fromEntries(calls.flatMap(({ parts }) => parts)),
    ...Object.fromEntries(
      kinds.flatMap((kind) =>
        Object.values(kind.entities).map((entity) => [
          recordName(kind, entity),
          { ...recordSchema(entity.record), description: entity.doc },
        ]),
      ),
    ),
    ExecuteAnswer: executeAnswerSchema(kinds),
  };
}

/** The body of a call, and the schemas that it refers to. */
interface CallSchema {
  readonly name: string;
  readonly schema: Json;
  readonly parts: readonly (readonly [name: string, schema: unknown])[];
}

/** One for each entity and action. */
function executeSchemas(kind: ConnectorKind): readonly CallSchema[] {
  return describeKind(kind).entities.flatMap((entity) =>
    entity.actions.map((action) => {
      const name = schemaName(kind.kind, entity.name, action.name);
      const { $defs = {}, ...params } = withPartsNamed(action.params_schema, name);
      return {
        name,
        schema: callSchema(entity.name, action, params),
        parts: Object.entries($defs).map(([part, each]) => [name + schemaName(part), each]),
      };
    }),
  );
}

/** Its definitions become schemas of the document, where alone tools look for them. */
function withPartsNamed(schema: object, name: string): Json & { readonly $defs?: Json } {
  const text = JSON.stringify(schema).replace(
    /"#\/\$defs\/(\w+)/g,
    (_, part: string) => `"#/components/schemas/${name}${schemaName(part)}`,
  );
  // A JSON Schema, as it was.
  return JSON.parse(text) as Json;
}

function callSchema(entityName: string, action: ActionDescription, params: Json): Json {
  const { name, aliases = [] } = action;
  const needsParams = action.params.some(({ required }) => required);
  const fieldNames = { type: 'array', items: { type: 'string' } };
  return {
    type: 'object',
    description: action.doc,
    required: ['entity', 'action', ...(needsParams ? ['params'] : [])],
    properties: {
      entity: { const: entityName },
      action: aliases.length === 0 ? { const: name } : { enum: [name, ...aliases] },
      params,
      ...(action.hosted_only === true
        ? {}
        : { select_fields: fieldNames, exclude_fields: fieldNames }),
    },
  };
}

function executeAnswerSchema(kinds: readonly ConnectorKind[]): object {
  const records = kinds.flatMap((kind) =>
    Object.values(kind.entities).map((entity) => ref(recordName(kind, entity))),
  );
  return object({
    status: { const: 'success' },
    result: {
      description: 'A list of records, one record, or what a search found.',
      anyOf: [
        { type: 'array', items: { anyOf: records } },
        ...records,
        ref('SearchResult'),
        ref('ContextStoreSearchResult'),
        { type: 'object', additionalProperties: true },
      ],
    },
    connector_metadata: { type: 'object', additionalProperties: true },
    execution_metadata: ref('ExecutionMetadata'),
  });
}

/** Fields of credentials, each under its own name or its alias. */
function credentialsSchema({
  label,
  doc,
  fields,
}: ReturnType<typeof describeKind>['auth_methods'][number]): object {
  const required = fields.filter((field) => field.required);
  const aliased = required.filter(({ alias }) => alias !== undefined);
  const eitherName = aliased.map(({ name, alias }) => ({
    oneOf: [{ required: [name] }, { required: [alias] }],
  }));
  const properties = fields.flatMap(({ name, alias, doc: description }) => {
    const schema = { type: 'string', minLength: 1, description, writeOnly: true };
    return alias === undefined
      ? [[name, schema] as const]
      : [[name, schema] as const, [alias, schema] as const];
  });
  return {
    title: label,
    description: doc,
    type: 'object',
    required: required.filter(({ alias }) => alias === undefined).map(({ name }) => name),
    ...(eitherName.length === 0 ? {} : { allOf: eitherName }),
    properties: Object.fromEntries(properties),
  };
}

function newConnectorSchema(kind: ConnectorKind): object {
  const { auth_methods: methods, config, replication_config: replication } = describeKind(kind);
  const credentials = methods.map(credentialsSchema);
  const settings = (list: typeof config) => ({
    type: 'object',
    required: list.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(list.map(({ name, schema }) => [name, schema])),
  });
  return {
    title: kind.displayName,
    anyOf: [{ required: ['connector_type'] }, { required: ['definition_id'] }],
    ...object(
      {
        external_user_id: { type: 'string', minLength: 1, maxLength: 4096 },
        connector_type: { enum: [kind.kind, ...kind.aliases] },
        definition_id: { const: kind.definitionId, description: 'Instead of connector_type.' },
        name: { type: 'string', minLength: 1, maxLength: 255 },
        credentials: { oneOf: credentials },
        replication_config: settings(replication.fields),
        config: settings(config),
        verify: {
          type: 'boolean',
          default: false,
          description: 'Try the credentials upstream before anything is stored.',
        },
      },
      [
        'external_user_id',
        'name',
        'credentials',
        ...(replication.required ? ['replication_config'] : []),
      ],
    ),
  };
}

function schemaName(...words: readonly string[]): string {
  return words
    .flatMap((word) => word.split(/[-_]/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function recordName(kind: ConnectorKind, { name }: Entity): string {
  return schemaName(kind.kind, name, 'record');
}
