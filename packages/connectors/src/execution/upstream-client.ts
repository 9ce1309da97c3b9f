import { hash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { ConnectorError } from '../errors.ts';
import { ENGINE_POLICIES, type Action, type RateRule } from '../vocabulary/index.ts';
import type { CallTimes } from './call-times.ts';
import type { Clock } from './clock.ts';
import type { Deadline } from './deadline.ts';
import {
  judgeResponse,
  judgeTransportError,
  msUntil,
  type Operation,
  type Verdict,
} from './judge.ts';
import { BudgetExhaustedError, type Budget, type Limiter } from './limiter.ts';
import { quotableAnswer } from './quotable-answer.ts';
import { buildRequest, type BuiltRequest } from './request-builder.ts';
import { NoCredentialsError, type CheckedCredentials } from './credentials.ts';
import { delayBeforeNext, pause } from './retry-delay.ts';
import type { Secret } from './secret.ts';
import type { UpstreamObserver } from './upstream-observer.ts';
import {
  baseOf,
  send,
  TransportError,
  type OnBytes,
  type UpstreamBase,
  type UpstreamResponse,
} from './transport.ts';

/** What one attempt is signed with. */
export interface Signature {
  readonly credentials: CheckedCredentials;
  readonly authorization: Secret;
}

/** As `Authorize`, with the header that the credentials make. */
export type Sign = (
  signal: AbortSignal,
  refused?: CheckedCredentials,
) => Signature | Promise<Signature>;

/** One call of an operation. */
export interface UpstreamCall {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, unknown>>;
  readonly deadline: Deadline;
  readonly priority: 'interactive' | 'background';
  readonly caller: string | undefined;
  readonly onBytes?: OnBytes | undefined;
  /** Adds up where its time goes. */
  readonly times?: CallTimes | undefined;
  /** Takes what its attempts are signed with, which the upstream may say back anywhere in its answer. */
  readonly signedWith?: Secret[] | undefined;
  /** Told whether a request is under way that may take effect: not before one goes out over a connection, nor once it was refused. */
  readonly onUnderWay?: ((isUnderWay: boolean) => void) | undefined;
}

/** Credentials that are refused are asked to be replaced so often, less once: others may renew them meanwhile. */
const MAX_REFUSALS = 3;

/**
 * Kept back of what is left of a call that waits for its budget, as a share and at most: one that goes
 * out at its last moment spends the budget for nothing.
 */
const ANSWER_SHARE = 0.1;
const ANSWER_MS = 1_000;

/**
 * Sends the requests of one connector: waits for the budget, sends, judges, and repeats what may
 * be repeated until the deadline. Reads are repeated on any passing trouble; writes only when they
 * surely did not take effect.
 */
export class UpstreamClient {
  readonly #base: UpstreamBase;
  readonly #sign: Sign;
  readonly #dispatcher: Dispatcher;
  readonly #limiter: Limiter;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #observer: UpstreamObserver | undefined;

  constructor(parts: {
    readonly baseUrl: string;
    /** Asked before each attempt. */
    readonly sign: Sign;
    readonly dispatcher: Dispatcher;
    readonly limiter: Limiter;
    readonly clock: Clock;
    readonly random: () => number;
    readonly observer?: UpstreamObserver | undefined;
  }) {
    this.#base = baseOf(parts.baseUrl);
    this.#sign = parts.sign;
    this.#dispatcher = parts.dispatcher;
    this.#limiter = parts.limiter;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#observer = parts.observer;
  }

  /** The parsed body of a successful answer. */
  async fetchBody(call: UpstreamCall): Promise<unknown> {
    const { operation, params, deadline } = call;
    const budgets = budgetsOf(operation, params);
    const request = buildRequest(operation.action, params);
    let refusals = 0;
    let next: Signature | undefined;
    for (let attempt = 1; ; attempt++) {
      const turn = this.#waitForBudget(call, budgets);
      if (turn !== undefined) await turn;
      // What goes wrong here says nothing of the request: it has not gone out.
      deadline.signal.throwIfAborted();
      const given = next ?? this.sign(call);
      const signature = given instanceof Promise ? await given : given;
      next = undefined;
      call.signedWith?.push(signature.authorization);
      const verdict = await this.#attempt(call, { request, signature, number: attempt }, budgets);
      if (!verdict.isFailure) return verdict.body;
      if (verdict.error.code !== 'write_outcome_unknown') call.onUnderWay?.(false);
      if (verdict.error.code === 'credentials_rejected' && ++refusals < MAX_REFUSALS) {
        next = await this.sign(call, signature.credentials);
        if (next.credentials !== signature.credentials) continue;
      }
      const delayMs = delayBeforeNext(verdict, attempt, this.#random);
      if (delayMs === undefined) throw verdict.error;
      // Also where this call ends here: those after it would only be refused anew.
      if (verdict.again === 'after')
        this.#limiter.block(refusedOf(budgets), this.#clock.monotonic() + delayMs);
      if (delayMs >= deadline.leftMs()) throw verdict.error;
      if (verdict.again === 'after') continue;
      const { signal } = deadline;
      await pause(delayMs, { clock: this.#clock, times: call.times, signal });
    }
  }

  /** Waits only where the budget makes it; a promise for nothing would cost every call. */
  #waitForBudget(call: UpstreamCall, budgets: readonly Budget[]): Promise<void> | undefined {
    const { deadline, priority, caller, times } = call;
    const { signal } = deadline;
    signal.throwIfAborted();
    const leftMs = deadline.leftMs();
    const waitMs = leftMs - Math.min(ANSWER_MS, leftMs * ANSWER_SHARE);
    const deadlineAt = this.#clock.monotonic() + waitMs;
    const turn = this.#limiter.acquire(budgets, { priority, caller, signal, deadlineAt });
    if (turn === undefined) return undefined;
    const startedAt = this.#clock.monotonic();
    return turn
      .catch((error: unknown) => {
        throw error instanceof BudgetExhaustedError ? limited(call, error) : error;
      })
      .finally(() => {
        const durationMs = this.#clock.monotonic() - startedAt;
        if (times !== undefined) times.waitMs += durationMs;
        this.#observer?.onBudgetWait({ priority, durationMs });
      });
  }

  /**
   * What an attempt of the operation is signed with; `refused` as in `Authorize`.
   *
   * @throws `credentials_rejected`, `upstream_unavailable` where there are no credentials for it.
   */
  sign(
    { operation, deadline }: Pick<UpstreamCall, 'operation' | 'deadline'>,
    refused?: CheckedCredentials,
  ): Signature | Promise<Signature> {
    const fail = (error: unknown): never => {
      if (!(error instanceof NoCredentialsError)) throw error;
      // Whoever gave the call up knows why; the time that ran out has its reason here.
      if (!deadline.hasPassed()) deadline.signal.throwIfAborted();
      throw unsigned(operation, error);
    };
    try {
      const given = this.#sign(deadline.signal, refused);
      return given instanceof Promise ? given.catch(fail) : given;
    } catch (error) {
      return fail(error);
    }
  }

  async #attempt(
    { operation, deadline, onBytes, onUnderWay, times }: UpstreamCall,
    { request, signature: { authorization }, number }: SignedRequest,
    budgets: readonly Budget[],
  ): Promise<Verdict> {
    const startedAt = this.#clock.monotonic();
    const wait = new WaitForTurn(deadline, this.#clock);
    let status: number | undefined;
    let hasBegun = false;
    try {
      const response = await send(this.#dispatcher, request, {
        base: this.#base,
        headers: headersOf(operation, request, authorization),
        timeoutMs: ENGINE_POLICIES.timeoutMs,
        signal: deadline.signal,
        onBytes: onBytes && ((bytes) => wait.during(onBytes(bytes))),
        onBegun: () => {
          hasBegun = true;
          onUnderWay?.(true);
        },
      });
      ({ status } = response);
      this.#learn(operation, budgets, response);
      const now = this.#clock.now();
      const verdict = judgeResponse(operation, response, now);
      if (!verdict.isFailure) return verdict;
      // Judged anew for its words: what an error quotes, and cuts, must not hold credentials.
      const clean = judgeResponse(operation, quotableAnswer(response, authorization), now);
      return { ...verdict, error: wordsOf(clean, verdict.error) };
    } catch (error) {
      if (error instanceof TransportError) return judgeTransportError(operation, error);
      if (!deadline.hasPassed()) throw error;
      return judgeTransportError(operation, pastDeadline(error, hasBegun));
    } finally {
      wait.end();
      const durationMs = this.#clock.monotonic() - startedAt - wait.waitedMs;
      if (times !== undefined) times.upstreamMs += durationMs;
      this.#observer?.onAttempt({
        entity: operation.entity.name,
        action: operation.action.verb,
        number,
        status,
        durationMs,
      });
    }
  }

  #learn({ kind }: Operation, budgets: readonly Budget[], response: UpstreamResponse): void {
    const headers = kind.rateHeaders;
    if (headers === undefined) return;
    const remaining = Number(response.header(headers.remaining));
    const reset = Number(response.header(headers.reset.header));
    if (!Number.isFinite(remaining) || !Number.isFinite(reset)) return;
    const inMs =
      headers.reset.unit === 'epoch_seconds'
        ? msUntil(reset * 1000, response, this.#clock.now())
        : reset * 1000;
    this.#limiter.learn(budgets, remaining, this.#clock.monotonic() + inMs);
  }
}

/** What an answer waits for here, when its time is none of the upstream's. */
class WaitForTurn {
  readonly #deadline: Deadline;
  readonly #clock: Clock;
  #goOn: (() => void) | undefined;
  #since = 0;
  waitedMs = 0;

  constructor(deadline: Deadline, clock: Clock) {
    this.#deadline = deadline;
    this.#clock = clock;
  }

  during(turn: void | Promise<void>): void | Promise<void> {
    if (!(turn instanceof Promise)) return undefined;
    if (this.#goOn === undefined) {
      this.#since = this.#clock.monotonic();
      this.#goOn = this.#deadline.stop();
    }
    return turn.finally(() => this.end());
  }

  /** Also where the answer ends before its turn comes. */
  end(): void {
    if (this.#goOn === undefined) return;
    this.waitedMs += this.#clock.monotonic() - this.#since;
    this.#goOn();
    this.#goOn = undefined;
  }
}

/**
 * The budgets that a 429 speaks of: those of the request where it has its own, since that of all calls is seldom the
 * one that is spent, and the next call of another request is told if it is.
 */
function refusedOf(budgets: readonly Budget[]): readonly Budget[] {
  const own = budgets.filter(({ rule }) => rule?.shared === 'request');
  return own.length > 0 ? own : budgets;
}

interface SignedRequest {
  readonly request: BuiltRequest;
  readonly signature: Signature;
  /** Which of the call's requests it is, from 1. */
  readonly number: number;
}

function unsigned({ entity, action }: Operation, cause: NoCredentialsError): ConnectorError {
  const details = { entity: entity.name, action: action.verb };
  return new ConnectorError(cause.code, details, { message: cause.message, cause });
}

/**
 * The error of a judgement without credentials, if it means the same. Credentials that are spelled
 * like an error code of the upstream take that code out of its answer; then its meaning stands, and
 * above all whether a write may have happened, and its words are left out.
 */
function wordsOf(clean: Verdict, error: ConnectorError): ConnectorError {
  if (clean.isFailure && clean.error.code === error.code) return clean.error;
  const { entity = '', action = '' } = error.details;
  return new ConnectorError(error.code, { entity, action }, { retry: error.retry });
}

function limited(
  { operation: { kind, entity, action } }: UpstreamCall,
  cause: BudgetExhaustedError,
): ConnectorError<'upstream_rate_limited'> {
  return new ConnectorError(
    'upstream_rate_limited',
    {
      entity: entity.name,
      action: action.verb,
      retryAfterSeconds: Math.max(1, Math.ceil(cause.waitMs / 1000)),
    },
    {
      message: `The rate limit of ${kind.displayName} allows no such call before the deadline.`,
      cause,
    },
  );
}

/** Action, entity, kind: the nearest that says something decides. */
export function ratesOf({ action, entity, kind }: Pick<Operation, 'action' | 'entity' | 'kind'>) {
  const levels = [action.policies, entity.policies, kind.policies];
  return levels.find((level) => level?.rates !== undefined)?.rates ?? [];
}

/** The budgets that a call draws on. */
export function budgetsOf(
  { rates, action }: Pick<Operation, 'rates' | 'action'>,
  params: Readonly<Record<string, unknown>>,
): readonly Budget[] {
  return rates.length === 0
    ? [{ key: action.request }]
    : rates.map((rule) => budgetOf(rule, action, params));
}

function budgetOf(
  rule: RateRule,
  action: Action,
  params: Readonly<Record<string, unknown>>,
): Budget {
  const shared = rule.shared === 'connector' ? 'connector' : (rule.budget ?? action.request);
  const own = rule.perParam === undefined ? '' : ` ${shortened(String(params[rule.perParam]))}`;
  return { key: `${shared}${own}`, rule };
}

/** Longer than an id of any upstream. */
const LONGEST_NAME = 64;

/** Budgets are remembered by name, and a param may be as long as a request. */
function shortened(value: string): string {
  return value.length <= LONGEST_NAME ? value : hash('sha256', value, 'base64url');
}

function headersOf(
  { headers }: Operation,
  { body }: BuiltRequest,
  authorization: Secret,
): Record<string, string> {
  return {
    ...headers,
    ...(body === undefined ? undefined : { 'content-type': 'application/json; charset=utf-8' }),
    authorization: authorization.reveal(),
  };
}

/** What the passing of the deadline means: what still waited for a connection then never goes out. */
function pastDeadline(cause: unknown, hasBegun: boolean): TransportError {
  const failure = hasBegun ? 'timeout' : 'unsent';
  return new TransportError(failure, 'The deadline has passed.', cause);
}
