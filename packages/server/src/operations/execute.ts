import {
  ConnectorError,
  isConnectorError,
  type Clock,
  type Download,
  type Entity,
  type Fault,
  type Warning,
} from '@patchbay/connectors';
import {
  beginStretch,
  checkSearch,
  isWrite,
  requireWritable,
  searchSchemaOf,
  writtenCopies,
  type AcceptedWrite,
  type Action,
  type Outcome as EngineOutcome,
  type Page,
  type PreparedCall,
  type ProjectedRecord,
  type Search,
  type WrittenCopy,
} from '@patchbay/connectors/engine';
import { isStoreError, type Store } from '@patchbay/store';
import { mayWrite } from '../access/access.ts';
import { forbidden } from '../access/reach.ts';
import type { Admission } from '../admission/admission.ts';
import { asConnectorError } from '../known-error.ts';
import type { Logger } from '../log.ts';
import type { Accounts } from './accounts.ts';
import { CallAbortedError, type ActiveCalls } from './active-calls.ts';
import { checkHealth, isHealthCheck, type Checker } from './check-health.ts';
import { explainConfigRequired } from './config-required.ts';
import { requireEnabled } from './connector-disabled.ts';
import { withEnd } from './download-bytes.ts';
import type { ExecuteRequest } from './execute-request.ts';
import { findHostedAction } from './hosted-action.ts';
import { fingerprintOf, type OncePerKey } from './idempotency.ts';
import { FaultList } from './input.ts';
import type { LiveConnector } from './live-connector.ts';
import type { LiveConnectors } from './live-connectors.ts';
import type { Executed, Kept, OpenFile, Outcome } from './outcome.ts';
import { reauthRequired } from './reauth-required.ts';
import type { Searcher } from './search.ts';
import type { UpstreamSettings } from './upstreams.ts';

export interface ExecuteParts {
  readonly connectors: LiveConnectors;
  readonly accounts: Pick<Accounts, 'learnSoon'>;
  readonly checker: Checker;
  readonly searcher: Searcher;
  readonly store: Pick<Store, 'copies'>;
  readonly once: OncePerKey<Executed>;
  readonly activeCalls: ActiveCalls;
  readonly admission: Admission;
  readonly upstreams: UpstreamSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Executes operations of connectors that are not disabled. A call is judged in this order: entity and
 * action, params, config, state, upstream.
 *
 * @see docs/wire.md#execute
 */
export class Executor {
  readonly #parts: ExecuteParts;

  constructor(parts: ExecuteParts) {
    this.#parts = parts;
  }

  /** @throws ConnectorError by the error table; CallAbortedError when the client has gone. */
  async execute(request: ExecuteRequest): Promise<Executed | Kept> {
    const { connector, idempotency, note, faults } = request;
    requireEnabled(connector.row);
    if (faults?.isEmpty === false) refuse(request, faults);
    if (isHealthCheck(request)) return this.#check(request);
    const hosted = findHostedAction(connector.kind, request.entity, request.action);
    const { entity } = hosted;
    note({ entity: entity.name, action: hosted.isSearch ? 'search' : hosted.action.verb });
    if (hosted.isSearch) {
      const search = checkSearchCall(request, entity);
      return this.#timed(connector, () => this.#search(request, entity, search));
    }
    const call = prepare(request, hosted.action);
    if (!isWrite(call.action) || idempotency === undefined) return this.#run(request, call);
    const { selectFields, excludeFields } = request;
    return this.#parts.once.run({
      scope: connector.row.id,
      deadline: request.deadline,
      ...idempotency,
      fingerprint: fingerprintOf({
        entity: request.entity,
        action: request.action,
        params: call.params,
        select_fields: selectFields,
        exclude_fields: excludeFields,
      }),
      write: async () => {
        await this.#requireThere(request);
        return this.#run(request, call);
      },
      lost: () =>
        outcomeUnknown(call, 'The service stopped while the first call with this key ran.'),
    });
  }

  /**
   * What the intents of a connector remember goes when it is deleted: where it has been, it may be that this one was stored in
   * the place of one whose write was sent.
   */
  async #requireThere({ access, connector, deadline }: ExecuteRequest): Promise<void> {
    try {
      await deadline.within(this.#parts.connectors.requireNewest(access, connector.row.id));
    } catch (error) {
      throw unsent(error);
    }
  }

  async #check(request: ExecuteRequest): Promise<Executed> {
    const { connector, onDisconnect, times } = request;
    const { activeCalls, checker, clock } = this.#parts;
    const end = beginStretch({ clock, times, of: 'upstreamMs' });
    request.note({ entity: request.entity, action: request.action });
    return this.#timed(connector, () =>
      activeCalls.run((signal) => checkHealth({ checker, clock }, request, signal), onDisconnect),
    ).finally(end);
  }

  async #search(request: ExecuteRequest, entity: Entity, search: Search): Promise<Outcome> {
    const { connector, deadline, onDisconnect, times } = request;
    const call = { connector, entity, search, deadline, onDisconnect, times };
    return { type: 'hits', found: await this.#parts.searcher.search(call) };
  }

  #run(request: ExecuteRequest, call: PreparedCall): Promise<Executed> {
    if (request.connector.row.state === 'reauth_required')
      throw reauthRequired(request.connector.row);
    return this.#timed(request.connector, async () => {
      if (call.action.verb === 'download') return this.#download(request, call);
      const outcome = await this.#send(request, call);
      try {
        await this.#noteSuccess(request);
        return outcome;
      } catch (error) {
        throw isWrite(call.action) ? failedAfterApplying(call, error) : error;
      }
    });
  }

  #send(request: ExecuteRequest, call: PreparedCall): Promise<Outcome> {
    return isWrite(call.action) ? this.#sendWrite(request, call) : this.#sendRead(request, call);
  }

  async #sendRead(request: ExecuteRequest, call: PreparedCall): Promise<Outcome> {
    const { access, onDisconnect } = request;
    const { activeCalls, admission } = this.#parts;
    const page = admission.readPage(access);
    const goOn = admission.waitForUpstream(access);
    const send = (signal: AbortSignal) =>
      call.send({ ...sendOptions(request, signal), onBytes: page.take });
    try {
      return typed(call.action, await activeCalls.run(send, onDisconnect));
    } catch (error) {
      throw await this.#explain(request, call, error);
    } finally {
      goOn();
      page.release();
    }
  }

  /** A write that is under way is not called back by closing a window. */
  async #sendWrite(request: ExecuteRequest, call: PreparedCall): Promise<Outcome> {
    const warnings: Warning[] = [];
    const goOn = this.#parts.admission.waitForUpstream(request.access);
    const sent = { mayHaveHappened: false };
    const onUnderWay = (isUnderWay: boolean) => {
      sent.mayHaveHappened = isUnderWay;
    };
    const send = (signal: AbortSignal) =>
      call.send({ ...sendOptions(request, signal), onUnderWay }, async (write) => {
        goOn();
        warnings.push(...(await this.#mergeWritten(request, write)));
      });
    try {
      // A write's outcome is a record.
      const record = (await this.#parts.activeCalls.run(send)) as ProjectedRecord;
      requireWritable(record, call);
      return { type: 'record', record, warnings };
    } catch (error) {
      throw await this.#explain(request, call, sent.mayHaveHappened ? error : unsent(error));
    } finally {
      goOn();
    }
  }

  /** Opens a file; the call is under way until its last byte has gone out. */
  async #download(request: ExecuteRequest, call: PreparedCall): Promise<OpenFile> {
    const { connector } = request;
    const { activeCalls, admission } = this.#parts;
    const release = admission.openDownload(request.access, connector.row.id);
    const goOn = admission.waitForUpstream(request.access);
    const { signal, end, abort } = activeCalls.start(request.onDisconnect);
    // Also where the client goes before anybody has begun to read, or has gone already.
    if (signal.aborted) release();
    signal.addEventListener('abort', release, { once: true });
    try {
      // The action is a download, so the outcome is a file.
      const file = (await call.send(sendOptions(request, signal))) as Download;
      await this.#noteSuccess(request);
      const bytes = withEnd(file.bytes, {
        onEnd: () => {
          release();
          end();
        },
        translate: (error) => this.#translate(call, error),
      });
      const kept = admission.readPage(request.access);
      return { type: 'file', file: { ...file, bytes }, kept, discard: abort };
    } catch (error) {
      abort();
      throw await this.#explain(request, call, error);
    } finally {
      goOn();
    }
  }

  async #timed(connector: LiveConnector, run: () => Promise<Outcome>): Promise<Executed> {
    const { clock, upstreams } = this.#parts;
    const startedAt = clock.monotonic();
    const outcome = await run();
    return {
      outcome,
      connectorId: connector.row.id,
      tookMs: Math.round(clock.monotonic() - startedAt),
      upstreamLabel: upstreams[connector.kind.kind]?.label,
    };
  }

  async #noteSuccess({ connector, deadline }: ExecuteRequest): Promise<void> {
    this.#parts.accounts.learnSoon(connector);
    if (connector.row.state !== 'pending') return;
    await deadline.settle(this.#parts.connectors.moveTo('active', connector));
  }

  async #explain(
    { connector, deadline }: ExecuteRequest,
    call: PreparedCall,
    error: unknown,
  ): Promise<unknown> {
    if (isConnectorError(error, 'credentials_rejected'))
      await deadline.settle(
        this.#parts.connectors.moveTo('reauth_required', connector, { reason: error.message }),
      );
    return this.#translate(call, error);
  }

  /**
   * Takes what an accepted write answered into the copies, so that a search right after it finds
   * it. The write has happened whatever becomes of this, and the next sync brings it anyway: the
   * caller is told so.
   */
  async #mergeWritten(
    { connector, deadline }: ExecuteRequest,
    write: AcceptedWrite,
  ): Promise<readonly Warning[]> {
    const written = writtenCopies(connector.kind, write);
    const merged = new Set<WrittenCopy>();
    await deadline.settle(this.#mergeAll(connector, written, merged));
    return written.filter((each) => !merged.has(each)).map(({ entity }) => notYetFound(entity));
  }

  async #mergeAll(
    { row, kind }: LiveConnector,
    written: readonly WrittenCopy[],
    merged: Set<WrittenCopy>,
  ): Promise<void> {
    for (const each of written)
      try {
        const { entity, record, onlyKnown } = each;
        const copy = { connectorId: row.id, kind: kind.kind, entity };
        const ifEpoch = row.credentialsEpoch;
        await this.#parts.store.copies.merge(copy, record, { onlyKnown, ifEpoch });
        merged.add(each);
      } catch (err) {
        const facts = { err, connector_id: row.id, entity: each.entity };
        this.#parts.logger.error(facts, 'A written record could not be taken into the copy.');
      }
  }

  /** Errors that are not of the table: aborted calls, and what nobody foresaw. */
  #translate(call: PreparedCall, error: unknown): unknown {
    if (isConnectorError(error)) return error;
    const isShutdown = error instanceof CallAbortedError && error.reason === 'shutdown';
    if (isWrite(call.action)) {
      if (!isShutdown) this.#parts.logger.error({ err: error }, 'A write failed unexpectedly.');
      return outcomeUnknown(call, 'The call ended before the upstream answered.', error);
    }
    if (!isShutdown) return error;
    return new ConnectorError(
      'not_ready',
      { retryAfterSeconds: 5 },
      { message: 'The service went down before the upstream answered.', cause: error },
    );
  }
}

/**
 * Refuses a call that has faults already, with those of what it asks for.
 *
 * @throws `invalid_request`.
 */
function refuse(request: ExecuteRequest, faults: FaultList): void {
  const { connector } = request;
  if (!isHealthCheck(request))
    faults.collectInvalid(() => {
      const hosted = findHostedAction(connector.kind, request.entity, request.action);
      if (hosted.isSearch) checkSearchCall(request, hosted.entity);
      else connector.engine.prepare(request);
    });
  faults.throwAny();
}

function checkSearchCall(request: ExecuteRequest, entity: Entity): Search {
  const schema = searchSchemaOf(entity);
  if (schema === undefined) throw new Error(`${entity.name} has no searchable fields`);
  const faults = new FaultList();
  faults.add(...misplacedFaults(request));
  const search = faults.collect(() => checkSearch(schema, request.params));
  faults.throwAny();
  // What a check refused is undefined, but then `throwAny` had thrown.
  if (search === undefined) throw new Error('a refused search went on');
  return search;
}

function prepare(request: ExecuteRequest, action: Action): PreparedCall {
  const { access, connector } = request;
  if (isWrite(action) && !mayWrite(access))
    throw forbidden(`The token has access "read"; ${action.verb} needs "write".`);
  try {
    return connector.engine.prepare(request);
  } catch (error) {
    throw explainConfigRequired(error, connector.row.id);
  }
}

/**
 * Callers of one connector take turns where its upstream's budget is short.
 *
 * @throws `not_ready` when the time is up.
 */
function sendOptions({ access, deadline, times }: ExecuteRequest, signal: AbortSignal) {
  const caller = access.type === 'scoped' ? `user ${access.externalUserId}` : 'application';
  return { signal, caller, timeoutMs: deadline.leftMs(), times };
}

/** The outcome of a list is a page, of any other read but a download a record. */
function typed({ verb }: Action, outcome: EngineOutcome): Outcome {
  return verb === 'list'
    ? { type: 'page', page: outcome as Page }
    : { type: 'record', record: outcome as ProjectedRecord };
}

function notYetFound(entity: string): Warning {
  return {
    code: 'copy_not_updated',
    message: `The write has happened, but searches of ${entity} show it only after the next sync.`,
  };
}

/** Hits are cut down by a param of their own. */
function misplacedFaults({ selectFields, excludeFields }: ExecuteRequest): readonly Fault[] {
  return Object.entries({ select_fields: selectFields, exclude_fields: excludeFields })
    .filter(([, names]) => names !== undefined)
    .map(([field]) => ({
      field,
      errorCode: 'not_allowed',
      message: 'does not go with search; params.fields says which fields hits have',
    }));
}

function outcomeUnknown(
  { entity, action }: PreparedCall,
  reason: string,
  cause?: unknown,
): ConnectorError<'write_outcome_unknown'> {
  const howToFindOut = isWrite(action) ? action.howToFindOut : '';
  return new ConnectorError(
    'write_outcome_unknown',
    { entity: entity.name, action: action.verb, howToFindOut },
    {
      message: `${reason} The write may or may not have happened; it was not repeated. ${howToFindOut}`,
      cause,
    },
  );
}

/** What keeps a call from being sent, in terms that say so. */
function unsent(error: unknown): unknown {
  if (isStoreError(error)) return asConnectorError(error);
  if (!(error instanceof CallAbortedError)) return error;
  return new ConnectorError(
    'not_ready',
    { retryAfterSeconds: 5 },
    { message: 'The service went down before this call was sent.', cause: error },
  );
}

function failedAfterApplying({ entity, action }: PreparedCall, cause: unknown): ConnectorError {
  return new ConnectorError(
    'internal',
    { entity: entity.name, action: action.verb, applied: true },
    { cause },
  );
}
