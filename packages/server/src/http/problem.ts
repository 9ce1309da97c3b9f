import {
  ERRORS,
  faultsOf,
  type ConnectorError,
  type ErrorCode,
  type Fault,
  type Retry,
} from '@patchbay/connectors';
import { asConnectorError } from '../known-error.ts';

/** An error as it goes out. */
export interface Problem {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text of the problem object. */
  readonly body: string;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

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
  const message = isHidden ? `${summary} Quote the request id when you report it.` : known.message;
  const shown = isHidden ? onlyApplied(details) : detailsOf(known);
  const body = {
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

function errorsOf(error: ConnectorError): readonly object[] {
  const faults = faultsOf(error);
  return (faults.length > 0 ? faults : namingFaults(error)).map(faultBody);
}

/** Errors about one name list the names there are. */
function namingFaults(error: ConnectorError): readonly Fault[] {
  const { message, details } = error;
  const fieldOf = {
    unknown_connector_type: 'connector_type',
    unknown_entity: 'entity',
    unsupported_action: 'action',
  } as const;
  if (!(error.code in fieldOf) || !('allowed' in details)) return [];
  // The codes named above declare `allowed: readonly string[]`, and at most `didYouMean: string`.
  const { allowed, didYouMean } = details as {
    readonly allowed: readonly string[];
    readonly didYouMean?: string;
  };
  return [
    {
      field: fieldOf[error.code as keyof typeof fieldOf],
      message,
      errorCode: 'not_allowed',
      allowed: allowed.join(', '),
      ...(didYouMean === undefined ? {} : { didYouMean }),
    },
  ];
}

function faultBody({ field, message, errorCode, allowed, didYouMean }: Fault): object {
  return {
    field,
    message,
    error_code: errorCode,
    details: {
      ...(allowed === undefined ? {} : { allowed }),
      ...(didYouMean === undefined ? {} : { did_you_mean: didYouMean }),
    },
  };
}

/** Details with wire names; faults go out as `errors`. */
function detailsOf({ details }: ConnectorError): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details)
      .filter(([name, value]) => name !== 'faults' && value !== undefined)
      .map(([name, value]) => [snakeCase(name), value as unknown]),
  );
}

function onlyApplied({ applied }: ConnectorError['details']): Record<string, unknown> {
  return applied === true ? { applied } : {};
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
