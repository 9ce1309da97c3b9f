import type {
  HostedCallOptions,
  Patchbay,
  SearchPage,
  UntypedConnector,
  UntypedHit,
  UntypedPage,
} from '@patchbay/client';
import {
  describedEntity,
  isJsonObject,
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

/** A connector that has been looked up; the ids given to its methods are not looked at. */
class SingleHost implements ToolHost {
  readonly mode = 'hosted';
  readonly #connector: HostedConnectorLike;
  #description: KindDescription | undefined;

  constructor(connector: HostedConnectorLike) {
    this.#connector = connector;
  }

  connectors(): Promise<readonly HostConnector[]> {
    const { kind, display_name: name } = this.#describe();
    return Promise.resolve([{ id: this.#connector.id, kind, name }]);
  }

  describe(_connectorId: string): Promise<KindDescription> {
    return Promise.resolve(this.#describe());
  }

  async describeEntity(_connectorId: string, entity: string): Promise<EntityDescription> {
    return describedEntity(this.#describe(), entity);
  }

  async execute(
    _connectorId: string,
    call: ExecuteCall,
    options?: HostCallOptions,
  ): Promise<ExecuteOutcome> {
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
    _connectorId: string,
    { entity, params }: SearchCall,
    options?: HostCallOptions,
  ): Promise<SearchOutcome> {
    const page = await this.#connector.execute(entity, 'search', params, given(options));
    // A search gives a page of hits.
    const { execution_metadata: _, ...result } = page as SearchPage<UntypedHit>;
    return result;
  }

  syncStatus(_connectorId: string, options?: HostCallOptions): Promise<SyncStatus> {
    return this.#connector.sync.status(options);
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
