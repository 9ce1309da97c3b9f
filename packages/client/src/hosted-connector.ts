import {
  ConnectorError,
  describeEntity,
  describeKind,
  findEntity,
  type ConnectorKind,
  type EntityDescription,
  type EntityName,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import type { ConnectorCheck } from './connector-info.ts';
import type { HostedCallOptions, HostedCalls, HostedExecute } from './hosted-calls.ts';
import type { RemoteConnector, UntypedPage, UntypedRecord } from './remote-connector.ts';
import type { RequestOptions } from './service-client.ts';
import type { ConnectorSync } from './sync-status.ts';

/** A connector of kind `K` in hosted mode: `connector.<entity>.<action>(params)`. */
export type HostedConnector<K extends ConnectorKind = ConnectorKind> = HostedCalls<K> & {
  readonly id: string;
  /** Runs an operation by name; same results as the typed calls. */
  readonly execute: HostedExecute<K>;
  /** Names of the entities, in the order of the service reference. */
  entities(): readonly EntityName<K>[];
  /** The whole kind, or one entity: actions, params, record and searchable fields. */
  describe(): KindDescription;
  describe(entity: EntityName<K>): EntityDescription;
  /** Tries the credentials with cheap reads. */
  check(options?: RequestOptions): Promise<ConnectorCheck>;
  /** `sync()` asks for a sync; `sync.status()` and `sync.watch()` tell how it goes. */
  readonly sync: ConnectorSync;
};

type Json = Readonly<Record<string, unknown>>;

/** A connector whose kind the compiler does not know: everything by name. */
export interface UntypedConnector {
  readonly id: string;
  /** A list gives `{ data, meta }`, a download a file, anything else the record. */
  execute(
    entity: string,
    action: string,
    params?: Json,
    options?: HostedCallOptions,
  ): Promise<unknown>;
  /** Walks a list page by page, one page in memory. */
  pages(
    entity: string,
    params?: Json,
    options?: HostedCallOptions,
  ): AsyncGenerator<UntypedPage, void, undefined>;
  /** Walks a list record by record, one page in memory. */
  all(
    entity: string,
    params?: Json,
    options?: HostedCallOptions,
  ): AsyncGenerator<UntypedRecord, void, undefined>;
  entities(): readonly string[];
  describe(): KindDescription;
  describe(entity: string): EntityDescription;
  check(options?: RequestOptions): Promise<ConnectorCheck>;
  readonly sync: ConnectorSync;
}

/** What a connector's surface is made from. */
interface SurfaceParts {
  readonly remote: RemoteConnector;
  /** Its kind, in words; asked of the service where only that knows the kind. */
  readonly description: KindDescription | undefined;
  readonly check: (options?: RequestOptions) => Promise<ConnectorCheck>;
  readonly sync: ConnectorSync;
}

/** The call surface of a connector; typed and untyped connectors are the same object. */
export function makeSurface({ remote, description, check, sync }: SurfaceParts): UntypedConnector {
  const { kind } = remote;
  const actions = kind === undefined ? actionsIn(description) : actionsOf(kind);
  const describe = (entityName?: string) =>
    kind === undefined
      ? describeByName(description, entityName)
      : entityName === undefined
        ? describeKind(kind)
        : describeEntity(kind, findEntity(kind, entityName));
  const surface = {
    ...Object.fromEntries(
      actions.map(([entityName, verbs]) => [entityName, entityCalls(remote, entityName, verbs)]),
    ),
    id: remote.id,
    execute: remote.execute.bind(remote),
    pages: remote.pages.bind(remote),
    all: remote.all.bind(remote),
    entities: () => actions.map(([entityName]) => entityName),
    describe,
    check,
    sync,
  };
  // `describe` gives the kind without a name, and the entity with one.
  return surface as unknown as UntypedConnector;
}

/** What can be called on each entity, searches included. */
type Actions = readonly (readonly [entity: string, verbs: readonly string[]])[];

function actionsOf(kind: ConnectorKind): Actions {
  return Object.values(kind.entities).map(({ name, actions, search }) => [
    name,
    [...Object.keys(actions), ...(search === undefined ? [] : ['search'])],
  ]);
}

function actionsIn(description: KindDescription | undefined): Actions {
  return (description?.entities ?? []).map(({ name, actions, searchable }) => [
    name,
    [...actions.map((action) => action.name), ...(searchable.length === 0 ? [] : ['search'])],
  ]);
}

function entityCalls(remote: RemoteConnector, entityName: string, verbs: readonly string[]): Json {
  return Object.fromEntries(
    verbs.map((verb) => {
      const call = (params?: unknown, options?: HostedCallOptions) =>
        remote.execute(entityName, verb, params, options);
      return [verb, Object.assign(call, walksOf(remote, entityName, verb))];
    }),
  );
}

function walksOf(remote: RemoteConnector, entityName: string, verb: string): Json {
  if (verb === 'list')
    return {
      pages: (params?: unknown, options?: HostedCallOptions) =>
        remote.pages(entityName, params, options),
      all: (params?: unknown, options?: HostedCallOptions) =>
        remote.all(entityName, params, options),
    };
  if (verb === 'search')
    return {
      pages: (params?: unknown, options?: HostedCallOptions) =>
        remote.searchPages(entityName, params, options),
      all: (params?: unknown, options?: HostedCallOptions) =>
        remote.searchAll(entityName, params, options),
    };
  return {};
}

function describeByName(
  description: KindDescription | undefined,
  entityName: string | undefined,
): KindDescription | EntityDescription | undefined {
  if (entityName === undefined) return description;
  const entities = description?.entities ?? [];
  const entity = entities.find(({ name }) => name === entityName);
  if (entity !== undefined) return entity;
  const allowed = entities.map(({ name }) => name);
  throw new ConnectorError(
    'unknown_entity',
    { allowed },
    { message: `There is no entity of that name; there are ${allowed.join(', ')}.` },
  );
}
