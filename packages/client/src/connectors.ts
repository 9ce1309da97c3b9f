import { ConnectorError, eachOfPages, quote, type Clock } from '@patchbay/connectors/definitions';
import {
  Connector,
  ConnectorCheck,
  ConnectorInspection,
  ConnectorPage,
  ConsentUrl,
  DeletedConnector,
  KindDescription,
  RequestedRun,
  SyncRunPage,
  SyncStatus,
} from '@patchbay/connectors/wire';
import { checkOptionsOfCall, type RequestOptions } from './call-options.ts';
import type {
  ConnectorChange,
  ConnectorFilter,
  ConsentRequest,
  ListConnectors,
  NewConnector,
  NewConnectorOptions,
} from './connector-info.ts';
import { checkIdempotencyKey } from './idempotency-key.ts';
import { isUuid } from './is-uuid.ts';
import { jsonText } from './json-text.ts';
import type { ServiceClient } from './service-client.ts';
import { needsApplication } from './service-errors.ts';
import type { RunListOptions, SyncConnectors, WatchOptions } from './sync-status.ts';
import { watchSync } from './sync-watch.ts';
import { withQuery } from './with-query.ts';

const COLLECTION = '/v1/integrations/connectors';
/** The same collection; here a new connector belongs to the token's external user by default. */
const COLLECTION_OF_TOKEN = `/api${COLLECTION}`;

interface ConnectorsParts {
  readonly service: ServiceClient;
  /** With tokens of the application itself; `undefined` where the client was given tokens of somebody else. */
  readonly ofApplication: ServiceClient | undefined;
  readonly clock: Clock;
  /** `undefined` where only the token says it. */
  readonly externalUserId: string | undefined;
}

/**
 * The connectors of one external user. Every call throws `ConnectorError` by the error table, or
 * the reason of `options.signal` when it aborts.
 *
 * @see docs/wire.md#connectors
 */
export class Connectors {
  readonly #service: ServiceClient;
  readonly #ofApplication: ServiceClient | undefined;
  readonly #clock: Clock;
  readonly #externalUserId: string | undefined;
  readonly list: ListConnectors;
  /** `sync(id)` asks for a sync; `sync.status(id)` and `sync.watch(id)` tell how it goes, `sync.runs(id)` how the last ones went. */
  readonly sync: SyncConnectors;

  constructor({ service, ofApplication, clock, externalUserId }: ConnectorsParts) {
    this.#service = service;
    this.#ofApplication = ofApplication;
    this.#clock = clock;
    this.#externalUserId = externalUserId;
    this.sync = Object.assign(this.#requestSync.bind(this), {
      status: this.#fetchSyncStatus.bind(this),
      runs: this.#fetchRuns.bind(this),
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
   * `write_outcome_unknown` when the connection broke and no `idempotencyKey` was given: list the connectors then.
   */
  async create<const T extends string>(
    connector: NewConnector<T>,
    given: NewConnectorOptions = {},
  ): Promise<Connector> {
    checkOptionsOfCall(given, { idempotencyKey: true });
    const { idempotencyKey, ...options } = given;
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
    return this.#service.fetchJson(Connector, {
      request: {
        method: 'POST',
        path: this.#collection,
        body: jsonText({ ...connector, external_user_id: this.#externalUserId }),
      },
      write: {
        action: 'connectors.create',
        howToFindOut: 'List the connectors and look for its name.',
        idempotencyKey,
      },
      options,
    });
  }

  /**
   * Where to send the person whose consent makes a connector of the external user, or gives the one
   * with `connector_id` other credentials: `consent_url`, good for 10 minutes, in one browser. The
   * person comes back to `redirect_url`, with `connector_id` or with `error` in its query.
   *
   * Not marked as a write: a repetition makes another address, and one that nobody visits does
   * nothing.
   *
   * @throws `oauth_not_configured`, which says what to set; `invalid_request` for a `redirect_url`
   * that is not on the application's list.
   */
  async initiateOAuth(request: ConsentRequest, options?: RequestOptions): Promise<ConsentUrl> {
    return this.#service.fetchJson(ConsentUrl, {
      request: {
        method: 'POST',
        path: `${this.#collection}/oauth/initiate`,
        body: jsonText({ ...request, external_user_id: this.#externalUserId }),
      },
      options,
    });
  }

  /** @throws `connector_not_found`, also for someone else's. */
  async get(id: string, options?: RequestOptions): Promise<Connector> {
    return this.#service.fetchJson(Connector, {
      request: { method: 'GET', path: itemPath(id) },
      options,
    });
  }

  /**
   * Changes a connector; new credentials end `reauth_required`.
   *
   * @throws `forbidden` for `disabled`, where the client has no credentials of an application.
   */
  async update(id: string, change: ConnectorChange, options?: RequestOptions): Promise<Connector> {
    const service =
      change.disabled === undefined ? this.#service : await this.#switching(id, options);
    return service.fetchJson(Connector, {
      request: { method: 'PATCH', path: itemPath(id), body: jsonText(change) },
      write: {
        action: 'connectors.update',
        howToFindOut: 'Get the connector to see; the same change may be made twice.',
      },
      options,
    });
  }

  /** What may disable and enable a connector. Its tokens open those of other external users, too. */
  async #switching(id: string, options: RequestOptions | undefined): Promise<ServiceClient> {
    if (this.#ofApplication === undefined)
      throw needsApplication('Connectors are disabled and enabled');
    // It is the external user's own, or this throws.
    await this.get(id, options);
    return this.#ofApplication;
  }

  /**
   * Deletes a connector and its credentials; `job_id` names the job that clears its records. What an
   * authorization server issued is revoked upstream, unless `revoke` is false.
   */
  async delete(
    id: string,
    given: RequestOptions & { readonly revoke?: boolean } = {},
  ): Promise<{ readonly job_id: string }> {
    checkOptionsOfCall(given, { revoke: true });
    const { revoke = true, ...options } = given;
    return this.#service.fetchJson(DeletedConnector, {
      request: { method: 'DELETE', path: `${itemPath(id)}${revoke ? '' : '?revoke=false'}` },
      write: {
        action: 'connectors.delete',
        howToFindOut: 'Get the connector: connector_not_found says that it is gone.',
      },
      options,
    });
  }

  /** Tries the credentials upstream; what the upstream refuses is in the report, not thrown. */
  async check(id: string, options?: RequestOptions): Promise<ConnectorCheck> {
    return this.#service.fetchJson(ConnectorCheck, {
      request: { method: 'POST', path: `${itemPath(id)}/check` },
      options,
    });
  }

  /** The connector, and how far its searchable copies are. */
  async inspect(id: string, options?: RequestOptions): Promise<ConnectorInspection> {
    return this.#service.fetchJson(ConnectorInspection, {
      request: { method: 'GET', path: `${itemPath(id)}/inspect` },
      options,
    });
  }

  /** Entities, actions, params and fields of a connector, as the service knows them. */
  async describe(id: string, options?: RequestOptions): Promise<KindDescription> {
    return this.#service.fetchJson(KindDescription, {
      request: { method: 'GET', path: `${itemPath(id)}/describe` },
      options,
    });
  }

  /** Not marked as a write: a repetition joins the run that is queued, so it does no harm. */
  async #requestSync(id: string, options?: RequestOptions): Promise<RequestedRun> {
    return this.#service.fetchJson(RequestedRun, {
      request: { method: 'POST', path: syncPath(id) },
      options,
    });
  }

  async #fetchSyncStatus(id: string, options?: RequestOptions): Promise<SyncStatus> {
    return this.#service.fetchJson(SyncStatus, {
      request: { method: 'GET', path: syncPath(id) },
      options,
    });
  }

  async #fetchRuns(id: string, given: RunListOptions = {}): Promise<SyncRunPage> {
    checkOptionsOfCall(given, { limit: true, cursor: true });
    const { limit, cursor, ...options } = given;
    return this.#service.fetchJson(SyncRunPage, {
      request: { method: 'GET', path: withQuery(`${syncPath(id)}/runs`, { limit, cursor }) },
      options,
    });
  }

  async *#watchSync(
    id: string,
    options: WatchOptions = {},
  ): AsyncGenerator<SyncStatus, void, undefined> {
    const path = `${syncPath(id)}/events`;
    yield* watchSync({ service: this.#service, clock: this.#clock, path, options });
  }

  /** Where what is created belongs to the client's external user. */
  get #collection(): string {
    return this.#externalUserId === undefined ? COLLECTION_OF_TOKEN : COLLECTION;
  }

  async #fetchPage(filter: ConnectorFilter = {}, options?: RequestOptions): Promise<ConnectorPage> {
    const path = withQuery(COLLECTION, filter);
    return this.#service.fetchJson(ConnectorPage, { request: { method: 'GET', path }, options });
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

  #all(
    filter?: ConnectorFilter,
    options?: RequestOptions,
  ): AsyncGenerator<Connector, void, undefined> {
    return eachOfPages(this.#pages(filter, options), ({ data }) => data, options?.signal);
  }
}

function syncPath(id: unknown): string {
  return `${itemPath(id)}/sync`;
}

/** Anything but an id would lead to another route, or out of the collection. */
function itemPath(id: unknown): string {
  if (typeof id === 'string' && isUuid(id)) return `${COLLECTION}/${id}`;
  const shown = typeof id === 'string' ? id.slice(0, 64) : quote(id);
  throw new ConnectorError(
    'connector_not_found',
    { id: shown },
    { message: `No connector within reach has the id ${JSON.stringify(shown)}.` },
  );
}
