import {
  ConnectorError,
  isJsonObject,
  quote,
  type Clock,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import type {
  ConnectorChange,
  ConnectorCheck,
  ConnectorFilter,
  ConnectorInfo,
  ConnectorInspection,
  ConnectorPage,
  ListConnectors,
  NewConnector,
} from './connector-info.ts';
import { jsonText } from './json-text.ts';
import type { RequestOptions, ServiceClient } from './service-client.ts';
import { unexpectedAnswer } from './service-errors.ts';
import type { RequestedRun, SyncConnectors, SyncStatus, WatchOptions } from './sync-status.ts';
import { statusOf, watchSync } from './sync-watch.ts';

const COLLECTION = '/v1/integrations/connectors';
/** The same collection; here a new connector belongs to the token's external user by default. */
const COLLECTION_OF_TOKEN = `/api${COLLECTION}`;

/**
 * The connectors of one external user. Every call throws `ConnectorError` by the error table, or
 * the reason of `options.signal` when it aborts.
 *
 * @see docs/wire.md#connectors
 */
export class Connectors {
  readonly #service: ServiceClient;
  readonly #clock: Clock;
  readonly #externalUserId: string | undefined;
  readonly list: ListConnectors;
  /** `sync(id)` asks for a sync; `sync.status(id)` and `sync.watch(id)` tell how it goes. */
  readonly sync: SyncConnectors;

  /** @param externalUserId `undefined` where only the token says it. */
  constructor(service: ServiceClient, clock: Clock, externalUserId: string | undefined) {
    this.#service = service;
    this.#clock = clock;
    this.#externalUserId = externalUserId;
    this.sync = Object.assign(this.#requestSync.bind(this), {
      status: this.#fetchSyncStatus.bind(this),
      watch: this.#watchSync.bind(this),
    });
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
        path: this.#externalUserId === undefined ? COLLECTION_OF_TOKEN : COLLECTION,
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
    // It has the members that docs/wire.md#connectors lists.
    return answer as unknown as ConnectorCheck;
  }

  /** The connector, and how far its searchable copies are. */
  async inspect(id: string, options?: RequestOptions): Promise<ConnectorInspection> {
    const answer = await this.#service.fetchJson({
      request: { method: 'GET', path: `${itemPath(id)}/inspect` },
      options,
    });
    if (!isJsonObject(answer) || !isJsonObject(answer['context_store_readiness']))
      throw this.#unexpected('an inspection');
    // It has the members that docs/wire.md#connectors lists.
    return answer as unknown as ConnectorInspection;
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

  /** Not marked as a write: a repetition joins the run that is queued, so it does no harm. */
  async #requestSync(id: string, options?: RequestOptions): Promise<RequestedRun> {
    const answer = await this.#service.fetchJson({
      request: { method: 'POST', path: syncPath(id) },
      options,
    });
    const { run_id: runId } = isJsonObject(answer) ? answer : {};
    if (typeof runId !== 'string') throw this.#unexpected('the id of a run');
    return { run_id: runId };
  }

  async #fetchSyncStatus(id: string, options?: RequestOptions): Promise<SyncStatus> {
    const answer = await this.#service.fetchJson({
      request: { method: 'GET', path: syncPath(id) },
      options,
    });
    return statusOf(answer, this.#service);
  }

  async *#watchSync(
    id: string,
    options: WatchOptions = {},
  ): AsyncGenerator<SyncStatus, void, undefined> {
    const path = `${syncPath(id)}/events`;
    yield* watchSync({ service: this.#service, clock: this.#clock, path, options });
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
    // It has the members that docs/wire.md#connectors lists.
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

function syncPath(id: unknown): string {
  return `${itemPath(id)}/sync`;
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
