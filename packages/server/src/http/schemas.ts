import { isJsonObject } from '@patchbay/connectors/engine';
import {
  ActionDescription,
  Application,
  ApplicationPage,
  ApplicationSecret,
  ApplicationToken,
  AuthMethodDescription,
  BothSearchResults,
  ConnectKind,
  ConnectPageSession,
  ConnectSession,
  ConnectSessionPage,
  Connector,
  ConnectorCheck,
  ConnectorFreshness,
  ConnectorInspection,
  ConnectorPage,
  ConsoleSession,
  ConsoleToken,
  TrialConnector,
  ContextStoreSearchResult,
  EntityDescription,
  EntityReadiness,
  EntitySyncStatus,
  ExecutionMetadata,
  FieldDescription,
  Freshness,
  InlineFile,
  KeyRotation,
  KeysInUse,
  KindDescription,
  LastError,
  ListedApplication,
  ListedConnectSession,
  MasterKeyUse,
  NewApplication as NewApplicationAnswer,
  NewApplicationSecret,
  NewConnectSession,
  NewSigningKey,
  ParamDescription,
  Problem,
  PROBLEM_DETAILS,
  ProblemFault,
  Readiness,
  ScopedToken,
  ScopedTokenInfo,
  SearchHit,
  SearchResult,
  SettingDescription,
  SigningKeyUse,
  StatFigures,
  StatPoint,
  Stats,
  SyncRun,
  SyncRunPage,
  SyncRunReport,
  SyncStatus,
} from '@patchbay/connectors/wire';

/** What the OpenAPI document calls the shapes of the wire contract that have a name in it. */
const NAMED = {
  Problem,
  Fault: ProblemFault,
  Token: ApplicationToken,
  ScopedToken,
  ScopedTokenInfo,
  ListedApplication,
  ApplicationPage,
  Application,
  NewApplicationAnswer,
  ApplicationSecret,
  NewApplicationSecret,
  Connector,
  ConnectorFreshness,
  LastError,
  ConnectorPage,
  ConnectSession,
  ListedConnectSession,
  ConnectSessionPage,
  NewConnectSession,
  ConnectKind,
  ConnectPageSession,
  ConsoleSession,
  ConsoleToken,
  TrialConnector,
  CheckReport: ConnectorCheck,
  EntityReadiness,
  Inspection: ConnectorInspection,
  SyncRun,
  SyncRunReport,
  SyncRunPage,
  EntitySync: EntitySyncStatus,
  SyncView: SyncStatus,
  StatFigures,
  StatPoint,
  Stats,
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
  Readiness,
  KeysInUse,
  MasterKeyUse,
  SigningKeyUse,
  KeyRotation,
  NewSigningKey,
} as const;

const NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(NAMED).map(([name, schema]) => [schema, name]),
);

/** JSON Schemas of what the service sends, for the OpenAPI document. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  ...Object.fromEntries(Object.entries(NAMED).map(([name, schema]) => [name, inner(schema)])),
  Problem: { ...inner(Problem), allOf: detailsByCode() },
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

/** The name of a schema that is made of words. */
export function schemaName(...words: readonly string[]): string {
  return words
    .flatMap((word) => word.split(/[-_]/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function inner(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, withRefs(member)]),
  );
}

/** What the details of a problem are follows from its code. */
function detailsByCode(): readonly object[] {
  const byShape = Map.groupBy(Object.entries(PROBLEM_DETAILS), ([, shape]) =>
    JSON.stringify(shape),
  );
  return [...byShape.values()].map((same) => ({
    if: { properties: { code: { enum: same.map(([code]) => code) } } },
    // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema calls it so, and nobody awaits it
    then: { properties: { details: same[0]?.[1] } },
  }));
}
