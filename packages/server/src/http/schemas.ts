import { isJsonObject } from '@patchbay/connectors';
import {
  ActionDescription,
  ApplicationToken,
  AuthMethodDescription,
  BothSearchResults,
  Connector,
  ConnectorCheck,
  ConnectorInspection,
  ConnectorPage,
  ContextStoreSearchResult,
  EntityDescription,
  EntityReadiness,
  EntitySyncStatus,
  ExecutionMetadata,
  FieldDescription,
  Freshness,
  InlineFile,
  KindDescription,
  ParamDescription,
  Problem,
  PROBLEM_DETAILS,
  ProblemFault,
  ScopedToken,
  ScopedTokenInfo,
  SearchHit,
  SearchResult,
  SettingDescription,
  SyncRun,
  SyncStatus,
} from '@patchbay/connectors/wire';
import { EXTERNAL_USER_SYNONYMS } from '../operations/input.ts';

/** What the OpenAPI document calls the shapes of the wire contract that have a name in it. */
const NAMED = {
  Problem,
  Fault: ProblemFault,
  Token: ApplicationToken,
  ScopedToken,
  ScopedTokenInfo,
  Connector,
  ConnectorPage,
  CheckReport: ConnectorCheck,
  EntityReadiness,
  Inspection: ConnectorInspection,
  SyncRun,
  EntitySync: EntitySyncStatus,
  SyncView: SyncStatus,
  Freshness,
  SearchHit,
  SearchResult,
  ContextStoreSearchResult,
  BothSearchResults,
  InlineFile,
  FieldDescription,
  ParamDescription,
  ActionDescription,
  EntityDescription,
  SettingDescription,
  AuthMethodDescription,
  KindDescription,
  ExecutionMetadata,
} as const;

const NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(NAMED).map(([name, schema]) => [schema, name]),
);

const text = { type: 'string' } as const;

/** By any of these names a request tells whose connector it is. */
const EXTERNAL_USER = ['external_user_id', ...EXTERNAL_USER_SYNONYMS];

/** The members of a request that tell the external user. */
export const EXTERNAL_USER_MEMBERS: Readonly<Record<string, object>> = Object.fromEntries(
  EXTERNAL_USER.map((name) => [name, { type: 'string', minLength: 1, maxLength: 4096 }]),
);

/** That one of those is there. */
export const HAS_EXTERNAL_USER = anyRequired(EXTERNAL_USER);

/** JSON Schemas of what goes in and out, for the OpenAPI document. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  ...Object.fromEntries(Object.entries(NAMED).map(([name, schema]) => [name, inner(schema)])),
  Problem: { ...inner(Problem), allOf: detailsByCode() },
  TokenRequest: object({ client_id: text, client_secret: text }),
  ScopedTokenRequest: {
    ...requestObject({
      ...EXTERNAL_USER_MEMBERS,
      access: { type: 'string', enum: ['read', 'write'], default: 'write' },
      connector_ids: {
        type: 'array',
        items: { type: 'string', format: 'uuid' },
        minItems: 1,
        maxItems: 100,
      },
    }),
    ...HAS_EXTERNAL_USER,
  },
};

/** A reference to one of the schemas. */
export function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** A schema with references in the place of those that have a name. */
export function withRefs(schema: unknown): unknown {
  const name = NAMES.get(schema);
  if (name !== undefined) return ref(name);
  if (Array.isArray(schema)) return schema.map(withRefs);
  return isJsonObject(schema) ? inner(schema) : schema;
}

/** An object whose members are all required, or those that are named. */
export function object(
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = Object.keys(properties),
): object {
  return { type: 'object', required, properties };
}

/** An object of a request: a member that is not required may be null, which says as little. */
export function requestObject(
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): object {
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : orNull(schema),
  ]);
  return { type: 'object', required, properties: Object.fromEntries(members) as object };
}

/** A value of the schema, or null. */
export function orNull(schema: object): object {
  return { anyOf: [schema, { type: 'null' }] };
}

/** That one at least of the members is there. */
export function anyRequired(names: readonly string[]): object {
  return { anyOf: names.map((name) => ({ required: [name] })) };
}

function inner(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, withRefs(member)]),
  );
}

/** What the details of a problem are follows from its code. */
function detailsByCode(): readonly object[] {
  const byShape = Map.groupBy(Object.entries(PROBLEM_DETAILS), ([, shape]) => JSON.stringify(shape));
  return [...byShape.values()].map((same) => ({
    if: { properties: { code: { enum: same.map(([code]) => code) } } },
    then: { properties: { details: same[0]?.[1] } },
  }));
}
