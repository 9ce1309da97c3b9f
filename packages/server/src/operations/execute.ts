import { Type } from 'typebox';
import {
  checkSearch,
  compileSelection,
  ConnectorError,
  faultsOf,
  isConnectorError,
  isWrite,
  searchSchemaOf,
  writtenCopies,
  type AcceptedWrite,
  type Action,
  type Clock,
  type Download,
  type Entity,
  type Fault,
  type Outcome,
  type Page,
  type PreparedCall,
  type ProjectedRecord,
  type Selection,
} from '@patchbay/connectors';
import type { Store, StoredAnswer } from '@patchbay/store';
import { mayWrite, type Access } from '../access/access.ts';
import { forbidden } from '../access/reach.ts';
import type { Logger } from '../log.ts';
import { CallAbortedError, type ActiveCalls } from './active-calls.ts';
import { explainConfigRequired } from './config-required.ts';
import { inlineFile, withEnd } from './downloads.ts';
import { envelopeText } from './envelope.ts';
import { findHostedAction } from './hosted-action.ts';
import { fingerprintOf, type OncePerKey } from './idempotency.ts';
import { checkBody, FaultList, invalidRequest } from './input.ts';
import type { LiveConnector, LiveConnectors } from './live-connectors.ts';
import { reauthRequired } from './reauth-required.ts';
import type { SearchCall, Searcher } from './search.ts';
import type { UpstreamSettings } from './upstreams.ts';

/** An execute call, its token verified and its body parsed. */
export interface ExecuteRequest {
  readonly access: Access;
  readonly connectorId: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | undefined;
  readonly timeout: string | undefined;
  /** A download shall come inside a JSON answer. */
  readonly wantsInline: boolean;
  readonly requestId: string;
  /** It came by the path that clients of other generations use. */
  readonly isAlso: boolean;
  /** Told what the call is about, for the log. */
  readonly note: (facts: {
    readonly connectorId: string;
    readonly entity?: string;
    readonly action?: string;
  }) => void;
  readonly onDisconnect: (callback: () => void) => () => void;
}

export interface ExecuteAnswer {
  readonly answer: StoredAnswer;
  readonly isReplayed: boolean;
}

/** A download, whose bytes are still to come. */
export interface FileAnswer {
  readonly file: Download;
}

export interface ExecuteParts {
  readonly connectors: LiveConnectors;
  readonly searcher: Searcher;
  readonly store: Pick<Store, 'copies'>;
  readonly once: OncePerKey;
  readonly activeCalls: ActiveCalls;
  readonly upstreams: UpstreamSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly renderError: (error: unknown, requestId: string) => StoredAnswer;
}

const MEMBERS = {
  entity: { schema: Type.String(), isRequired: true, expects: 'the name of an entity' },
  action: { schema: Type.String(), isRequired: true, expects: 'the name of an action' },
  params: { schema: Type.Unknown(), isRequired: false, expects: 'an object' },
  select_fields: {
    schema: Type.Array(Type.Unknown()),
    isRequired: false,
    expects: 'an array of field names',
  },
  exclude_fields: {
    schema: Type.Array(Type.Unknown()),
    isRequired: false,
    expects: 'an array of field names',
  },
} as const;

const MAX_TIMEOUT_MS = 300_000;
const MAX_KEY_CHARACTERS = 255;

/** A call that has passed every check that needs no upstream. */
interface CheckedCall {
  readonly isSearch: false;
  readonly live: LiveConnector;
  readonly entity: Entity;
  readonly action: Action;
  readonly prepared: PreparedCall;
  readonly select: Selection | undefined;
  readonly timeoutMs: number | undefined;
  readonly body: CheckedBody;
}

interface CheckedBody {
  readonly entity: string;
  readonly action: string;
  readonly params: unknown;
  readonly select_fields: unknown;
  readonly exclude_fields: unknown;
}

/**
 * Executes operations of connectors. A call is judged in this order: ownership, entity and action,
 * params, config, state, upstream.
 *
 * @see wire contract, part 4; design, parts 6 and 7
 */
export class Executor {
  readonly #parts: ExecuteParts;

  constructor(parts: ExecuteParts) {
    this.#parts = parts;
  }

  /** @throws ConnectorError by the error table; CallAbortedError when the client has gone. */
  async execute(request: ExecuteRequest): Promise<ExecuteAnswer | FileAnswer> {
    const found = this.#parts.connectors.require(request.access, request.connectorId);
    const live = found instanceof Promise ? await found : found;
    request.note({ connectorId: live.row.id });
    const call = checkCall(request, live);
    if (call.isSearch) {
      const body = await this.#parts.searcher.search(call);
      return { answer: { status: 200, body }, isReplayed: false };
    }
    if (call.action.verb === 'download') return this.#download(request, call);
    if (!isWrite(call.action) || request.idempotencyKey === undefined) {
      const text = await this.#run(request, call);
      return { answer: { status: 200, body: text }, isReplayed: false };
    }
    return this.#runOnce(request, call, request.idempotencyKey);
  }

  /** Opens a file; the call is under way until its last byte has gone out. */
  async #download(request: ExecuteRequest, call: CheckedCall): Promise<ExecuteAnswer | FileAnswer> {
    const { activeCalls, connectors } = this.#parts;
    const { live, prepared, timeoutMs } = call;
    if (live.row.state === 'reauth_required') throw reauthRequired();
    const controller = activeCalls.start();
    const end = () => activeCalls.end(controller);
    const leave = () => {
      end();
      // Ends the connection to the upstream too, also where nobody has begun to read.
      controller.abort(new CallAbortedError('client'));
    };
    const unwatch = request.onDisconnect(leave);
    const onEnd = () => {
      unwatch();
      end();
    };
    try {
      const { signal } = controller;
      const caller = callerOf(request.access);
      const options = { signal, caller, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
      // The action is a download, so the outcome is a file.
      const file = (await prepared.send(options)) as Download;
      if (live.row.state === 'pending') await connectors.moveTo('active', live);
      if (!request.wantsInline) return { file: { ...file, bytes: withEnd(file.bytes, onEnd) } };
      const body = await inlineFile(file);
      onEnd();
      return { answer: { status: 200, body }, isReplayed: false };
    } catch (error) {
      unwatch();
      leave();
      if (isConnectorError(error, 'credentials_rejected'))
        await connectors.moveTo('reauth_required', live);
      throw this.#translate(call, error);
    }
  }

  #runOnce(request: ExecuteRequest, call: CheckedCall, key: string): Promise<ExecuteAnswer> {
    const { entity, action, select_fields, exclude_fields } = call.body;
    const { params } = call.prepared;
    return this.#parts.once.run({
      connectorId: call.live.row.id,
      key,
      fingerprint: fingerprintOf({ entity, action, params, select_fields, exclude_fields }),
      write: async () => ({ status: 200, body: await this.#run(request, call) }),
      renderError: (error) => this.#parts.renderError(error, request.requestId),
      lost: () =>
        outcomeUnknown(call, 'The service stopped while the first call with this key ran.'),
    });
  }

  async #run(request: ExecuteRequest, call: CheckedCall): Promise<string> {
    const { live } = call;
    if (live.row.state === 'reauth_required') throw reauthRequired();
    const startedAt = this.#parts.clock.now();
    const outcome = await this.#send(request, call);
    try {
      if (live.row.state === 'pending') await this.#parts.connectors.moveTo('active', live);
      return this.#render(request, call, outcome, startedAt);
    } catch (error) {
      throw isWrite(call.action) ? failedAfterApplying(call, error) : error;
    }
  }

  async #send(request: ExecuteRequest, call: CheckedCall): Promise<Outcome> {
    const { activeCalls, connectors } = this.#parts;
    const { action, live, prepared, timeoutMs } = call;
    const controller = activeCalls.start();
    // A write that is under way is not called back by closing a window.
    const unwatch = isWrite(action)
      ? undefined
      : request.onDisconnect(() => controller.abort(new CallAbortedError('client')));
    try {
      const { signal } = controller;
      const caller = callerOf(request.access);
      const options = { signal, caller, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
      return await prepared.send(options, (write) => this.#mergeWritten(live, write));
    } catch (error) {
      if (isConnectorError(error, 'credentials_rejected'))
        await connectors.moveTo('reauth_required', live);
      throw this.#translate(call, error);
    } finally {
      unwatch?.();
      activeCalls.end(controller);
    }
  }

  /**
   * Takes what an accepted write answered into the copies, so that a search right after it finds
   * it. The write has happened whatever becomes of this, and the next sync brings it anyway.
   */
  async #mergeWritten({ row, kind }: LiveConnector, write: AcceptedWrite): Promise<void> {
    for (const { entity, record, onlyKnown } of writtenCopies(kind, write))
      try {
        const copy = { connectorId: row.id, kind: kind.kind, entity };
        await this.#parts.store.copies.merge(copy, record, { onlyKnown });
      } catch (err) {
        const facts = { err, connector_id: row.id, entity };
        this.#parts.logger.error(facts, 'A written record could not be taken into the copy.');
      }
  }

  /** Errors that are not of the table: aborted calls, and what nobody foresaw. */
  #translate(call: CheckedCall, error: unknown): unknown {
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

  #render(
    request: ExecuteRequest,
    { live, action, select }: CheckedCall,
    outcome: Outcome,
    startedAt: number,
  ): string {
    const { clock, upstreams } = this.#parts;
    // The outcome of a list is a page, any other is a record; downloads do not come here.
    const page = action.verb === 'list' ? (outcome as Page) : undefined;
    const result =
      page === undefined
        ? (select?.(outcome as ProjectedRecord) ?? outcome)
        : select === undefined
          ? page.data
          : page.data.map(select);
    return envelopeText(JSON.stringify(result), page?.meta ?? {}, {
      connectorId: live.row.id,
      requestId: request.requestId,
      startedAt,
      endedAt: clock.now(),
      upstreamLabel: upstreams[live.kind.kind]?.label,
    });
  }
}

function checkCall(
  request: ExecuteRequest,
  live: LiveConnector,
): CheckedCall | (SearchCall & { readonly isSearch: true }) {
  const faults = new FaultList();
  const values = checkBody(MEMBERS, request.body, faults);
  faults.add(...keyFaults(request.idempotencyKey), ...timeoutFaults(request.timeout));
  faults.throwAny();
  // Both are there and strings, or `throwAny` had thrown.
  const body = values as Readonly<Record<string, unknown>> & CheckedBody;
  const hosted = findHostedAction(live.kind, body.entity, body.action);
  const { entity } = hosted;
  const timeoutMs = request.timeout === undefined ? undefined : Number(request.timeout);
  if (hosted.isSearch) {
    request.note({ connectorId: live.row.id, entity: entity.name, action: 'search' });
    return { isSearch: true, ...checkSearchCall(request, body, live, entity), timeoutMs };
  }
  const { action } = hosted;
  request.note({ connectorId: live.row.id, entity: entity.name, action: action.verb });
  if (isWrite(action) && !mayWrite(request.access))
    throw forbidden(`The token has access "read"; ${action.verb} needs "write".`);
  const { select, faults: selectionFaults } = compileSelection(entity, body);
  const prepared = prepare(live, body, selectionFaults);
  return { isSearch: false, live, entity, action, prepared, select, timeoutMs, body };
}

function checkSearchCall(
  { isAlso, requestId, onDisconnect }: ExecuteRequest,
  body: CheckedBody,
  live: LiveConnector,
  entity: Entity,
): Omit<SearchCall, 'timeoutMs'> {
  const schema = searchSchemaOf(entity);
  if (schema === undefined) throw new Error(`${entity.name} has no searchable fields`);
  const faults = new FaultList();
  faults.add(...misplacedFaults(body));
  const search = faults.collect(() => checkSearch(schema, body.params));
  faults.throwAny();
  // What a check refused is undefined, but then `throwAny` had thrown.
  if (search === undefined) throw new Error('a refused search went on');
  const ownShape = body.action === 'search' ? 'hits' : 'records';
  return { live, entity, search, shape: isAlso ? 'both' : ownShape, requestId, onDisconnect };
}

/** Checks params and config; faults of the field selection are told along with those of params. */
function prepare(
  live: LiveConnector,
  { entity, action, params }: CheckedBody,
  selectionFaults: readonly Fault[],
): PreparedCall {
  try {
    const prepared = live.engine.prepare(entity, action, params);
    if (selectionFaults.length > 0) throw invalidRequest(selectionFaults);
    return prepared;
  } catch (error) {
    if (selectionFaults.length > 0 && isConnectorError(error, 'config_required'))
      throw invalidRequest(selectionFaults);
    if (selectionFaults.length > 0 && isConnectorError(error, 'invalid_params'))
      throw new ConnectorError(
        'invalid_params',
        { entity, action, faults: [...faultsOf(error), ...selectionFaults] },
        { message: error.message },
      );
    throw explainConfigRequired(error, live.row.id);
  }
}

/** Callers of one connector take turns where its upstream's budget is short. */
function callerOf(access: Access): string {
  return access.type === 'scoped' ? `user ${access.externalUserId}` : 'application';
}

/** Hits are cut down by a param of their own. */
function misplacedFaults(body: CheckedBody): readonly Fault[] {
  return (['select_fields', 'exclude_fields'] as const)
    .filter((name) => (body[name] ?? null) !== null)
    .map((field) => ({
      field,
      errorCode: 'not_allowed',
      message: 'does not go with search; params.fields says which fields hits have',
    }));
}

function keyFaults(key: string | undefined): readonly Fault[] {
  if (key === undefined || (key.length >= 1 && key.length <= MAX_KEY_CHARACTERS)) return [];
  const message = `must have 1 to ${MAX_KEY_CHARACTERS} characters, has ${key.length}`;
  return [{ field: 'Idempotency-Key', errorCode: 'out_of_range', message }];
}

function timeoutFaults(timeout: string | undefined): readonly Fault[] {
  if (timeout === undefined) return [];
  const ms = /^\d{1,6}$/.test(timeout) ? Number(timeout) : 0;
  if (ms >= 1 && ms <= MAX_TIMEOUT_MS) return [];
  const expects = `an integer from 1 to ${MAX_TIMEOUT_MS}`;
  const message = `must be ${expects}`;
  return [{ field: 'Patchbay-Timeout-Ms', errorCode: 'out_of_range', message, allowed: expects }];
}

function outcomeUnknown(
  { entity, action }: CheckedCall,
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

function failedAfterApplying({ entity, action }: CheckedCall, cause: unknown): ConnectorError {
  return new ConnectorError(
    'internal',
    { entity: entity.name, action: action.verb, applied: true },
    { cause },
  );
}
