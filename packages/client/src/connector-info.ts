import type {
  KindAlias,
  KindConfig,
  KindCredentials,
  KindName,
  KindNamed,
  Kinds,
  SettingsOf,
} from '@patchbay/connectors/definitions';
import type { Connector, ConnectorPage } from '@patchbay/connectors/wire';
import type { RequestOptions } from './call-options.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Which of the external user's connectors to list, oldest first: those that match every member given. */
export interface ConnectorFilter {
  readonly connector_type?: string | undefined;
  readonly definition_id?: string | undefined;
  /** Their state, as in `status`. */
  readonly status?: Connector['status'] | undefined;
  /** Text in their name, external user or account, ignoring case; 1 to 255 characters. */
  readonly q?: string | undefined;
  /** Connectors a page; 1,000 by default. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
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

/** Options of creating a connector. */
export interface NewConnectorOptions extends RequestOptions {
  /**
   * With it, the connector is made once in 24 hours, however often it is asked for: trouble on the way is met by asking
   * again. None unless given: services before 0.2 do not know it, and would make several.
   */
  readonly idempotencyKey?: string | undefined;
}

/** What a person's consent is asked for: another connector, or other credentials for one. */
export type ConsentRequest = {
  /** Where the person comes back to; on the application's list of return URLs. */
  readonly redirect_url: string;
  /** What our page calls the external user; their id unless said. */
  readonly user_label?: string;
} & (
  | {
      /** The kind, by its name or alias. */
      readonly connector_type: KindName | KindAlias | (string & {});
      /** The kind's display name unless said. */
      readonly name?: string;
      /** What is required of it, and missing, is as usual for the kind. */
      readonly replication_config?: JsonObject | null;
      readonly config?: JsonObject;
      readonly connector_id?: never;
    }
  | {
      /** A connector that is given credentials anew. */
      readonly connector_id: string;
      readonly connector_type?: KindName | KindAlias | (string & {});
      readonly name?: never;
      readonly replication_config?: never;
      readonly config?: never;
    }
);

/** A change of a connector; absent members stay, objects merge member by member. */
export interface ConnectorChange {
  readonly name?: string;
  readonly credentials?: Readonly<Record<string, string>>;
  /** With credentials of another account or person: they take over, and what was copied is deleted. */
  readonly replace_account?: boolean;
  readonly config?: JsonObject;
  readonly replication_config?: JsonObject;
  /** Stops copying; calls and searches go on. */
  readonly paused?: boolean;
  /** Stops calls and searches, too. Only for a client that was made with credentials of the application. */
  readonly disabled?: boolean;
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
  ): AsyncGenerator<Connector, void, undefined>;
}
