import {
  ConnectorError,
  isJsonObject,
  quote,
  type CheckReport,
  type KindConfig,
  type KindCredentials,
  type KindDescription,
  type KindName,
  type Kinds,
  type SettingsOf,
} from '@patchbay/connectors/definitions';
import { jsonText } from './json-text.ts';
import type { RequestOptions, ServiceClient } from './service-client.ts';
import { unexpectedAnswer } from './service-errors.ts';

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
  /** Connectors a page, 1,000 unless said. */
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
 * A connector to be created. Where `connector_type` is the literal name of a kind, the rest is
 * typed by that kind; aliases (`slack`) and later kinds are for the service to check.
 */
export type NewConnector<T extends string = string> = {
  readonly connector_type: T;
  readonly name: string;
  /** Try the credentials upstream before anything is stored. */
  readonly verify?: boolean;
} & (T extends KindName ? TypedParts<T> : UntypedParts);

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

const COLLECTION = '/v1/integrations/connectors';

/**
 * The connectors of one external user. Every call throws `ConnectorError` by the error table, or
 * the reason of `options.signal` when it aborts.
 *
 * @see wire contract, part 3
 */
export class Connectors {
  readonly #service: ServiceClient;
  readonly #externalUserId: string;
  readonly list: ListConnectors;

  constructor(service: ServiceClient, externalUserId: string) {
    this.#service = service;
    this.#externalUserId = externalUserId;
    this.list = Object.assign(this.#fetchPage.bind(this), {
      pages: this.#pages.bind(this),
      all: this.#all.bind(this),
    });
  }

  /**
   * Creates a connector for the external user.
   *
   * @throws `invalid_request` and its like with every fault; with `verify`, what the upstream says;
   * `write_outcome_unknown` when the connection broke: list the connectors then.
   */
  async create<const T extends string>(
    connector: NewConnector<T>,
    options?: RequestOptions,
  ): Promise<ConnectorInfo> {
    const answer = await this.#service.fetchJson({
      request: {
        method: 'POST',
        path: COLLECTION,
        body: jsonText({ ...connector, external_user_id: this.#externalUserId }),
      },
      write: {
        action: 'connectors.create',
        howToFindOut: 'List the connectors and look for its name.',
      },
      options,
    });
    return this.#connectorIn(answer);
  }

  /** @throws `connector_not_found`, also for someone else's. */
  async get(id: string, options?: RequestOptions): Promise<ConnectorInfo> {
    const answer = await this.#service.fetchJson({
      request: { method: 'GET', path: itemPath(id) },
      options,
    });
    return this.#connectorIn(answer);
  }

  /** Changes a connector; new credentials end `reauth_required`. */
  async update(
    id: string,
    change: ConnectorChange,
    options?: RequestOptions,
  ): Promise<ConnectorInfo> {
    const answer = await this.#service.fetchJson({
      request: { method: 'PATCH', path: itemPath(id), body: jsonText(change) },
      write: {
        action: 'connectors.update',
        howToFindOut: 'Get the connector to see; the same change may be made twice.',
      },
      options,
    });
    return this.#connectorIn(answer);
  }

  /** Deletes a connector and its credentials; `job_id` names the job that clears its records. */
  async delete(id: string, options?: RequestOptions): Promise<{ readonly job_id: string }> {
    const answer = await this.#service.fetchJson({
      request: { method: 'DELETE', path: itemPath(id) },
      write: {
        action: 'connectors.delete',
        howToFindOut: 'Get the connector: connector_not_found says that it is gone.',
      },
      options,
    });
    const { job_id: jobId } = isJsonObject(answer) ? answer : {};
    if (typeof jobId !== 'string') throw this.#unexpected('a job id');
    return { job_id: jobId };
  }

  /** Tries the credentials upstream; what the upstream refuses is in the report, not thrown. */
  async check(id: string, options?: RequestOptions): Promise<ConnectorCheck> {
    const answer = await this.#service.fetchJson({
      request: { method: 'POST', path: `${itemPath(id)}/check` },
      options,
    });
    if (!isJsonObject(answer) || !Array.isArray(answer['entity_check_results']))
      throw this.#unexpected('a check report');
    // It has the members of the wire contract, part 3.
    return answer as unknown as ConnectorCheck;
  }

  /** Entities, actions, params and fields of a connector, as the service knows them. */
  async describe(id: string, options?: RequestOptions): Promise<KindDescription> {
    const answer = await this.#service.fetchJson({
      request: { method: 'GET', path: `${itemPath(id)}/describe` },
      options,
    });
    if (!isJsonObject(answer) || !Array.isArray(answer['entities']))
      throw this.#unexpected('a description');
    // The service renders it with `describeKind`, too.
    return answer as unknown as KindDescription;
  }

  async #fetchPage(filter: ConnectorFilter = {}, options?: RequestOptions): Promise<ConnectorPage> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filter))
      if ((value ?? null) !== null) query.set(name, String(value));
    const path = query.size === 0 ? COLLECTION : `${COLLECTION}?${query.toString()}`;
    const answer = await this.#service.fetchJson({ request: { method: 'GET', path }, options });
    const { data, next } = isJsonObject(answer) ? answer : {};
    if (!Array.isArray(data)) throw this.#unexpected('a page of connectors');
    return {
      data: data.map((each) => this.#connectorIn(each)),
      next: typeof next === 'string' ? next : null,
    };
  }

  async *#pages(
    filter: ConnectorFilter = {},
    options?: RequestOptions,
  ): AsyncGenerator<ConnectorPage, void, undefined> {
    let cursor: string | null | undefined = filter.cursor;
    do {
      const { cursor: _, ...rest } = filter;
      const page = await this.#fetchPage(
        cursor === undefined ? rest : { ...rest, cursor },
        options,
      );
      yield page;
      cursor = page.next;
    } while (cursor !== null);
  }

  async *#all(
    filter?: ConnectorFilter,
    options?: RequestOptions,
  ): AsyncGenerator<ConnectorInfo, void, undefined> {
    for await (const page of this.#pages(filter, options)) yield* page.data;
  }

  #connectorIn(answer: unknown): ConnectorInfo {
    if (!isJsonObject(answer) || typeof answer['id'] !== 'string')
      throw this.#unexpected('a connector');
    // It has the members of the wire contract, part 3.
    return answer as unknown as ConnectorInfo;
  }

  #unexpected(expected: string): ConnectorError {
    return unexpectedAnswer(this.#service.baseUrl, expected);
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of a connector, as opposed to the name of a kind. */
export function isConnectorId(text: string): boolean {
  return UUID.test(text);
}

/** Anything but an id would lead to another route, or out of the collection. */
function itemPath(id: unknown): string {
  if (typeof id === 'string' && isConnectorId(id)) return `${COLLECTION}/${id}`;
  const shown = typeof id === 'string' ? id.slice(0, 64) : quote(id);
  throw new ConnectorError(
    'connector_not_found',
    { id: shown },
    { message: `No connector within reach has the id ${JSON.stringify(shown)}.` },
  );
}
