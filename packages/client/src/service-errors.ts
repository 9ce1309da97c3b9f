import { bareError, ConnectorError, type ErrorCode } from '@patchbay/connectors/definitions';
import {
  errorOfProblem,
  hasShape,
  Problem,
  shapeFault,
  withLaterMembers,
  type Schema,
  type Wire,
} from '@patchbay/connectors/wire';
import type { Failure, Place } from './exchange.ts';
import { isFailedConnection } from './failed-connections.ts';
import { withoutSecrets } from './without-secrets.ts';

/** A failed answer of the service, or of whatever answers in its place. */
export function errorOfAnswer(place: Place, response: Response, text: string): Failure {
  const problem = parseProblem(text);
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'), place.now());
  if (problem === undefined) return { ...notPatchbay(place, response), retryAfterMs };
  const error = errorOfProblem(problem);
  return {
    isFailure: true,
    error,
    // A service that lacks a setting, for example, is not ready and never will be.
    again: error.retry === 'never' ? 'never' : againAfter(error.code),
    isRefused: error.code === 'rate_limited',
    isOutcomeUnknown: false,
    retryAfterMs,
  };
}

/**
 * No whole answer came, whatever the reason.
 *
 * @param secrets What the error must not contain, even where its cause does.
 */
export function unreachable(
  { baseUrl }: Place,
  error: unknown,
  secrets: readonly string[],
): Failure {
  const isRefused = neverConnected(error);
  const what = isRefused ? 'cannot be reached' : 'gave no whole answer';
  return {
    isFailure: true,
    error: new ConnectorError(
      'not_ready',
      {},
      {
        message: `The Patchbay service at ${baseUrl} ${what}${isRefused ? whyOf(error) : ''}. Check the network and baseUrl.`,
        cause: bareError(error, (text) => withoutSecrets(text, secrets)),
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

/**
 * The answer, of the shape that the service documents for it; later services may have added to it.
 *
 * @param what What was asked for, in the words of an error.
 * @throws `internal` for an answer of another shape.
 */
export function requireShape<S extends Schema>(
  schema: S,
  answer: unknown,
  { baseUrl, what }: { readonly baseUrl: string; readonly what: string },
): Wire<S> {
  const filled = withLaterMembers(schema, answer);
  if (hasShape(schema, filled)) return filled;
  throw unexpectedAnswer(baseUrl, `${what} (${shapeFault(schema, filled)})`);
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

/**
 * Only trouble between client and service is worth another attempt: trouble with the upstream has
 * met the retries of the service already.
 */
function againAfter(code: ErrorCode): Failure['again'] {
  if (code === 'rate_limited' || code === 'idempotency_in_progress') return 'after';
  return code === 'not_ready' ? 'backoff' : 'never';
}

function parseProblem(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return hasShape(Problem, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds, or an HTTP date. @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function retryAfterOf(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  // As the engine of the library has it: fractions are no dates.
  const ms = /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

const CONNECTING_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** The code of what made no connection, and what helps where that is a certificate. */
function whyOf(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return '';
  const isOfCertificate = /^UNABLE_TO_|^(?!ERR_SSL_).*CERT/.test(code);
  return isOfCertificate
    ? `: its certificate is not accepted (${code}). Behind a proxy that inspects TLS, name the certificate of that proxy in NODE_EXTRA_CA_CERTS`
    : ` (${code})`;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : undefined;
}

/**
 * Whether no connection came about at all, or none that TLS makes safe. Browsers do not tell, so there
 * it is never sure. Codes alone do not tell either: EHOSTUNREACH may come while reading.
 */
function neverConnected(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (isFailedConnection(error)) return true;
  if (error instanceof AggregateError) return error.errors.every(neverConnected);
  if ('syscall' in error && CONNECTING_CALLS.has(error.syscall)) return true;
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  return 'cause' in error && neverConnected(error.cause);
}

/** What a client that was given tokens cannot do: `what` begins the sentence. */
export function needsApplication(what: string): ConnectorError<'forbidden'> {
  const message = `${what} with clientId and clientSecret, not with a token.`;
  return new ConnectorError('forbidden', {}, { message });
}
