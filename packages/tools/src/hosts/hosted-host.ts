import type {
  HostedCallOptions,
  Patchbay,
  SearchPage,
  UntypedConnector,
  UntypedHit,
  UntypedPage,
} from '@patchbay/client';
import {
  ConnectorError,
  describedEntity,
  isJsonObject,
  quote,
  type Download,
  type EntityDescription,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import type { SyncStatus } from '@patchbay/connectors/wire';
import type {
  ExecuteCall,
  ExecuteOutcome,
  HostCallOptions,
  HostConnector,
  SearchCall,
  SearchOutcome,
  ToolHost,
} from '../host.ts';

/** A connector as a `Patchbay` client looks it up, of whatever kind. */
export interface HostedConnectorLike {
  readonly id: string;
  execute(
    entity: string,
    action: string,
    params?: unknown,
    options?: HostedCallOptions,
  ): Promise<unknown>;
  describe(): KindDescription;
  readonly sync: UntypedConnector['sync'];
}

/**
 * The connectors of an external user at a service, or one of them. What a token may reach and do is
 * for the service to say.
 */
export function hostedHost(target: Patchbay | HostedConnectorLike): ToolHost {
  return 'connectors' in target ? new ServiceHost(target) : new SingleHost(target);
}

/** At most so many connectors are kept after they were looked up. */
const MAX_KEPT = 1_000;

class ServiceHost implements ToolHost {
  readonly mode = 'hosted';
  readonly #patchbay: Patchbay;
  /** By id. The kind of a connector never changes, so each is looked up once. */
  readonly #kept = new Map<string, SingleHost>();

  constructor(patchbay: Patchbay) {
    this.#patchbay = patchbay;
  }

  async connectors(options?: HostCallOptions): Promise<readonly HostConnector[]> {
    const all: HostConnector[] = [];
    for await (const each of this.#patchbay.connectors.list.all({}, options))
      all.push({ id: each.id, kind: each.connector_type, name: each.name, status: each.status });
    return all;
  }

  async describe(connectorId: string, options?: HostCallOptions): Promise<KindDescription> {
    return (await this.#find(connectorId, options)).describe(connectorId);
  }

  async describeEntity(
    connectorId: string,
    entity: string,
    options?: HostCallOptions,
  ): Promise<EntityDescription> {
    const { connectors } = this.#patchbay;
    return describedEntity(await connectors.describe(connectorId, given(options)), entity);
  }

  async execute(
    connectorId: string,
    call: ExecuteCall,
    options?: HostCallOptions,
  ): Promise<ExecuteOutcome> {
    return (await this.#find(connectorId, options)).execute(connectorId, call, options);
  }

  async search(
    connectorId: string,
    call: SearchCall,
    options?: HostCallOptions,
  ): Promise<SearchOutcome> {
    return (await this.#find(connectorId, options)).search(connectorId, call, options);
  }

  syncStatus(connectorId: string, options?: HostCallOptions): Promise<SyncStatus> {
    return this.#patchbay.connectors.sync.status(connectorId, options);
  }

  async #find(id: string, options?: HostCallOptions): Promise<SingleHost> {
    const kept = this.#kept.get(id);
    if (kept !== undefined) return kept;
    const found = new SingleHost(await this.#patchbay.connector(id, given(options)));
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(id, found);
    return found;
  }
}

/** A connector that has been looked up; whoever asks for another one is told that there is none. */
class SingleHost implements ToolHost {
  readonly mode = 'hosted';
  readonly #connector: HostedConnectorLike;
  #description: KindDescription | undefined;

  constructor(connector: HostedConnectorLike) {
    this.#connector = connector;
  }

  async connectors(): Promise<readonly HostConnector[]> {
    const { kind, display_name: name } = this.#describe();
    return [{ id: this.#connector.id, kind, name }];
  }

  async describe(connectorId: string): Promise<KindDescription> {
    this.#requireOwn(connectorId);
    return this.#describe();
  }

  async describeEntity(connectorId: string, entity: string): Promise<EntityDescription> {
    return describedEntity(await this.describe(connectorId), entity);
  }

  async execute(
    connectorId: string,
    call: ExecuteCall,
    options?: HostCallOptions,
  ): Promise<ExecuteOutcome> {
    this.#requireOwn(connectorId);
    const { entity, action, params, selectFields, idempotencyKey } = call;
    const result = await this.#connector.execute(entity, action, params, {
      ...given(options),
      ...(selectFields === undefined ? {} : { selectFields }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    // The name of an action says what it returns: a file, a page or a record.
    if (action === 'download') return { type: 'file', file: result as Download };
    if (action !== 'list')
      return { type: 'record', record: isJsonObject(result) ? result : { result } };
    const { data: records, ...rest } = result as UntypedPage;
    return { type: 'page', records, ...rest };
  }

  async search(
    connectorId: string,
    { entity, params }: SearchCall,
    options?: HostCallOptions,
  ): Promise<SearchOutcome> {
    this.#requireOwn(connectorId);
    const page = await this.#connector.execute(entity, 'search', params, given(options));
    // A search gives a page of hits.
    const { execution_metadata: _, ...result } = page as SearchPage<UntypedHit>;
    return result;
  }

  async syncStatus(connectorId: string, options?: HostCallOptions): Promise<SyncStatus> {
    this.#requireOwn(connectorId);
    return this.#connector.sync.status(options);
  }

  /**
   * A model may know the ids of other connectors, as one with the tools of several: what it asks of those must
   * not be done here.
   *
   * @throws `connector_not_found`
   */
  #requireOwn(id: string): void {
    const { id: own } = this.#connector;
    if (id.toLowerCase() === own.toLowerCase()) return;
    throw new ConnectorError(
      'connector_not_found',
      { id, allowed: [own] },
      { message: `These tools have no connector ${quote(id)}; there is ${own}.` },
    );
  }

  #describe(): KindDescription {
    return (this.#description ??= this.#connector.describe());
  }
}

/** The options of a call, absent where they are undefined. */
function given({ signal, timeoutMs }: HostCallOptions = {}) {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
