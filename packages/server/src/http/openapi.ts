import type { ConnectorKind } from '@patchbay/connectors';
import { allKinds, recordSchema } from '@patchbay/connectors/engine';
import {
  BothSearchResults,
  ContextStoreSearchResult,
  ExecuteAnswer,
  type Problem,
  SearchResult,
  type TrialConnector,
} from '@patchbay/connectors/wire';
import { isOfOneApplication, REACH } from '../access/reach.ts';
import { curlLine } from './curl-line.ts';
import { APPLICATION_PARAMETER } from './in-place-of-application.ts';
import { Examples } from './openapi-examples.ts';
import { HEADERS, headersOfFailure, headersOfSuccess } from './openapi-headers.ts';
import { PROBLEM_TYPE } from './problem.ts';
import type { Media, Route, RouteParameter } from './route.ts';
import { requestSchemas } from './request-schemas.ts';
import { ref, SCHEMAS, schemaName, withRefs } from './schemas.ts';

const JSON_TYPE = 'application/json';

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI document, as far as readers here need to know it. */
export interface OpenApi {
  readonly openapi: '3.1.1';
  readonly info: Json;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: {
    readonly schemas: Json;
    readonly headers: Json;
    readonly securitySchemes: Json;
    readonly responses?: Json;
  };
}

/** What the tags of the routes are about, in the order in which they are shown. */
const TAGS: Readonly<Record<string, string>> = {
  Tokens:
    'Log in with the client id and secret of an application, and make tokens for external users.',
  Kinds: 'What can be connected, and what each kind needs.',
  Connectors: 'Connections of external users to the systems that they use.',
  Execute: 'Read, write and search: every call of every connector has one shape.',
  Synchronisation: 'The searchable copies: how far they are, and asking for newer ones.',
  Stats: 'What happened over time, for charts.',
  'Connect sessions': 'Links by which an external user connects an account.',
  Consent: 'Consent at the vendor (OAuth), and the OAuth apps that it is asked with.',
  MCP: 'The same as tools for models.',
  Applications: "Applications and their secrets, for the operator's key.",
  Operation: "What keeps the service as a whole, for the operator's key.",
  'Connect page': 'What the page of a connect session asks for.',
  Console: 'What the web console asks for, with a cookie of its own; no other route takes that.',
  System: 'State, and the documents of this interface.',
};

/** Where the service says to be reached, besides the address that a document comes from. */
export interface OpenApiOptions {
  readonly kinds?: readonly ConnectorKind[];
  /** The operator's word; never that of a request. */
  readonly publicUrl?: string | undefined;
  /** Connectors that work at once here: examples of how one is created. */
  readonly trials?: readonly TrialConnector[];
}

/**
 * The OpenAPI 3.1 document of the routes. What can be executed, and what a connector of each kind
 * needs, comes from the definitions; the failures come from the error table.
 */
export function buildOpenApi(
  routes: readonly Route[],
  version: string,
  { kinds = allKinds(), publicUrl, trials = [] }: OpenApiOptions = {},
): OpenApi {
  const schemas = { ...SCHEMAS, ...requestSchemas(kinds, trials), ...recordSchemas(kinds) };
  const examples = new Examples(schemas);
  const used = new Set(routes.map(({ doc }) => doc.tag));
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes)
    for (const [index, path] of [route.path, ...(route.also ?? [])].entries()) {
      const item = (paths[openApiPath(path)] ??= {});
      item[route.method.toLowerCase()] = operationOf(route, { path, isAlso: index > 0, examples });
    }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Patchbay',
      version,
      description: 'Read from, search and write to business systems through one call shape.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: '/', description: 'Where this document comes from.' },
      ...(publicUrl === undefined
        ? []
        : [{ url: publicUrl, description: 'Where the operator says the service is.' }]),
    ],
    tags: [...used]
      .toSorted((a, b) => tagRank(a) - tagRank(b))
      .map((name) => ({ name, ...(name in TAGS ? { description: TAGS[name] ?? '' } : {}) })),
    paths,
    components: { schemas, headers: HEADERS, securitySchemes: SECURITY_SCHEMES },
  };
}

const PROBLEM = {
  type: 'https://patchbay.dev/errors/invalid_params',
  title: 'The params do not fit the action.',
  status: 422,
  detail: 'params.limit must be an integer, got "ten".',
  code: 'invalid_params',
  retry: 'never',
  request_id: '0199b3a4-7c1e-7d55-9f0a-3b1c5d7e9f01',
  message: 'params.limit must be an integer, got "ten".',
  errors: [
    {
      field: 'params.limit',
      message: 'params.limit must be an integer, got "ten"',
      error_code: 'wrong_type',
      details: {},
    },
  ],
  details: {},
} satisfies Problem;

const SECURITY_SCHEMES = {
  applicationToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Of an application, for its backend: `access_token` of `POST /api/v1/account/applications/token`. It lives 15 minutes.',
  },
  scopedToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Of one external user: `token` of `POST /api/v1/account/applications/scoped-token`. It lives 20 minutes.',
  },
  operatorKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      "The key of `PATCHBAY_OPERATOR_KEY`, for applications and operation, and in the place of any application. An operator token of `POST /console/token` does the same, but acts in no application's place.",
  },
};

function tagRank(tag: string): number {
  const rank = Object.keys(TAGS).indexOf(tag);
  return rank === -1 ? Infinity : rank;
}

function openApiPath(path: string): string {
  return path.replace(/:([a-z_]+)/g, '{$1}');
}

/** Generators of clients name methods by it: a word in camel case, which stays as long as the path does. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/\/$/, '/root')
    .replace(/\*$/, 'any')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const capitalised = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + capitalised.join('');
}

function operationOf(
  route: Route,
  {
    path,
    isAlso,
    examples,
  }: { readonly path: string; readonly isAlso: boolean; readonly examples: Examples },
): Json {
  const { method, doc, reach } = route;
  const body = (isAlso ? doc.alsoBody : undefined) ?? doc.body;
  const parameters = [
    ...[...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => ({
      in: 'path',
      name,
      required: true,
      schema: { type: 'string' },
    })),
    ...(isOfOneApplication(reach) ? [parameterOf('query', APPLICATION_PARAMETER)] : []),
    ...(doc.query ?? []).map((each) => parameterOf('query', each)),
    ...(doc.headers ?? []).map((each) => parameterOf('header', each)),
  ];
  const requestContent =
    body === undefined
      ? undefined
      : contentOf(JSON_TYPE, withRefs(body), { examples, isWhole: false });
  const shown = curlLine({
    method,
    path: openApiPath(path),
    needsToken: REACH[reach].needsToken,
    ...(doc.accept === undefined ? {} : { accept: doc.accept }),
    ...(body === undefined
      ? {}
      : { body: Object.values(examples.ofEach(withRefs(body), false))[0] }),
  });
  return {
    operationId: operationIdOf(method, path),
    summary: doc.summary,
    tags: [doc.tag],
    description: `${isAlso ? 'For clients of other generations.\n\n' : ''}\`\`\`sh\n${shown}\n\`\`\``,
    security: securityOf(reach),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestContent === undefined
      ? {}
      : { requestBody: { required: true, content: requestContent } }),
    responses: responsesOf(route, examples),
  };
}

function responsesOf(route: Route, examples: Examples): Json {
  const { status = 200, type = JSON_TYPE, answer, isTagged, further = {} } = route.doc;
  const { default: failure = {}, ...rest } = further;
  const own = String(status);
  const answers = {
    ...rest,
    [own]: { ...(status === 204 ? {} : { [type]: answer }), ...rest[own] },
  };
  const successes = Object.entries(answers).map(([each, media]) => [
    each,
    {
      description: 'Success.',
      headers: headersOfSuccess(route),
      ...(Object.keys(media).length === 0 ? {} : { content: mediaOf(media, examples) }),
    },
  ]);
  return {
    ...(Object.fromEntries(successes) as Json),
    ...(isTagged === true
      ? {
          '304': {
            description: 'It is as `If-None-Match` says that the client has it.',
            headers: headersOfSuccess(route),
          },
        }
      : {}),
    default: {
      description: 'Failure.',
      headers: headersOfFailure(route),
      content: {
        [PROBLEM_TYPE.split(';', 1)[0] ?? '']: { schema: ref('Problem'), example: PROBLEM },
        ...mediaOf(failure, examples),
      },
    },
  };
}

function mediaOf(media: Media, examples: Examples): Json {
  const contents = Object.entries(media).map(([type, schema]) =>
    schema === undefined
      ? { [type]: {} }
      : contentOf(type, withRefs(schema), { examples, isWhole: true }),
  );
  // Of different types.
  return Object.assign({}, ...contents) as Json;
}

/** Of a request there is an example of each form, of an answer one with all members. */
function contentOf(
  type: string,
  schema: unknown,
  { examples, isWhole }: { readonly examples: Examples; readonly isWhole: boolean },
): Json {
  const values = isWhole ? { example: examples.of(schema, true) } : examples.ofEach(schema, false);
  const named = Object.entries(values).map(([name, value]) => [name, { value }] as const);
  return { [type]: { schema, examples: Object.fromEntries(named) } };
}

function securityOf(routeClass: Route['reach']): readonly Json[] {
  const { needsToken, application, scoped, operator } = REACH[routeClass];
  if (!needsToken) return [];
  return [
    ...(application ? [{ applicationToken: [] }] : []),
    ...(scoped === 'no' ? [] : [{ scopedToken: [] }]),
    ...(operator === 'no' ? [] : [{ operatorKey: [] }]),
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
