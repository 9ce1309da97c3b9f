import {
  actionNamesOf,
  describedEntity,
  type ConnectorKind,
  type EntityDescription,
  type EntityName,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import type { ConnectorCheck, SearchHit as UntypedHit } from '@patchbay/connectors/wire';
import type { RequestOptions } from './call-options.ts';
import type { HostedCallOptions, HostedCalls, HostedExecute } from './hosted-calls.ts';
import type { RemoteConnector, UntypedPage, UntypedRecord } from './remote-connector.ts';
import type { SearchPage } from './search-page.ts';
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
  /** `sync()` asks for a sync; `sync.status()` and `sync.watch()` tell how it goes, `sync.runs()` how the last ones went. */
  readonly sync: ConnectorSync;
};

type Json = Readonly<Record<string, unknown>>;

/** Searches the service's copy of an entity, by its name; hits can be walked like lists. */
export interface UntypedSearch {
  /** One page of hits, and how fresh they are. */
  (entity: string, params: Json, options?: HostedCallOptions): Promise<SearchPage<UntypedHit>>;
  /** Page by page from the given cursor on, one page in memory. */
  pages(
    entity: string,
    params: Json,
    options?: HostedCallOptions,
  ): AsyncGenerator<SearchPage<UntypedHit>, void, undefined>;
  /** Hit by hit over all pages, one page in memory. */
  all(
    entity: string,
    params: Json,
    options?: HostedCallOptions,
  ): AsyncGenerator<UntypedHit, void, undefined>;
}

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
  readonly search: UntypedSearch;
  entities(): readonly string[];
  describe(): KindDescription;
  describe(entity: string): EntityDescription;
  check(options?: RequestOptions): Promise<ConnectorCheck>;
  readonly sync: ConnectorSync;
}

/** What a connector's surface is made from. */
interface SurfaceParts {
  readonly remote: RemoteConnector;
  /** Its kind, in words. */
  readonly describe: () => KindDescription;
  readonly check: (options?: RequestOptions) => Promise<ConnectorCheck>;
  readonly sync: ConnectorSync;
}

/** The call surface of a connector; typed and untyped connectors are the same object. */
export function makeSurface({ remote, describe, check, sync }: SurfaceParts): UntypedConnector {
  const actions = remote.kind === undefined ? actionsIn(describe()) : actionsOf(remote.kind);
  const surface = {
    ...Object.fromEntries(
      actions.map(([entityName, verbs]) => [entityName, entityCalls(remote, entityName, verbs)]),
    ),
    id: remote.id,
    execute: remote.execute.bind(remote),
    pages: remote.pages.bind(remote),
    all: remote.all.bind(remote),
    search: Object.assign(remote.search.bind(remote), {
      pages: remote.searchPages.bind(remote),
      all: remote.searchAll.bind(remote),
    }),
    entities: () => actions.map(([entityName]) => entityName),
    describe: (entityName?: string) =>
      entityName === undefined ? describe() : describedEntity(describe(), entityName),
    check,
    sync,
  };
  // `describe` gives the kind without a name, and the entity with one.
  return surface as unknown as UntypedConnector;
}

/** What can be called on each entity, searches included. */
type Actions = readonly (readonly [entity: string, verbs: readonly string[]])[];

function actionsOf(kind: ConnectorKind): Actions {
  return Object.values(kind.entities).map((entity) => [entity.name, actionNamesOf(entity)]);
}

function actionsIn({ entities }: KindDescription): Actions {
  return entities.map(({ name, actions }) => [name, actions.map((action) => action.name)]);
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
