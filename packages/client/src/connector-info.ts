import type {
  CheckReport,
  KindAlias,
  KindConfig,
  KindCredentials,
  KindName,
  KindNamed,
  Kinds,
  SettingsOf,
} from '@patchbay/connectors/definitions';
import type { RequestOptions } from './service-client.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A connector as the service has it: everything but its credentials. */
export interface ConnectorInfo {
  readonly id: string;
  readonly name: string;
  /** The canonical name of its kind. */
  readonly connector_type: string;
  readonly definition_id: string;
  readonly external_user_id: string;
  readonly status: string;
  readonly config: JsonObject;
  readonly replication_config: JsonObject | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_synced_at: string | null;
  readonly summarized_source_template: { readonly name: string; readonly connector_name: string };
}

/** One page of connectors. */
export interface ConnectorPage {
  readonly data: readonly ConnectorInfo[];
  /** Cursor of the next page, or null. */
  readonly next: string | null;
}

/** Which connectors to list: those of the external user, oldest first, of one kind or of all. */
export interface ConnectorFilter {
  readonly connector_type?: string;
  readonly definition_id?: string;
  /** Connectors a page; 1,000 by default. */
  readonly limit?: number;
  readonly cursor?: string;
}

type ReplicationConfig<N extends KindName> = SettingsOf<Kinds[N]['replicationConfig']>;

type TypedParts<N extends KindName> = {
  readonly credentials: KindCredentials<Kinds[N]>;
  readonly config?: KindConfig<Kinds[N]>;
} & (RequiresReplicationConfig<N> extends true
  ? { readonly replication_config: ReplicationConfig<N> }
  : { readonly replication_config?: ReplicationConfig<N> | null });

/** A kind without any setting, or with optional ones only, requires none. */
type RequiresReplicationConfig<N extends KindName> =
  keyof Kinds[N]['replicationConfig'] extends never
    ? false
    : Partial<ReplicationConfig<N>> extends ReplicationConfig<N>
      ? false
      : true;

interface UntypedParts {
  readonly credentials: Readonly<Record<string, string>>;
  readonly config?: JsonObject;
  readonly replication_config?: JsonObject | null;
}

/**
 * A connector to be created. Where `connector_type` is the literal name or alias of a kind, the
 * rest is typed by that kind; later kinds are for the service to check.
 */
export type NewConnector<T extends string = string> = {
  readonly connector_type: T;
  readonly name: string;
  /** Try the credentials upstream before anything is stored. */
  readonly verify?: boolean;
} & (T extends KindName | KindAlias ? TypedParts<KindNamed<T>> : UntypedParts);

/** A change of a connector; absent members stay, objects merge member by member. */
export interface ConnectorChange {
  readonly name?: string;
  readonly credentials?: Readonly<Record<string, string>>;
  readonly config?: JsonObject;
  readonly replication_config?: JsonObject;
  /** Stops replication; calls go on. */
  readonly paused?: boolean;
}

/** Whether the credentials of a connector work, entity by entity. */
export interface ConnectorCheck extends CheckReport {
  readonly id: string;
}

/** A connector, and how far its searchable copies are. */
export interface ConnectorInspection extends ConnectorInfo {
  readonly context_store_readiness: {
    readonly configured_cache_entities: readonly EntityReadiness[];
  };
}

export interface EntityReadiness {
  readonly entity: string;
  /** `initializing`, `preview` (searchable, but not whole yet), `ready`, `failed` or `forbidden`. */
  readonly status: string;
  /** The first full copy is done. */
  readonly ready_for_search: boolean;
  readonly entity_count: number;
  readonly updated_at: string | null;
}

/** Lists one page; `pages` and `all` go through all of them. */
export interface ListConnectors {
  (filter?: ConnectorFilter, options?: RequestOptions): Promise<ConnectorPage>;
  pages(
    filter?: ConnectorFilter,
    options?: RequestOptions,
  ): AsyncGenerator<ConnectorPage, void, undefined>;
  all(
    filter?: ConnectorFilter,
    options?: RequestOptions,
  ): AsyncGenerator<ConnectorInfo, void, undefined>;
}
