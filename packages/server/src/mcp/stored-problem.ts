import {
  ConnectorError,
  type ErrorCode,
  type ErrorDetails,
  type Retry,
} from '@patchbay/connectors';

/** What is read of a problem that this service has rendered. */
interface StoredProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retry: Retry;
  readonly request_id: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The error that the answer kept for an `Idempotency-Key` tells of; `details.requestId` is that of
 * the call it was rendered for.
 *
 * @param body A problem of a write that has happened, or may have: those have no faults.
 */
export function errorOfStored(body: string): ConnectorError {
  // This service wrote it, from the details of that same code.
  const {
    code,
    message,
    retry,
    request_id: requestId,
    ...rest
  } = JSON.parse(body) as StoredProblem;
  const details = { ...camelCased(rest.details ?? {}), requestId } as ErrorDetails;
  return new ConnectorError(code, details, { message, retry });
}

function camelCased(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
