import { describeKind, type ConnectorKind } from '@patchbay/connectors';
import { curlLine } from './curl-line.ts';
import type { OpenApi } from './openapi.ts';
import { Examples } from './openapi-examples.ts';
import { ref, schemaName } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const EXECUTE = '/api/v1/connectors/sources/{id}/execute';

/**
 * The OpenAPI document as a viewer shows it to people: every call of every kind is an operation of its
 * own, instead of one of hundreds of forms of one body, which no viewer lays out within seconds. Their
 * paths differ in the fragment, which is not sent.
 */
export function docsReference(openApi: OpenApi, kinds: readonly ConnectorKind[]): OpenApi {
  const { schemas } = openApi.components;
  const examples = new Examples(schemas);
  const calls = kinds.flatMap((kind) => callsOf(kind, openApi, examples));
  const shown = {
    ...openApi,
    components: {},
    tags: [
      ...openApi.tags,
      ...kinds.map(({ displayName, kind, doc }) => ({
        name: tagOf({ displayName, kind }),
        description: doc,
      })),
    ],
    paths: { ...openApi.paths, ...Object.fromEntries(calls) },
  };
  const { components } = openApi;
  const used = usedBy({ shown, RESPONSES }, shortened(schemas));
  return { ...shown, components: { ...components, responses: RESPONSES, schemas: used } };
}

/** Viewers take seconds for what nobody opens: the conditions of searches are most of the document. */
function shortened(schemas: Json): Json {
  const short = Object.entries(schemas).map(([name, schema]) => [
    name,
    SEARCH_PART.test(name) ? CONDITION : (SHORTENED[name] ?? schema),
  ]);
  return Object.fromEntries(short) as Json;
}

const SEARCH_PART = /Search\w*Filter$/;
const CONDITION = {
  type: 'object',
  description:
    'Conditions on searchable fields, by operator; the OpenAPI document has all of them.',
};

/** The schemas that a document leads to. */
function usedBy(document: object, schemas: Json): Json {
  const used = new Map<string, unknown>();
  const follow = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      if (used.has(name)) continue;
      used.set(name, schemas[name]);
      follow(schemas[name]);
    }
  };
  follow(document);
  return Object.fromEntries(used);
}

/** One for all calls. */
const RESPONSES = {
  Failure: {
    description: 'Failure.',
    content: { 'application/problem+json': { schema: ref('Problem') } },
  },
};

/** What the operations of the kinds tell in full. */
const SHORTENED: Json = {
  ExecuteRequest: {
    type: 'object',
    description: 'The calls of each kind are below, under its name.',
    required: ['entity', 'action'],
    properties: {
      entity: { type: 'string' },
      action: { type: 'string' },
      params: { type: 'object' },
      select_fields: { type: 'array', items: { type: 'string' } },
      exclude_fields: { type: 'array', items: { type: 'string' } },
    },
  },
};

function callsOf(
  kind: ConnectorKind,
  { paths }: OpenApi,
  examples: Examples,
): readonly (readonly [path: string, item: Readonly<Record<string, Json>>])[] {
  const execute = paths[EXECUTE]?.['post'] ?? {};
  return describeKind(kind).entities.flatMap(({ name: entity, actions }) =>
    actions.map((action) => {
      const name = schemaName(kind.kind, entity, action.name);
      const body = examples.of(ref(name), false);
      const curl = curlLine({ method: 'POST', path: EXECUTE, body, needsToken: true });
      const operation = {
        ...execute,
        operationId: name,
        summary: `${entity}.${action.name}`,
        description: `${action.doc}\n\n\`\`\`sh\n${curl}\n\`\`\``,
        tags: [tagOf(kind)],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: ref(name), example: body } },
        },
        responses: {
          '200': answerOf(resultOf(kind, entity, action.name)),
          default: { $ref: '#/components/responses/Failure' },
        },
      };
      return [`${EXECUTE}#${kind.kind}.${entity}.${action.name}`, { post: operation }] as const;
    }),
  );
}

function answerOf(result: Json | undefined): Json {
  if (result === undefined)
    return { description: 'The bytes of the file.', content: { 'application/octet-stream': {} } };
  const schema = {
    type: 'object',
    properties: {
      status: { const: 'success' },
      result,
      connector_metadata: { type: 'object' },
      execution_metadata: ref('ExecutionMetadata'),
    },
  };
  return { description: 'Success.', content: { 'application/json': { schema } } };
}

/** Nothing for a file. */
function resultOf(kind: ConnectorKind, entity: string, action: string): Json | undefined {
  if (action === 'download') return undefined;
  if (action === 'search') return ref('SearchResult') as Json;
  const record = ref(schemaName(kind.kind, entity, 'record')) as Json;
  return action === 'list' ? { type: 'array', items: record } : record;
}

function tagOf({ displayName, kind }: Pick<ConnectorKind, 'displayName' | 'kind'>): string {
  return `${displayName} (${kind})`;
}
