import {
  ERRORS,
  faultsOf,
  type ConnectorError,
  type ErrorCode,
  type Fault,
  type Retry,
} from '@patchbay/connectors';
import {
  faultOnWire,
  type Problem as ProblemBody,
  type ProblemFault,
} from '@patchbay/connectors/wire';
import { asConnectorError } from '../known-error.ts';
import { namedFieldOf, namingFault } from '../operations/naming-fault.ts';

/** An error as it goes out. */
export interface Problem {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text of the problem object. */
  readonly body: string;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Characters of what a problem says: it quotes names of the request, which are as long as they were sent. */
export const MAX_PROBLEM_TEXT = { field: 500, message: 2_000, detail: 32_768 } as const;

const ERROR_PAGES = 'https://patchbay.dev/errors/';

/**
 * Renders an error as problem+json. What is no `ConnectorError` becomes `internal`, which hides
 * everything but the request id.
 *
 * @see docs/wire.md#errors (RFC 9457)
 */
export function renderProblem(error: unknown, requestId: string): Problem {
  const known = asConnectorError(error);
  const { code, status, retry, details } = known;
  const { summary } = ERRORS[code];
  const isHidden = code === 'internal';
  const message = isHidden
    ? `${summary} Quote the request id when you report it.`
    : cut(known.message, MAX_PROBLEM_TEXT.detail);
  const shown = isHidden ? onlyApplied(details) : detailsOf(known);
  const body: ProblemBody = {
    type: ERROR_PAGES + code,
    title: summary,
    status,
    detail: message,
    code,
    retry,
    request_id: requestId,
    message,
    errors: isHidden ? [] : errorsOf(known),
    ...(Object.keys(shown).length === 0 ? {} : { details: shown }),
  };
  return { code, status, headers: headersOf(known), body: JSON.stringify(body) };
}

function headersOf({ code, retry, details }: ConnectorError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (ERRORS[code].status === 401) headers['www-authenticate'] = 'Bearer';
  const seconds = retryAfterOf(retry, details.retryAfterSeconds);
  if (seconds !== undefined) headers['retry-after'] = String(seconds);
  return headers;
}

/** Whoever is told to wait is told how long, even where nobody said so: a second. */
function retryAfterOf(retry: Retry, stated: number | undefined): number | undefined {
  if (stated !== undefined) return Math.max(1, Math.ceil(stated));
  return retry === 'after' ? 1 : undefined;
}

function errorsOf(error: ConnectorError): readonly ProblemFault[] {
  const faults = faultsOf(error);
  // Errors about one name list the names there are.
  const isAboutName = namedFieldOf(error.code) !== undefined && 'allowed' in error.details;
  const told = faults.length === 0 && isAboutName ? [namingFault(error)] : faults;
  return told.map(cutFault).map(faultOnWire);
}

/** The message goes out with the field before it. */
function cutFault(fault: Fault): Fault {
  const field = cut(fault.field, MAX_PROBLEM_TEXT.field);
  const rest = MAX_PROBLEM_TEXT.message - MAX_PROBLEM_TEXT.field - 1;
  return { ...fault, field, message: cut(fault.message, rest) };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

/** Details with wire names; faults go out as `errors`. */
function detailsOf({ details }: ConnectorError): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details)
      .filter(([name, value]) => name !== 'faults' && value !== undefined)
      .map(([name, value]: [string, unknown]) => [
        snakeCase(name),
        typeof value === 'string' ? cut(value, MAX_PROBLEM_TEXT.message) : value,
      ]),
  );
}

function onlyApplied({ applied }: ConnectorError['details']): Record<string, unknown> {
  return applied === true ? { applied } : {};
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
