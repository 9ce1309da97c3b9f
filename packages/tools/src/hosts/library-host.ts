import {
  checkCall,
  ConnectorError,
  describedEntity,
  findAction,
  findEntity,
  KINDS,
  requireWritable,
  type ConnectorKind,
  type Download,
  type EntityDescription,
  type KindDescription,
  type ListResult,
} from '@patchbay/connectors/definitions';
import type { SearchResult } from '@patchbay/connectors/wire';
import type {
  ExecuteCall,
  ExecuteOutcome,
  HostCallOptions,
  HostConnector,
  JsonObject,
  SearchCall,
  ToolHost,
} from '../host.ts';

/** A connector as `createConnector` makes it, of whatever kind. */
export interface LibraryConnector {
  execute(
    entity: string,
    action: string,
    params?: unknown,
    options?: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
  ): Promise<unknown>;
  describe(): KindDescription;
}

/** A connector and what is known of it. */
interface Member {
  readonly connector: LibraryConnector;
  readonly kind: ConnectorKind;
  readonly description: KindDescription;
}

/**
 * Connectors in this process, in open source mode.
 *
 * @param connectors One, known by its kind; or several, by the ids that models shall know them by.
 */
export function libraryHost(
  connectors: LibraryConnector | Readonly<Record<string, LibraryConnector>>,
): ToolHost {
  return new LibraryHost(connectors);
}

class LibraryHost implements ToolHost {
  readonly mode = 'open_source';
  readonly #members: ReadonlyMap<string, Member>;

  constructor(connectors: LibraryConnector | Readonly<Record<string, LibraryConnector>>) {
    const byId = isConnector(connectors)
      ? [[connectors.describe().kind, connectors] as const]
      : Object.entries(connectors);
    this.#members = new Map(byId.map(([id, connector]) => [id, memberOf(connector)]));
  }

  connectors(): Promise<readonly HostConnector[]> {
    const all = [...this.#members].map(([id, { description }]) => ({
      id,
      kind: description.kind,
      name: description.display_name,
    }));
    return Promise.resolve(all);
  }

  async describe(connectorId: string): Promise<KindDescription> {
    return this.#find(connectorId).description;
  }

  async describeEntity(connectorId: string, entity: string): Promise<EntityDescription> {
    return describedEntity(this.#find(connectorId).description, entity);
  }

  async execute(
    connectorId: string,
    call: ExecuteCall,
    options?: HostCallOptions,
  ): Promise<ExecuteOutcome> {
    const { connector, kind } = this.#find(connectorId);
    const { entity, action, params } = call;
    const select = selectionOf(kind, call);
    const result = await connector.execute(entity, action, params, given(options));
    // The name of an action says what it returns: a file, a page or a record.
    if (action === 'download') return { type: 'file', file: result as Download };
    const called = { entity: findEntity(kind, entity), action: findAction(kind, entity, action) };
    if (action !== 'list') {
      const record = select(result as JsonObject);
      requireWritable(record, called);
      return { type: 'record', record };
    }
    const { data, ...rest } = result as ListResult<JsonObject, JsonObject>;
    const records = data.map(select);
    requireWritable(records, called);
    return { type: 'page', records, ...rest };
  }

  async search(connectorId: string, { entity, params }: SearchCall): Promise<SearchResult> {
    // This throws that search needs the service, or that the entity cannot be searched.
    await this.#find(connectorId).connector.execute(entity, 'search', params);
    throw new ConnectorError('search_requires_hosted_mode', { entity, action: 'search' });
  }

  async syncStatus(connectorId: string): Promise<undefined> {
    this.#find(connectorId);
  }

  #find(id: string): Member {
    const member = this.#members.get(id);
    if (member !== undefined) return member;
    const allowed = [...this.#members.keys()];
    throw new ConnectorError(
      'connector_not_found',
      { id, allowed },
      { message: `There is no connector ${JSON.stringify(id)}; there are ${allowed.join(', ')}.` },
    );
  }
}

function memberOf(connector: LibraryConnector): Member {
  const description = connector.describe();
  const kinds: Readonly<Record<string, ConnectorKind>> = KINDS;
  const kind = kinds[description.kind];
  if (kind === undefined) throw new Error(`this version defines no kind ${description.kind}`);
  return { connector, kind, description };
}

function isConnector(
  value: LibraryConnector | Readonly<Record<string, LibraryConnector>>,
): value is LibraryConnector {
  return typeof value['execute'] === 'function';
}

/** The options of a call, absent where they are undefined. */
function given({ signal, timeoutMs }: HostCallOptions = {}) {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/**
 * What cuts records down to the selected fields. The library gives whole records, so this is done
 * here, with the errors of the service.
 */
function selectionOf(
  kind: ConnectorKind,
  { entity: entityName, action: actionName, params, selectFields }: ExecuteCall,
): (record: JsonObject) => JsonObject {
  if (selectFields === undefined || selectFields.length === 0) return (record) => record;
  const entity = findEntity(kind, entityName);
  const action = findAction(kind, entityName, actionName);
  const { select } = checkCall(entity, action, { params, selectFields });
  return select ?? ((record) => record);
}
