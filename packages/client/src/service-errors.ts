import {
  ConnectorError,
  ERRORS,
  isJsonObject,
  type ErrorCode,
  type Fault,
  type Retry,
} from '@patchbay/connectors/definitions';
import type { Failure, Place } from './exchange.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A failed answer of the service, or of whatever answers in its place. */
export function errorOfAnswer(place: Place, response: Response, text: string): Failure {
  const problem = parseProblem(text);
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'), place.now());
  if (problem === undefined) return { ...notPatchbay(place, response), retryAfterMs };
  const error = errorOfProblem(problem);
  return {
    isFailure: true,
    error,
    again: againAfter(error.code),
    isRefused: error.code === 'rate_limited',
    isOutcomeUnknown: false,
    retryAfterMs,
  };
}

/**
 * The error that the service rendered, as the library would have thrown it; `details.requestId`
 * comes on top.
 *
 * @see docs/wire.md#errors
 */
export function errorOfProblem(problem: JsonObject): ConnectorError {
  const { code, retry, request_id: requestId } = problem;
  const known = knownCode(code);
  const message = typeof problem['message'] === 'string' ? problem['message'] : String(code);
  // The service rendered them from the details of that same code.
  const details = {
    ...camelCased(problem['details']),
    ...(known !== undefined && WITH_FAULTS.has(known) ? { faults: faultsIn(problem) } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  };
  return new ConnectorError(known ?? standIn(problem['status']), details, {
    message: known === undefined ? `${message} (${String(code)})` : message,
    ...(isRetry(retry) ? { retry } : {}),
  });
}

/** No whole answer came, whatever the reason. */
export function unreachable({ baseUrl }: Place, cause: unknown): Failure {
  const isRefused = neverConnected(cause);
  const what = isRefused ? 'cannot be reached' : 'gave no whole answer';
  return {
    isFailure: true,
    error: new ConnectorError(
      'not_ready',
      {},
      {
        message: `The Patchbay service at ${baseUrl} ${what}. Check the network and baseUrl.`,
        cause,
      },
    ),
    again: 'backoff',
    isRefused,
    isOutcomeUnknown: !isRefused,
  };
}

/** An answer that no Patchbay service gives: a proxy's own, or another program's. */
export function notPatchbay({ baseUrl }: Place, { status, ok }: Response): Failure {
  const isPassing = status >= 500 || status === 408 || status === 429;
  const isLimit = status === 429;
  const code = isLimit ? 'rate_limited' : isPassing ? 'not_ready' : 'route_not_found';
  const hint = isPassing
    ? 'A proxy may stand before a service that is down.'
    : 'Check that baseUrl is the address of a Patchbay service, without a redirect.';
  const said = status === 0 ? 'a redirect' : `HTTP ${status}`;
  return {
    isFailure: true,
    error: new ConnectorError(
      code,
      {},
      { message: `${baseUrl} answered ${said}, not as a Patchbay service does. ${hint}` },
    ),
    again: isLimit ? 'after' : isPassing ? 'backoff' : 'never',
    isRefused: isLimit,
    isOutcomeUnknown: ok || status >= 500 || status === 408,
  };
}

/** An answer that is JSON, but not what the service documents. */
export function unexpectedAnswer(baseUrl: string, expected: string): ConnectorError {
  return new ConnectorError(
    'internal',
    {},
    { message: `${baseUrl} answered something else than ${expected}.` },
  );
}

/** An input that the client itself refuses. */
export function invalidInput(field: string, message: string): ConnectorError {
  return new ConnectorError(
    'invalid_request',
    { faults: [{ field, errorCode: 'not_allowed', message }] },
    { message: `${field} ${message}` },
  );
}

/** The codes whose details are a list of faults. */
const WITH_FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_params',
  'invalid_request',
  'invalid_query',
  'invalid_credentials',
  'invalid_replication_config',
  'invalid_config',
]);

/**
 * Only trouble between client and service is worth another attempt: trouble with the upstream has
 * met the retries of the service already.
 */
function againAfter(code: ErrorCode): Failure['again'] {
  if (code === 'rate_limited' || code === 'idempotency_in_progress') return 'after';
  return code === 'not_ready' ? 'backoff' : 'never';
}

function parseProblem(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && typeof value['code'] === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function knownCode(code: unknown): ErrorCode | undefined {
  // It is one of the table's own keys.
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined;
}

/** The nearest code of the table for one that a later service may send. */
function standIn(status: unknown): ErrorCode {
  switch (status) {
    case 401:
      return 'unauthenticated';
    case 403:
      return 'forbidden';
    case 429:
      return 'rate_limited';
    default:
      return typeof status === 'number' && status < 500 ? 'invalid_request' : 'internal';
  }
}

function isRetry(value: unknown): value is Retry {
  return value === 'never' || value === 'after' || value === 'backoff' || value === 'reauth';
}

function camelCased(details: unknown): JsonObject {
  if (!isJsonObject(details)) return {};
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

function faultsIn({ errors }: JsonObject): readonly Fault[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isJsonObject).map((fault) => {
    const details = isJsonObject(fault['details']) ? fault['details'] : {};
    const { allowed, did_you_mean: didYouMean } = details;
    return {
      field: String(fault['field']),
      message: String(fault['message']),
      // The service has it from the same list of words.
      errorCode: fault['error_code'] as Fault['errorCode'],
      ...(typeof allowed === 'string' ? { allowed } : {}),
      ...(typeof didYouMean === 'string' ? { didYouMean } : {}),
    };
  });
}

/** Seconds, or an HTTP date. @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function retryAfterOf(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

const CONNECTING_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Whether no connection came about at all. Browsers do not tell, so there it is never sure.
 * Codes alone do not tell either: EHOSTUNREACH may come while reading.
 */
function neverConnected(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof AggregateError) return error.errors.every(neverConnected);
  if ('syscall' in error && CONNECTING_CALLS.has(error.syscall)) return true;
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  return 'cause' in error && neverConnected(error.cause);
}
