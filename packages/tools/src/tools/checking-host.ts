import {
  allKinds,
  checkCall,
  checkSearch,
  ConnectorError,
  findAction,
  findEntity,
  isConnectorError,
  nearestName,
  searchSchemaOf,
  type ConnectorKind,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import type { ExecuteCall, HostCallOptions, SearchCall, ToolHost } from '../host.ts';

/** Thrown in the place of an answer: the call has passed every check. */
class PassedError extends Error {}

/**
 * A host that checks calls and sends none: it knows the connectors of another, and judges params by
 * the definitions of this version. What a connector is asked does not change while it lives, so each
 * is asked once.
 */
export class CheckingHost implements ToolHost {
  readonly mode: ToolHost['mode'];
  readonly #host: ToolHost;
  readonly #described = new Map<string, Promise<KindDescription>>();
  #connectors: ReturnType<ToolHost['connectors']> | undefined;

  constructor(host: ToolHost) {
    this.mode = host.mode;
    this.#host = host;
  }

  /**
   * What is wrong with a call of a tool; `undefined` where nothing is.
   *
   * @param run Runs the tool over this host.
   * @throws what is no ConnectorError.
   */
  async judge(run: (host: ToolHost) => Promise<unknown>): Promise<ConnectorError | undefined> {
    try {
      await run(this);
      return undefined;
    } catch (error) {
      if (error instanceof PassedError) return undefined;
      if (isConnectorError(error)) return error;
      throw error;
    }
  }

  connectors(options?: HostCallOptions): ReturnType<ToolHost['connectors']> {
    this.#connectors ??= this.#host.connectors(options);
    return this.#connectors;
  }

  describe(connectorId: string, options?: HostCallOptions): Promise<KindDescription> {
    const known = this.#described.get(connectorId) ?? this.#host.describe(connectorId, options);
    this.#described.set(connectorId, known);
    return known;
  }

  describeEntity: ToolHost['describeEntity'] = (...args) => this.#host.describeEntity(...args);

  async execute(
    connectorId: string,
    { entity: entityName, action: actionName, params, selectFields }: ExecuteCall,
    options?: HostCallOptions,
  ): Promise<never> {
    const kind = await this.#kindOf(connectorId, options);
    const action = findAction(kind, entityName, actionName);
    checkCall(findEntity(kind, entityName), action, { params, selectFields });
    throw new PassedError();
  }

  async search(
    connectorId: string,
    { entity: entityName, params }: SearchCall,
    options?: HostCallOptions,
  ): Promise<never> {
    const kind = await this.#kindOf(connectorId, options);
    if (this.mode === 'open_source') throw new ConnectorError('search_requires_hosted_mode', {});
    const schema = searchSchemaOf(findEntity(kind, entityName));
    if (schema === undefined) throw notSearchable(kind, entityName);
    checkSearch(schema, params);
    throw new PassedError();
  }

  async syncStatus(connectorId: string, options?: HostCallOptions): Promise<never> {
    await this.describe(connectorId, options);
    throw new PassedError();
  }

  /** @throws `internal` for a kind that only the service knows: its calls cannot be checked here. */
  async #kindOf(connectorId: string, options?: HostCallOptions): Promise<ConnectorKind> {
    const described = await this.describe(connectorId, options);
    const kind = allKinds().find((each) => each.kind === described.kind);
    if (kind === undefined) throw new ConnectorError('internal', {});
    return kind;
  }
}

/** Records of an entity without a copy may be in that of another, whose name says so. */
function notSearchable(kind: ConnectorKind, given: string): ConnectorError<'unknown_entity'> {
  const allowed = Object.values(kind.entities)
    .filter((entity) => searchSchemaOf(entity) !== undefined)
    .map(({ name }) => name);
  const [only, ...more] = allowed.filter((name) => name.split('_').includes(given));
  const didYouMean = only !== undefined && more.length === 0 ? only : nearestName(given, allowed);
  return new ConnectorError(
    'unknown_entity',
    { allowed, ...(didYouMean === undefined ? {} : { didYouMean }) },
    { message: `${given} cannot be searched; ${allowed.join(', ')} can.` },
  );
}
