import { ConnectorError, describeKind, type KindDescription } from '@patchbay/connectors';
import { isStoreError } from '@patchbay/store';
import type {
  ExecuteCall,
  ExecuteOutcome,
  FoundPage,
  HostCallOptions,
  HostConnector,
  HostSyncStatus,
  JsonObject,
  SearchCall,
  ToolHost,
} from '@patchbay/tools';
import type { Access } from '../access/access.ts';
import { asConnectorError } from '../http/problem.ts';
import type { CallLog } from '../http/route.ts';
import type { Logger } from '../log.ts';
import { CallAbortedError } from '../operations/active-calls.ts';
import { statusOf } from '../operations/connector-view.ts';
import type { Connectors } from '../operations/connectors.ts';
import type { Executor, FileAnswer } from '../operations/execute.ts';
import type { SyncRuns } from '../operations/sync-runs.ts';
import { errorOfStored } from './stored-problem.ts';

/** The operations of the service that tools come down to. */
export interface Operations {
  readonly connectors: Connectors;
  readonly executor: Executor;
  readonly syncRuns: SyncRuns;
}

/** On whose behalf tools run, and where it is noted. */
export interface ToolCaller {
  readonly access: Access;
  readonly requestId: string;
  readonly log: CallLog;
  /** Told of a database that failed. */
  readonly logger: Logger;
  /** Calls back when the client goes, which ends reads but no write. */
  readonly onDisconnect: (callback: () => void) => () => void;
}

/** What is read of the envelope that a successful execute is answered with. */
interface Envelope {
  readonly result: unknown;
  readonly connector_metadata: JsonObject;
}

/**
 * The service itself as a host of tools, on behalf of one token: the operations that the HTTP routes
 * call, with all their checks, and their errors, which name the request. Where the client has gone,
 * they end with a CallAbortedError.
 */
export class ServiceHost implements ToolHost {
  readonly mode = 'hosted';
  readonly #operations: Operations;
  readonly #caller: ToolCaller;

  constructor(operations: Operations, caller: ToolCaller) {
    this.#operations = operations;
    this.#caller = caller;
  }

  connectors(): Promise<readonly HostConnector[]> {
    return this.#translating(async () => {
      const everything = { externalUserId: undefined, kind: undefined };
      const rows = await this.#operations.connectors.listAll(this.#caller.access, everything);
      return rows.map((row) => ({
        id: row.id,
        kind: row.kind,
        name: row.name,
        status: statusOf(row),
      }));
    });
  }

  describe(connectorId: string): Promise<KindDescription> {
    this.#note(connectorId);
    return this.#translating(async () => {
      const { kind } = await this.#operations.connectors.require(this.#caller.access, connectorId);
      return describeKind(kind);
    });
  }

  execute(
    connectorId: string,
    { selectFields, idempotencyKey, ...call }: ExecuteCall,
    options: HostCallOptions = {},
  ): Promise<ExecuteOutcome> {
    const body = { ...call, select_fields: selectFields };
    return this.#translating(async () => {
      const outcome = await this.#run(connectorId, body, { ...options, idempotencyKey });
      if ('file' in outcome) return { type: 'file', file: outcome.file };
      const { result, connector_metadata: meta } = outcome;
      // Lists of records, and single ones.
      return Array.isArray(result)
        ? { type: 'page', records: result as readonly JsonObject[], meta }
        : { type: 'record', record: result as JsonObject };
    });
  }

  search(
    connectorId: string,
    { entity, params }: SearchCall,
    options: HostCallOptions = {},
  ): Promise<FoundPage> {
    const body = { entity, action: 'search', params };
    return this.#translating(async () => {
      const outcome = await this.#run(connectorId, body, options);
      if ('file' in outcome) throw new Error('a search brought a file');
      // What a search is answered with, by the wire contract.
      return outcome.result as FoundPage;
    });
  }

  syncStatus(connectorId: string): Promise<HostSyncStatus> {
    this.#note(connectorId);
    return this.#translating(() =>
      this.#operations.syncRuns.view(this.#caller.access, connectorId),
    );
  }

  async #run(
    connectorId: string,
    body: JsonObject,
    { timeoutMs, idempotencyKey }: HostCallOptions & Pick<ExecuteCall, 'idempotencyKey'>,
  ): Promise<Envelope | FileAnswer> {
    const { access, requestId, log, onDisconnect } = this.#caller;
    const outcome = await this.#operations.executor.execute({
      access,
      connectorId,
      body,
      idempotencyKey,
      timeout: timeoutMs === undefined ? undefined : String(timeoutMs),
      wantsInline: false,
      requestId,
      isAlso: false,
      note: (facts) => Object.assign(log, facts),
      onDisconnect,
    });
    if ('file' in outcome) return outcome;
    const { answer, isReplayed } = outcome;
    if (isReplayed) log.isReplayed = true;
    if (answer.status >= 400) throw errorOfStored(answer.body);
    // The executor made it: the envelope of the wire contract.
    return JSON.parse(answer.body) as Envelope;
  }

  #note(connectorId: string): void {
    this.#caller.log.connectorId = connectorId.slice(0, 36);
  }

  async #translating<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof CallAbortedError) throw error;
      const { requestId, logger } = this.#caller;
      if (isStoreError(error))
        logger.error({ err: error, request_id: requestId }, 'A tool found no database.');
      throw withRequestId(asConnectorError(error), requestId);
    }
  }
}

/** Whoever reports an error can say in which call it arose. */
function withRequestId(
  { code, message, retry, details, cause }: ConnectorError,
  requestId: string,
): ConnectorError {
  return new ConnectorError(code, { requestId, ...details }, { message, retry, cause });
}
