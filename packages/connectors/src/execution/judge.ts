import { ConnectorError, type ErrorCode } from '../errors.ts';
import {
  isRepeatable,
  isWrite,
  placeholdersOf,
  type Action,
  type BodyPath,
  type ConnectorKind,
  type Entity,
  type RateRule,
  type UpstreamErrorCode,
} from '../vocabulary/index.ts';
import { valueAt } from './body-path.ts';
import type { TransportError, UpstreamResponse } from './transport.ts';

/** One operation, for judging its answers and naming it in errors. */
export interface Operation {
  readonly kind: ConnectorKind;
  readonly entity: Entity;
  readonly action: Action;
  /** The name of the setting that gives the base URL, for errors when nothing answers there; absent elsewhere. */
  readonly baseUrlSetting?: string;
  /** As in `EngineOptions`. */
  readonly onUnreachable?: ((told: string) => void) | undefined;
  /** Scheme and host of the base URL, or of a file that is elsewhere. */
  readonly upstreamOrigin: string;
  /** Those of every request, but for what its body and the credentials need. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rates: readonly RateRule[];
}

/** What came of one attempt. */
export type Verdict =
  | { readonly isFailure: false; readonly body: unknown }
  | {
      readonly isFailure: true;
      readonly error: ConnectorError;
      /**
       * Whether another attempt may do better: `quickly` where nothing was reached, `backoff` for
       * passing trouble, `after` a stated time, or `never`. Never for what may have happened and
       * must not happen twice, such as a write.
       */
      readonly again: 'never' | 'quickly' | 'backoff' | 'after';
      readonly retryAfterMs?: number;
    };

/** An attempt that failed. */
export type Failure = Extract<Verdict, { isFailure: true }>;

/** What an attempt failed with, before it is known whether it was a write. */
interface Trouble {
  readonly code: UpstreamErrorCode | 'upstream_timeout' | 'upstream_contract_broken';
  readonly message: string;
  readonly again: Failure['again'];
  readonly mayHaveHappened: boolean;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
  readonly details?: {
    readonly upstreamCode?: string;
    readonly upstreamMessage?: string;
    readonly upstreamStatus?: number;
    readonly upstreamHints?: Readonly<Record<string, string>>;
  };
}

/** Judges a whole answer: the parsed body of a success, or the error it stands for. */
export function judgeResponse(
  operation: Operation,
  response: UpstreamResponse,
  nowMs: number,
): Verdict {
  const body = parseJson(response.body);
  const isHttpSuccess = response.status >= 200 && response.status < 300;
  if (isHttpSuccess && body === undefined)
    return failure(operation, brokenBody(response, 'its body is not JSON'));
  const trouble = isHttpSuccess
    ? troubleInBody(operation, response, body)
    : troubleOfStatus(operation, response, body);
  return trouble === undefined
    ? { isFailure: false, body }
    : failure(operation, withRetryAfter(trouble, response, nowMs));
}

/** Judges an attempt that brought no whole answer. */
export function judgeTransportError(operation: Operation, error: TransportError): Failure {
  const { displayName } = operation.kind;
  switch (error.failure) {
    case 'unreachable':
      return failure(operation, {
        code: 'upstream_unavailable',
        message: whereNothingAnswers(operation, error),
        again: 'quickly',
        mayHaveHappened: false,
        cause: error,
      });
    case 'unsent':
      return failure(operation, {
        code: 'upstream_timeout',
        message: `No connection to ${displayName} came about, or was free, before the deadline; nothing was sent.`,
        again: 'never',
        mayHaveHappened: false,
        cause: error,
      });
    case 'timeout':
      return failure(operation, {
        code: 'upstream_timeout',
        message: `${displayName} did not answer in time.`,
        again: 'backoff',
        mayHaveHappened: true,
        cause: error,
      });
    case 'cut':
      return failure(operation, {
        code: 'upstream_unavailable',
        message: `The connection to ${displayName} broke before the whole answer was here.`,
        again: 'backoff',
        mayHaveHappened: true,
        cause: error,
      });
    case 'too_large':
      return failure(operation, {
        code: 'upstream_contract_broken',
        message: `The answer of ${displayName} is too large. ${error.message}`,
        again: 'never',
        mayHaveHappened: true,
        cause: error,
      });
  }
}

/** With the address, for whoever has set it: in a service those who call are not told, but its operator is. */
function whereNothingAnswers(
  { kind: { displayName }, upstreamOrigin, baseUrlSetting, onUnreachable }: Operation,
  { message }: TransportError,
): string {
  const advice =
    baseUrlSetting === undefined
      ? 'Check the network.'
      : `Check the network and the setting ${baseUrlSetting}.`;
  const told = `${displayName} cannot be reached at ${upstreamOrigin}: ${message} ${advice}`;
  if (onUnreachable === undefined) return told;
  onUnreachable(told);
  return `${displayName} cannot be reached. The log of the service says where, and why.`;
}

/** The error for an answer that says success but holds something else than it should. */
export function contractBroken(
  operation: Operation,
  problem: string,
): ConnectorError<'upstream_contract_broken'> {
  const { kind, entity, action } = operation;
  return new ConnectorError(
    'upstream_contract_broken',
    {
      entity: entity.name,
      action: action.verb,
      // Of writes this is only asked once the upstream has accepted them.
      ...(isWrite(action) ? { applied: true } : {}),
    },
    {
      message: isWrite(action)
        ? `${kind.displayName} accepted the write, but ${problem}. Do not repeat it. ${action.howToFindOut}`
        : `The answer of ${kind.displayName} is not what it documents: ${problem}.`,
    },
  );
}

/** A failed attempt as the caller sees it; a write that may have happened is its own error. */
function failure(operation: Operation, trouble: Trouble): Failure {
  const { entity, action } = operation;
  const { message, mayHaveHappened, retryAfterMs, cause, details } = trouble;
  const isUnknown = isWrite(action) && mayHaveHappened;
  const common = { entity: entity.name, action: action.verb, ...details };
  if (isUnknown)
    return {
      isFailure: true,
      again: 'never',
      error: new ConnectorError(
        'write_outcome_unknown',
        { ...common, howToFindOut: action.howToFindOut },
        {
          message: `${message} The write may or may not have happened; it was not repeated. ${action.howToFindOut}`,
          cause,
        },
      ),
    };
  const code: ErrorCode = trouble.code;
  const retryAfter =
    retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) };
  return {
    isFailure: true,
    again: mayHaveHappened && !isRepeatable(action) ? 'never' : trouble.again,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    error: new ConnectorError(code, { ...common, ...retryAfter }, { message, cause }),
  };
}

function troubleInBody(
  operation: Operation,
  response: UpstreamResponse,
  body: unknown,
): Trouble | undefined {
  const { succeededWhen } = operation.kind.errors;
  if (succeededWhen === undefined) return undefined;
  const said = valueAt(body, succeededWhen.path);
  if (said === succeededWhen.equals) return undefined;
  if (typeof said !== typeof succeededWhen.equals)
    return brokenBody(response, `it has no "${succeededWhen.path}" that says whether it succeeded`);
  return troubleOfCode(operation, response, body) ?? rejected(operation, response, undefined);
}

function troubleOfStatus(operation: Operation, response: UpstreamResponse, body: unknown): Trouble {
  const { status } = response;
  const { displayName } = operation.kind;
  const details = { upstreamStatus: status };
  const said = troubleOfCode(operation, response, body);
  if (status === 429)
    return {
      code: 'upstream_rate_limited',
      message: `${displayName} asked us to wait (HTTP 429).`,
      again: 'after',
      mayHaveHappened: false,
      details: said?.details ?? details,
    };
  // Beside a server error, a code that elsewhere means "not done" proves nothing about a write.
  if (said !== undefined && said.code !== 'upstream_rejected')
    return { ...said, mayHaveHappened: said.mayHaveHappened || status >= 500 };
  if (status >= 500 || status === 408)
    return {
      code: 'upstream_unavailable',
      message: `${displayName} has a problem (HTTP ${status}).`,
      again: 'backoff',
      mayHaveHappened: true,
      details,
    };
  if (status < 400)
    return brokenBody(response, `it answered HTTP ${status}, which is not followed`);
  if (status === 401)
    return {
      code: 'credentials_rejected',
      message: `${displayName} refused the credentials (HTTP 401).`,
      again: 'never',
      mayHaveHappened: false,
      details,
    };
  if (status === 403)
    return {
      code: 'upstream_forbidden',
      message: `${displayName} does not allow this with these credentials (HTTP 403).`,
      again: 'never',
      mayHaveHappened: false,
      details,
    };
  const isListed = upstreamErrorIn(operation.kind, body)?.isListed === true;
  if (status === 404 && !isListed && isOfOneRecord(operation.action))
    return {
      code: 'record_not_found',
      message: `${displayName} has no such record (HTTP 404).`,
      again: 'never',
      mayHaveHappened: false,
      details,
    };
  return said ?? rejected(operation, response, undefined);
}

/** Whether its path names a record, though it may be a list of what belongs to it: else 404 says that the path is wrong. */
function isOfOneRecord({ verb, request }: Action): boolean {
  return verb !== 'list' || placeholdersOf(request).length > 0;
}

/** What an upstream's own error code stands for; `undefined` where the body has none. */
function troubleOfCode(
  operation: Operation,
  response: UpstreamResponse,
  body: unknown,
): Trouble | undefined {
  const { errors, displayName } = operation.kind;
  const said = upstreamErrorIn(operation.kind, body);
  if (said === undefined) return undefined;
  const { code: upstreamCode, meaning: code } = said;
  const details = { upstreamCode, upstreamStatus: response.status, ...sentenceOf(operation, body) };
  const mayHaveHappened = errors.writeMayHaveHappened.includes(upstreamCode);
  if (code === 'upstream_rejected')
    return { ...rejected(operation, response, upstreamCode), details, mayHaveHappened };
  return {
    code,
    message: `${displayName} answered "${upstreamCode}"${hintsInWords(details.upstreamHints)}.`,
    again:
      code === 'upstream_rate_limited'
        ? 'after'
        : code === 'upstream_unavailable'
          ? 'backoff'
          : 'never',
    mayHaveHappened,
    details,
  };
}

function rejected(
  { kind }: Operation,
  { status }: UpstreamResponse,
  upstreamCode: string | undefined,
): Trouble {
  const said = upstreamCode === undefined ? `HTTP ${status}` : `"${upstreamCode}"`;
  return {
    code: 'upstream_rejected',
    message: `${kind.displayName} refused the request: ${said}.`,
    again: 'never',
    mayHaveHappened: false,
    details: { upstreamStatus: status },
  };
}

function brokenBody({ status }: UpstreamResponse, problem: string): Trouble {
  return {
    code: 'upstream_contract_broken',
    message: `The upstream's answer is not what it documents: ${problem}.`,
    again: 'never',
    mayHaveHappened: true,
    details: { upstreamStatus: status },
  };
}

/** Passing trouble may come with a `Retry-After` of its own. */
function withRetryAfter(trouble: Trouble, response: UpstreamResponse, nowMs: number): Trouble {
  if (trouble.again === 'never' || trouble.retryAfterMs !== undefined) return trouble;
  const retryAfterMs =
    retryAfterMsOf(response, nowMs) ?? (trouble.again === 'after' ? 0 : undefined);
  return retryAfterMs === undefined ? trouble : { ...trouble, retryAfterMs };
}

/** A week: an upstream that says more means never, or has a clock that is wrong. */
const LONGEST_RETRY_AFTER_MS = 7 * 86_400_000;

/** `Retry-After` in milliseconds from now, a week at most; it is given in seconds or as a date. */
export function retryAfterMsOf(response: UpstreamResponse, nowMs: number): number | undefined {
  const text = response.header('retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_RETRY_AFTER_MS);
  const date = Date.parse(text);
  if (Number.isNaN(date)) return undefined;
  return Math.min(msUntil(date, response, nowMs), LONGEST_RETRY_AFTER_MS);
}

/**
 * How far off a time is that an upstream names: by our clock, or by its own where its answer tells that and it is
 * sooner, since a clock of ours that is behind would have us wait for as long as it is.
 */
export function msUntil(timeMs: number, response: UpstreamResponse, nowMs: number): number {
  const itsNowMs = Date.parse(response.header('date') ?? '');
  const byIts = Number.isNaN(itsNowMs) ? Infinity : timeMs - itsNowMs;
  return Math.max(0, Math.min(timeMs - nowMs, byIts));
}

/** The upstream's own error code in a parsed body, and what it stands for; `undefined` where there is none. */
export function upstreamErrorIn(kind: ConnectorKind, body: unknown): UpstreamError | undefined {
  const code = valuesAt(body, kind.errors.code).find(isText);
  if (code === undefined) return undefined;
  const meaning = meaningOf(kind, code);
  return {
    code: code.slice(0, MAX_CODE),
    meaning: meaning ?? 'upstream_rejected',
    isListed: meaning !== undefined,
  };
}

/** What an upstream says of a failure. */
interface UpstreamError {
  readonly code: string;
  readonly meaning: UpstreamErrorCode;
  /** The kind's definition says what it means. */
  readonly isListed: boolean;
}

const meanings = new WeakMap<ConnectorKind, ReadonlyMap<string, UpstreamErrorCode>>();

function meaningOf(kind: ConnectorKind, upstreamCode: string): UpstreamErrorCode | undefined {
  let byCode = meanings.get(kind);
  if (byCode === undefined) {
    // The keys of `codes` are UpstreamErrorCodes by its type.
    const entries = Object.entries(kind.errors.codes) as [UpstreamErrorCode, readonly string[]][];
    byCode = new Map(entries.flatMap(([ours, codes]) => codes.map((code) => [code, ours])));
    meanings.set(kind, byCode);
  }
  const known = byCode.get(upstreamCode);
  if (known !== undefined) return known;
  const { beginnings = [] } = kind.errors;
  return beginnings.some((each) => upstreamCode.startsWith(each)) ? 'upstream_rejected' : undefined;
}

/** What a failed body says besides its code, cut to a readable length. */
function sentenceOf(
  { kind }: Operation,
  body: unknown,
): { upstreamMessage?: string; upstreamHints?: Record<string, string> } {
  const text = valuesAt(body, kind.errors.message ?? [])
    .map((value) => (Array.isArray(value) ? value.filter(isText).join('; ') : value))
    .find(isText);
  const hints: Record<string, string> = {};
  for (const [name, path] of Object.entries(kind.errors.hints ?? {})) {
    const hint = valueAt(body, path);
    if (typeof hint === 'string') hints[name] = hint.slice(0, MAX_SENTENCE);
  }
  return {
    ...(text === undefined ? {} : { upstreamMessage: text.slice(0, MAX_SENTENCE) }),
    ...(Object.keys(hints).length === 0 ? {} : { upstreamHints: hints }),
  };
}

function valuesAt(body: unknown, paths: BodyPath | readonly BodyPath[]): readonly unknown[] {
  return [paths].flat().map((path) => valueAt(body, path));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

const MAX_SENTENCE = 500;
/** Longer than any code of an upstream. */
export const MAX_CODE = 200;

function hintsInWords(hints: Readonly<Record<string, string>> | undefined): string {
  if (hints === undefined) return '';
  const words = Object.entries(hints).map(([name, hint]) => `${name}: ${hint}`);
  return ` (${words.join('; ')})`;
}

/** The value of a JSON text; `undefined` for anything else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
