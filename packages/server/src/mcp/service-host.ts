import {
  ConnectorError,
  type Clock,
  type EntityDescription,
  type KindDescription,
} from '@patchbay/connectors';
import { describedEntity, timeForSearch } from '@patchbay/connectors/definitions';
import {
  DEFAULT_TIMEOUT_MS,
  requireWritable,
  SEARCH_LIMITS,
  type Page,
} from '@patchbay/connectors/engine';
import type { SyncStatus } from '@patchbay/connectors/wire';
import { isStoreError } from '@patchbay/store';
import type {
  ExecuteCall,
  ExecuteOutcome,
  HostCallOptions,
  HostConnector,
  SearchCall,
  SearchOutcome,
  ToolHost,
} from '@patchbay/tools';
import type { Access } from '../access/access.ts';
import type { CallLog } from '../call-log.ts';
import { asConnectorError } from '../known-error.ts';
import type { Logger } from '../log.ts';
import { CallAbortedError, type OnDisconnect } from '../operations/active-calls.ts';
import { CallDeadline } from '../operations/call-deadline.ts';
import { untilDeadline } from '../operations/file-deadline.ts';
import { statusOf } from '../operations/connector-view.ts';
import type { Connectors } from '../operations/connectors.ts';
import type { ExecuteRequest } from '../operations/execute-request.ts';
import type { Executor } from '../operations/execute.ts';
import type { AnswerKeeper } from '../operations/idempotency.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import type { Executed, Kept } from '../operations/outcome.ts';
import { describedKind } from '../operations/described-kind.ts';
import type { SyncRuns } from '../operations/sync-runs.ts';
import { foundPage } from './found-page.ts';

/** The operations of the service that tools come down to. */
export interface Operations {
  readonly connectors: Connectors;
  readonly live: LiveConnectors;
  readonly executor: Executor;
  readonly syncRuns: SyncRuns;
  readonly clock: Clock;
}

/** On whose behalf tools run, and where it is noted. */
export interface ToolCaller {
  readonly access: Access;
  readonly requestId: string;
  readonly log: CallLog;
  /** Told of a database that failed. */
  readonly logger: Logger;
  readonly onDisconnect: OnDisconnect;
  /** How answers of writes are kept, for whoever repeats one by whichever route. */
  readonly keeper: AnswerKeeper<Executed>;
  readonly writeOfKept: (
    kept: Kept['kept'],
  ) => Omit<Extract<ExecuteOutcome, { readonly type: 'record' }>, 'type'>;
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
      const everything = { applicationId: undefined, externalUserId: undefined, kind: undefined };
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
      return describedKind(kind);
    });
  }

  describeEntity(connectorId: string, entity: string): Promise<EntityDescription> {
    this.#note(connectorId);
    return this.#translating(async () => {
      const { connectors } = this.#operations;
      return describedEntity(await connectors.describe(this.#caller.access, connectorId), entity);
    });
  }

  execute(
    connectorId: string,
    { idempotencyKey: key, ...call }: ExecuteCall,
    options: HostCallOptions = {},
  ): Promise<ExecuteOutcome> {
    const { keeper, writeOfKept, log } = this.#caller;
    const idempotency = key === undefined ? undefined : { key, keeper };
    return this.#translating(async () => {
      const deadline = this.#deadline(options);
      const executed = await this.#run(connectorId, { ...call, idempotency }, deadline);
      if (!('kept' in executed)) return outcomeForTools(executed, deadline);
      log.isReplayed = true;
      return { type: 'record', ...writeOfKept(executed.kept) };
    });
  }

  search(
    connectorId: string,
    { entity, params }: SearchCall,
    { timeoutMs = Math.max(DEFAULT_TIMEOUT_MS, timeForSearch(params)) }: HostCallOptions = {},
  ): Promise<SearchOutcome> {
    return this.#translating(async () => {
      const call = { entity, action: 'search', params };
      const executed = await this.#run(connectorId, call, this.#deadline({ timeoutMs }));
      if ('kept' in executed || executed.outcome.type !== 'hits')
        throw new Error('a search brought something else than hits');
      return foundPage(executed.outcome.found);
    });
  }

  syncStatus(connectorId: string): Promise<SyncStatus> {
    this.#note(connectorId);
    return this.#translating(() =>
      this.#operations.syncRuns.view(this.#caller.access, connectorId),
    );
  }

  async #run(
    connectorId: string,
    call: Pick<ExecuteRequest, 'entity' | 'action' | 'params' | 'selectFields' | 'idempotency'>,
    deadline: CallDeadline,
  ): Promise<Executed | Kept> {
    const { access, log, onDisconnect } = this.#caller;
    const { live, executor } = this.#operations;
    const found = live.require(access, connectorId);
    const connector = found instanceof Promise ? await deadline.within(found) : found;
    log.connectorId = connector.row.id;
    log.kind = connector.kind.kind;
    const note = (facts: object) => Object.assign(log, facts);
    return executor.execute({ ...call, access, connector, deadline, note, onDisconnect });
  }

  #deadline({ timeoutMs }: HostCallOptions): CallDeadline {
    const { clock } = this.#operations;
    return new CallDeadline(clock, timeoutMs && Math.min(timeoutMs, SEARCH_LIMITS.timeoutMs));
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

function outcomeForTools({ outcome }: Executed, deadline: CallDeadline): ExecuteOutcome {
  switch (outcome.type) {
    case 'page':
      requireWritable(outcome.page.data);
      return pageForTools(outcome.page);
    case 'record':
      requireWritable(outcome.record);
      return { type: 'record', record: outcome.record, warnings: outcome.warnings };
    case 'file':
      // A tool reads it here, for its answer.
      return {
        type: 'file',
        file: { ...outcome.file, bytes: untilDeadline(outcome, deadline).bytes },
      };
    case 'hits':
      throw new Error('hits come of searches only');
  }
}

function pageForTools({ data, ...rest }: Page): ExecuteOutcome {
  return { type: 'page', records: data, ...rest };
}

/** Whoever reports an error can say in which call it arose. */
function withRequestId(
  { code, message, retry, details, cause }: ConnectorError,
  requestId: string,
): ConnectorError {
  return new ConnectorError(code, { requestId, ...details }, { message, retry, cause });
}
