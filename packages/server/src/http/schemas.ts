import { ERRORS } from '@patchbay/connectors';

/** JSON Schemas of what goes in and out, for the OpenAPI document. */

const text = { type: 'string' } as const;
const instant = { type: 'string', format: 'date-time' } as const;
const uuid = { type: 'string', format: 'uuid' } as const;
const flag = { type: 'boolean' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const instantOrNull = { type: ['string', 'null'], format: 'date-time' } as const;
const countOrNull = { type: ['integer', 'null'], minimum: 0 } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const copyState = {
  type: 'string',
  enum: ['never', 'syncing', 'idle', 'failed', 'paused'],
} as const;
const searchable = { type: 'object', additionalProperties: true } as const;

export const SCHEMAS = {
  Problem: {
    type: 'object',
    description: 'Every failure. Branch on `code`; `retry` says whether repeating can help.',
    required: [
      'type',
      'title',
      'status',
      'detail',
      'code',
      'retry',
      'request_id',
      'message',
      'errors',
    ],
    properties: {
      type: { type: 'string', format: 'uri' },
      title: text,
      status: { type: 'integer' },
      detail: text,
      code: { type: 'string', enum: Object.keys(ERRORS) },
      retry: { type: 'string', enum: ['never', 'after', 'backoff', 'reauth'] },
      request_id: uuid,
      message: text,
      errors: { type: 'array', items: { $ref: '#/components/schemas/Fault' } },
      details: { type: 'object', additionalProperties: true },
    },
  },
  Fault: {
    type: 'object',
    required: ['field', 'message', 'error_code', 'details'],
    properties: {
      field: { type: 'string', description: 'Dotted path, for example `params.limit`.' },
      message: text,
      error_code: {
        type: 'string',
        enum: ['missing', 'unknown', 'wrong_type', 'out_of_range', 'not_allowed', 'conflict'],
      },
      details: {
        type: 'object',
        properties: { allowed: text, did_you_mean: text },
      },
    },
  },
  TokenRequest: object({ client_id: text, client_secret: text }),
  Token: object({
    access_token: text,
    token_type: { type: 'string', const: 'bearer' },
    expires_in: { type: 'integer', const: 900 },
  }),
  ScopedTokenRequest: object(
    {
      external_user_id: { type: 'string', minLength: 1, maxLength: 4096 },
      access: { type: 'string', enum: ['read', 'write'], default: 'write' },
      connector_ids: { type: 'array', items: uuid, minItems: 1, maxItems: 100 },
    },
    ['external_user_id'],
  ),
  ScopedToken: object({ token: text, expires_in: { type: 'integer', const: 1200 } }),
  ScopedTokenInfo: object({
    organization_id: uuid,
    external_user_id: text,
    access: { type: 'string', enum: ['read', 'write'] },
    expires_at: instant,
  }),
  Connector: object({
    id: uuid,
    name: text,
    connector_type: text,
    definition_id: uuid,
    external_user_id: text,
    status: {
      type: 'string',
      enum: ['pending', 'active', 'degraded', 'reauth_required', 'paused'],
    },
    config: { type: 'object' },
    replication_config: { type: ['object', 'null'] },
    created_at: instant,
    updated_at: instant,
    last_synced_at: instantOrNull,
    summarized_source_template: object({ name: text, connector_name: text }),
  }),
  ConnectorPage: object({
    data: { type: 'array', items: { $ref: '#/components/schemas/Connector' } },
    next: { type: ['string', 'null'] },
  }),
  CheckReport: object(
    {
      id: uuid,
      status: { type: 'string', enum: ['succeeded', 'failed'] },
      error_message: text,
      entity_check_results: {
        type: 'array',
        items: object(
          {
            entity: text,
            status: { type: 'string', enum: ['succeeded', 'failed'] },
            error_code: text,
            error_message: text,
          },
          ['entity', 'status'],
        ),
      },
    },
    ['id', 'status', 'entity_check_results'],
  ),
  Inspection: {
    allOf: [
      { $ref: '#/components/schemas/Connector' },
      object({
        context_store_readiness: object({
          configured_cache_entities: {
            type: 'array',
            items: object({
              entity: text,
              status: {
                type: 'string',
                enum: ['initializing', 'preview', 'ready', 'failed', 'forbidden'],
              },
              ready_for_search: flag,
              entity_count: count,
              updated_at: instantOrNull,
            }),
          },
        }),
      }),
    ],
  },
  SyncRun: object({
    run_id: uuid,
    cause: {
      type: 'string',
      enum: ['creation', 'schedule', 'demand', 'credentials', 'definition'],
    },
    state: {
      type: 'string',
      enum: ['queued', 'running', 'succeeded', 'failed', 'cancelled'],
    },
    requested_at: instant,
    started_at: instantOrNull,
    finished_at: instantOrNull,
  }),
  SyncView: object({
    current: {
      description: 'The run that is queued or under way.',
      anyOf: [{ $ref: '#/components/schemas/SyncRun' }, { type: 'null' }],
    },
    last: {
      description: 'The last run that ended.',
      anyOf: [{ $ref: '#/components/schemas/SyncRun' }, { type: 'null' }],
    },
    entities: {
      type: 'array',
      items: object({
        entity: text,
        state: copyState,
        as_of: instantOrNull,
        complete: flag,
        entity_count: count,
        mode: { type: ['string', 'null'], enum: ['full', 'increment', null] },
        records: countOrNull,
        pages: countOrNull,
        checkpoint: { description: 'For the service alone.' },
        error: {
          anyOf: [object({ code: text, message: text }), { type: 'null' }],
        },
        updated_at: instantOrNull,
      }),
    },
  }),
  Freshness: {
    description: 'How fresh the copy is that was searched.',
    ...object({
      state: copyState,
      as_of: { ...instantOrNull, description: 'Start of the last complete read.' },
      complete: { ...flag, description: 'The first full read is done.' },
      lag_seconds: { ...countOrNull, description: 'Seconds since as_of.' },
    }),
  },
  SearchResult: object({
    hits: {
      type: 'array',
      items: object({ id: text, score: { type: 'number' }, data: searchable }),
    },
    next_cursor: textOrNull,
    took_ms: count,
    sync: { $ref: '#/components/schemas/Freshness' },
  }),
  ContextStoreSearchResult: object({
    data: { type: 'array', items: searchable },
    meta: object({ has_more: flag, cursor: textOrNull, took_ms: count }),
    sync: { $ref: '#/components/schemas/Freshness' },
  }),
  KindDescription: { type: 'object', additionalProperties: true },
  ExecutionMetadata: object(
    {
      connector_instance_id: uuid,
      execution_time_ms: { type: 'integer' },
      request_id: uuid,
      upstream: { type: 'string', description: 'Set where the upstream is not the real one.' },
    },
    ['connector_instance_id', 'execution_time_ms', 'request_id'],
  ),
} as const;

/** A reference to one of the schemas. */
export function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object whose members are all required, or those that are named. */
export function object(
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = Object.keys(properties),
): object {
  return { type: 'object', required, properties };
}
