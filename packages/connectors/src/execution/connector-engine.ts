import type { Dispatcher } from 'undici';
import type { Account } from '../account.ts';
import { isJsonObject } from '../json-value.ts';
import { ConnectorError, isConnectorError } from '../errors.ts';
import {
  isSearch,
  isWrite,
  SEARCH,
  type Action,
  type CallOptions,
  type ConnectorKind,
  type Download,
  type DownloadAction,
  type Entity,
  type GetAction,
  type ListAction,
  type WriteAction,
} from '../vocabulary/index.ts';
import type { Warning } from '../warning.ts';
import type { Selection } from '../field-selection.ts';
import { valueAt } from './body-path.ts';
import { checkCallOptions, checkOptions, wrongOptions } from './check-options.ts';
import {
  checkCall,
  findAction,
  findEntity,
  type AskedCall,
  type CheckedCall,
} from './check-call.ts';
import type { CallTimes } from './call-times.ts';
import { baseUrlFault, fillBaseUrl, missingConfig } from './check-settings.ts';
import { systemClock, type Clock } from './clock.ts';
import { authorizationOf, type Authorize, type CheckedCredentials } from './credentials.ts';
import { startDeadline } from './deadline.ts';
import { eachOfPages } from './each-of-pages.ts';
import { openFile } from './file-download.ts';
import { accountIn, NO_ENTITY } from './identify.ts';
import type { Operation } from './judge.ts';
import { Limiter, type UpstreamLimits } from './limiter.ts';
import { findList, firstPageParams, walkPages } from './page-walk.ts';
import { newDrift, type ProjectedRecord } from './projection.ts';
import {
  hasKey,
  pageOf,
  rawPageOf,
  recordAt,
  recordOf,
  type AnsweredCall,
  type Page,
  type RawPage,
} from './read-answer.ts';
import { asRefusedCursor } from './refused-cursor.ts';
import { withoutSecrets, type Secret } from './secret.ts';
import { defaultDispatcher, defaultFileDispatcher, type OnBytes } from './transport.ts';
import { ratesOf, UpstreamClient, type Signature, type UpstreamCall } from './upstream-client.ts';
import type { UpstreamObserver } from './upstream-observer.ts';
import { withVendorAddresses } from './vendor-address.ts';

/** What an operation returns, untyped: a page of a list, a record, or a file. */
export type Outcome = Page | ProjectedRecord | Download;

/** What an upstream's answer to one operation had that the definition does not know. */
export interface DriftReport {
  readonly entity: string;
  readonly action: string;
  readonly unknownFields: number;
  readonly unknownNames: readonly string[];
  readonly lostValues: number;
}

/** How a connector works; all but the first three members have sensible defaults. */
export interface EngineOptions {
  readonly kind: ConnectorKind;
  readonly authorize: Authorize;
  /** Checked config variables. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Where the upstream is, instead of its real address. */
  readonly baseUrl?: string | undefined;
  /** The name of the setting that gives `baseUrl`, for errors. */
  readonly baseUrlSetting?: string | undefined;
  /**
   * Told in a sentence where nothing answers, and what to check. Errors then say neither: for a service, whose
   * callers have nothing to do with its addresses. It must not throw.
   */
  readonly onUnreachable?: ((told: string) => void) | undefined;
  readonly upstreamLimits?: UpstreamLimits | undefined;
  /** Origins that files may come from besides the definition's hosts, for a simulator or proxy. */
  readonly fileOrigins?: readonly string[] | undefined;
  /** Longest time of a call that states none. */
  readonly timeoutMs?: number | undefined;
  readonly dispatcher?: Dispatcher | undefined;
  readonly clock?: Clock | undefined;
  /** Numbers from 0 to 1, for jitter. */
  readonly random?: (() => number) | undefined;
  readonly onDrift?: ((report: DriftReport) => void) | undefined;
  readonly observer?: UpstreamObserver | undefined;
}

/** A file that brings nothing for this long is given up. */
const FILE_IDLE_TIMEOUT_MS = 30_000;

/** Longer names of unknown fields are cut off. */
const MAX_NAME = 100;

/** The longest a call takes unless it says otherwise. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** A write that the upstream accepted. */
export interface AcceptedWrite {
  readonly entity: Entity;
  readonly action: WriteAction;
  readonly params: Readonly<Record<string, unknown>>;
  /** The parsed body of the answer. */
  readonly body: unknown;
  /** Its record as the upstream sent it, in that body or in a read after it. */
  readonly raw: unknown;
}

/** The options of a call whose answer is watched as it arrives. */
export interface WatchedCallOptions extends CallOptions {
  /** For reads only, since a write whose answer is given up may have happened. */
  readonly onBytes?: OnBytes;
  /** Adds up where the time of the call goes. */
  readonly times?: CallTimes | undefined;
  /**
   * Told before a request goes out, and when an answer shows that it had no effect: where the call rejects
   * with what is no ConnectorError, whether a write may have happened.
   */
  readonly onUnderWay?: ((isUnderWay: boolean) => void) | undefined;
}

/** An operation whose names, params, fields and config have been checked; nothing has been sent. */
export interface PreparedCall extends CheckedCall {
  readonly entity: Entity;
  readonly action: Action;
  /**
   * Sends it; records come cut down to the fields that were asked for.
   *
   * @param onWritten Told of an accepted write before its record comes back. What it rejects with,
   * the call rejects with, though the write was applied.
   */
  send(
    options?: WatchedCallOptions,
    onWritten?: (write: AcceptedWrite) => Promise<void>,
  ): Promise<Outcome>;
}

/**
 * Runs the operations of one connector: check params, resolve auth, build the request, keep to
 * the budget, send, judge, retry, extract, project. Knows definitions, not kinds.
 */
export class ConnectorEngine {
  readonly kind: ConnectorKind;
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #baseUrlTemplate: string;
  readonly #operations = new Map<Action, Operation>();
  #client: UpstreamClient | undefined;

  /** @throws `invalid_config` for options that make no sense. */
  constructor(options: EngineOptions) {
    checkOptions(options);
    const { kind, baseUrl } = options;
    const message = baseUrl === undefined ? undefined : baseUrlFault(kind, baseUrl);
    if (message !== undefined)
      throw wrongOptions([{ field: 'baseUrl', errorCode: 'not_allowed', message }]);
    this.kind = kind;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#baseUrlTemplate = (options.baseUrl ?? options.kind.baseUrl).replace(/\/+$/, '');
  }

  /**
   * Runs one operation.
   *
   * @throws ConnectorError by the error table; the reason of `options.signal` when it aborts.
   */
  // oxlint-disable-next-line max-params -- The call shape of the product: three, and the options of the call.
  async execute(
    entity: string,
    action: string,
    params?: unknown,
    options?: CallOptions,
  ): Promise<Outcome> {
    checkCallOptions(options);
    return this.prepare({ entity, action, params }).send(options);
  }

  /**
   * Checks everything about an operation that can be checked without the upstream, in this order:
   * entity and action, params and fields, config.
   *
   * @throws `unknown_entity`, `unsupported_action`, `search_requires_hosted_mode`,
   * `invalid_params`, `invalid_request`, `config_required`.
   */
  prepare(asked: AskedCall & { readonly entity: string; readonly action: string }): PreparedCall {
    const action = this.#findAction(asked.entity, asked.action);
    const entity = findEntity(this.kind, asked.entity);
    const checked = checkCall(entity, action, asked);
    this.requireConfig();
    const call: PreparedCall = {
      entity,
      action,
      ...checked,
      send: async (options, onWritten) => {
        const { outcome, write } = await this.#run(call, options, (run, body) =>
          this.#finish(run, action, body),
        );
        if (write !== undefined) await onWritten?.(write);
        return checked.select === undefined ? outcome : cutDown(action, outcome, checked.select);
      },
    };
    return call;
  }

  /**
   * Reads one page of a list as the upstream sent it. The action may be one of the definition that no
   * entity shows; its params are the definition's own, and not checked again.
   *
   * @throws `config_required`; ConnectorError by the error table.
   */
  async readPage(call: CallOf<ListAction>, options?: WatchedCallOptions): Promise<RawPage> {
    this.requireConfig();
    return this.#run(call, options, (run, body) => rawPageOf(run, call.action, body));
  }

  /** Sends a read that no entity shows, for its effect; params and errors are as for `readPage`. */
  async readNothing(call: CallOf<GetAction>, options?: CallOptions): Promise<void> {
    this.requireConfig();
    await this.#run(call, options, () => undefined);
  }

  /**
   * Asks the upstream whose the credentials are; `undefined` where its answers do not say so.
   *
   * @throws `config_required`; ConnectorError by the error table.
   */
  async identify(options?: CallOptions): Promise<Account | undefined> {
    const { identity } = this.kind;
    if (identity === undefined) return undefined;
    this.requireConfig();
    const signedWith: Secret[] = [];
    const answers = await Promise.all(
      Object.entries(identity.reads).map(([name, action]) =>
        this.#run({ entity: NO_ENTITY, action, params: {} }, options, (run, body) => {
          signedWith.push(...run.signedWith);
          return [name, body];
        }),
      ),
    );
    const { host } = new URL(this.#baseUrl());
    const facts = Object.fromEntries(answers) as Readonly<Record<string, unknown>>;
    const known = { ...facts, config: this.#options.config, upstream: { host } };
    return accountIn(identity, known, (text) => withoutSecrets(signedWith, text) !== text);
  }

  /** Walks a list page by page; holds one page. Ends when the upstream says so. */
  async *pages(
    entityName: string,
    params?: unknown,
    options?: CallOptions,
  ): AsyncGenerator<Page, void, undefined> {
    checkCallOptions(options);
    const { entity, action } = findList(this.kind, entityName);
    const checked = checkCall(entity, action, { params });
    this.requireConfig();
    yield* walkPages<Page>({
      displayName: this.kind.displayName,
      entity: entity.name,
      key: entity.key,
      params: firstPageParams(action, checked.params),
      fetchPage: (next) =>
        this.#run({ ...checked, entity, action, params: next }, options, (run, body) =>
          this.#pageOf(run, action, body),
        ),
    });
  }

  /** Walks a list record by record; holds one page. */
  all(
    entityName: string,
    params?: unknown,
    options?: CallOptions,
  ): AsyncGenerator<ProjectedRecord, void, undefined> {
    const pages = this.pages(entityName, params, options);
    return eachOfPages(pages, ({ data }) => data, options?.signal);
  }

  /** @throws `config_required` naming what is missing. */
  requireConfig(): void {
    const missing = missingConfig(this.kind, this.#baseUrlTemplate, this.#options.config);
    if (missing.length === 0) return;
    throw new ConnectorError(
      'config_required',
      { missing },
      { message: `The connector needs the config ${missing.join(', ')}.` },
    );
  }

  #findAction(entityName: string, actionName: string): Action {
    if (isSearch(actionName) && findEntity(this.kind, entityName).search !== undefined)
      throw new ConnectorError('search_requires_hosted_mode', {
        entity: entityName,
        action: SEARCH,
      });
    return findAction(this.kind, entityName, actionName);
  }

  /** Sends one request within its deadline, and makes of the answer what `finish` does. */
  async #run<T>(
    { entity, action, params, warnings = [] }: CallOf,
    options: WatchedCallOptions = {},
    finish: (run: Run, body: unknown) => T | Promise<T>,
  ): Promise<T> {
    checkOptions({ timeoutMs: options.timeoutMs });
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    using deadline = startDeadline(this.#clock, timeoutMs, options.signal);
    const drift = newDrift();
    const signedWith: Secret[] = [];
    const operation = this.#operationOf(entity, action);
    const { priority = 'interactive', caller, signal, onBytes, times, onUnderWay } = options;
    const watch = { caller, signal, onBytes, times, onUnderWay };
    const run = { operation, params, warnings, deadline, drift, signedWith, priority, ...watch };
    try {
      return await finish(run, await this.#fetchBody(run));
    } catch (error) {
      if (!deadline.hasPassed() || isConnectorError(error)) throw asRefusedCursor(error, run);
      throw new ConnectorError(
        'upstream_timeout',
        { entity: entity.name, action: action.verb },
        { message: `The call took longer than its deadline of ${timeoutMs} ms.`, cause: error },
      );
    } finally {
      this.#reportDrift(run);
    }
  }

  #fetchBody(run: Run): Promise<unknown> {
    const { reshape } = run.operation.action;
    const answer = this.#upstream().fetchBody(run);
    return reshape === undefined ? answer : answer.then((body) => reshape(body, run.params));
  }

  async #finish(run: Run, action: Action, body: unknown): Promise<Finished> {
    switch (action.verb) {
      case 'list':
        return { outcome: this.#pageOf(run, action, body) };
      case 'get':
        return { outcome: recordOf(run, recordAt(body, action.record)) };
      case 'create':
      case 'update':
        return this.#finishWrite(run, action, body);
      case 'download':
        return { outcome: await this.#openFile(run, action, body) };
    }
  }

  #pageOf(run: Run, action: ListAction, body: unknown): Page {
    const page = pageOf(run, action, body);
    const { kind } = this;
    const { baseUrl, config } = this.#options;
    if (baseUrl === undefined) return page;
    const meta = withVendorAddresses(page.meta, {
      baseUrl: this.#baseUrl(),
      vendorBaseUrl: fillBaseUrl(kind, kind.baseUrl, config),
      isVendorKnown: missingConfig(kind, kind.baseUrl, config).length === 0,
    });
    return { ...page, meta };
  }

  async #openFile(run: Run, action: DownloadAction, body: unknown): Promise<Download> {
    const { operation, params, deadline, signal, times } = run;
    const range = action.rangeParam === undefined ? undefined : params[action.rangeParam];
    const { authorization } = await this.#upstream().sign(run);
    const { dispatcher, fileOrigins, random } = this.#options;
    return openFile({
      operation,
      action,
      metadata: body,
      range: typeof range === 'string' ? range : undefined,
      authorization,
      dispatcher: dispatcher ?? defaultFileDispatcher(),
      deadline,
      signal,
      times,
      idleTimeoutMs: FILE_IDLE_TIMEOUT_MS,
      fileOrigins: fileOrigins ?? [],
      clock: this.#clock,
      random: random ?? Math.random,
    });
  }

  /** The record of an accepted write, from wherever the answer, or a read after it, has it. */
  async #finishWrite(run: Run, action: WriteAction, body: unknown): Promise<Finished> {
    const answered = recordAt(body, action.record);
    const filled: Record<string, unknown> = isJsonObject(answered) ? { ...answered } : {};
    for (const [name, path] of Object.entries(action.fill ?? {}))
      filled[name] ??= valueAt(body, path);
    const { readBack } = action;
    const { raw, outcome } =
      readBack === undefined || hasKey(run.operation.entity, filled)
        ? { raw: filled, outcome: recordOf(run, filled) }
        : await this.#readBack(run, readBack);
    const { operation, params } = run;
    return { outcome, write: { entity: operation.entity, action, params, body, raw } };
  }

  async #readBack(
    run: Run,
    readBack: NonNullable<WriteAction['readBack']>,
  ): Promise<{ readonly raw: unknown; readonly outcome: ProjectedRecord }> {
    const { operation, deadline } = run;
    try {
      const entity = findEntity(this.kind, readBack.entity);
      const action = findAction(this.kind, readBack.entity, 'get');
      if (action.verb !== 'get') throw new Error(`${readBack.entity}.get is no get action`);
      const params = Object.fromEntries(
        Object.entries(readBack.params).map(([name, source]) => [name, run.params[source]]),
      );
      // The write has happened, whatever becomes of this.
      const read = {
        ...run,
        operation: this.#operationOf(entity, action),
        params,
        onUnderWay: undefined,
      };
      const raw = recordAt(await this.#fetchBody(read), action.record);
      return { raw, outcome: recordOf(read, raw) };
    } catch (error) {
      const problem = isConnectorError(error) ? ` ${error.message}` : '';
      const cutShort = deadline.signal.aborted ? 'upstream_timeout' : 'internal';
      throw new ConnectorError(
        isConnectorError(error) ? error.code : cutShort,
        { entity: operation.entity.name, action: operation.action.verb, applied: true },
        {
          message: `The write was accepted, but reading the record back failed.${problem} Do not repeat the write.`,
          cause: error,
        },
      );
    }
  }

  #operationOf(entity: Entity, action: Action): Operation {
    const known = this.#operations.get(action);
    if (known !== undefined) return known;
    const { kind } = this;
    const operation = {
      kind,
      entity,
      action,
      baseUrlSetting: this.#options.baseUrlSetting ?? 'baseUrl',
      onUnreachable: this.#options.onUnreachable,
      upstreamOrigin: new URL(this.#baseUrl()).origin,
      headers: {
        accept: 'application/json',
        'user-agent': 'patchbay',
        ...kind.headers,
        ...action.headers,
      },
      rates: ratesOf({ action, entity, kind }),
    };
    this.#operations.set(action, operation);
    return operation;
  }

  #baseUrl(): string {
    return fillBaseUrl(this.kind, this.#baseUrlTemplate, this.#options.config);
  }

  #upstream(): UpstreamClient {
    const { dispatcher, upstreamLimits, random, observer } = this.#options;
    this.#client ??= new UpstreamClient({
      baseUrl: this.#baseUrl(),
      sign: (signal, refused) => this.#sign(signal, refused),
      dispatcher: dispatcher ?? defaultDispatcher(),
      limiter: new Limiter(this.#clock, upstreamLimits ?? 'vendor'),
      clock: this.#clock,
      random: random ?? Math.random,
      observer,
    });
    return this.#client;
  }

  #sign(signal: AbortSignal, refused?: CheckedCredentials): Signature | Promise<Signature> {
    const sign = (credentials: CheckedCredentials) => ({
      credentials,
      authorization: authorizationOf(this.kind, credentials),
    });
    const given = this.#options.authorize(signal, refused);
    return given instanceof Promise ? given.then(sign) : sign(given);
  }

  #reportDrift({ operation: { entity, action }, drift, signedWith }: Run): void {
    const { unknownFields, unknownNames, lostValues } = drift;
    if (unknownFields + lostValues === 0) return;
    const operation = { entity: entity.name, action: action.verb };
    try {
      // A name is the upstream's: of any length, and it may hold the credentials.
      const shown = [...unknownNames].map((name) =>
        withoutSecrets(signedWith, name).slice(0, MAX_NAME).toWellFormed(),
      );
      const names = [...new Set(shown)];
      this.#options.onDrift?.({ ...operation, unknownFields, unknownNames: names, lostValues });
    } catch (error) {
      if (!isWrite(action)) throw error;
      // What has drifted is an answer, so the write was accepted, whatever its caller's own function does.
      throw new ConnectorError(
        'internal',
        { ...operation, applied: true },
        {
          message: 'The write was accepted, but onDrift threw. Do not repeat the write.',
          cause: error,
        },
      );
    }
  }
}

/** An action of an entity, with checked params. */
interface CallOf<A extends Action = Action> {
  readonly entity: Entity;
  readonly action: A;
  readonly params: Readonly<Record<string, unknown>>;
  /** What checking the params found. */
  readonly warnings?: readonly Warning[];
}

interface Finished {
  readonly outcome: Outcome;
  readonly write?: AcceptedWrite;
}

/** A call under way. */
interface Run extends UpstreamCall, AnsweredCall {
  readonly signedWith: Secret[];
  readonly signal: AbortSignal | undefined;
}

/** Cuts down the records of an outcome: of a list it is a page, of a download a file. */
function cutDown({ verb }: Action, outcome: Outcome, select: Selection): Outcome {
  switch (verb) {
    case 'list': {
      const page = outcome as Page;
      return { ...page, data: page.data.map(select) };
    }
    case 'download':
      return outcome;
    default:
      return select(outcome as ProjectedRecord);
  }
}
