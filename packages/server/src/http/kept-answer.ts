import {
  ConnectorError,
  type ErrorCode,
  type ErrorDetails,
  type ProjectedRecord,
  type Retry,
} from '@patchbay/connectors';
import type { StoredAnswer } from '@patchbay/store';
import type { AnswerKeeper } from '../operations/idempotency.ts';
import { envelopeText } from './envelope.ts';
import { renderProblem } from './problem.ts';

/** Keeps the answers of a request as it gets them, byte for byte. */
export function answerKeeper(requestId: string): AnswerKeeper {
  return {
    outcome: (executed) => ({ status: 200, body: envelopeText(executed, { requestId }) }),
    error: (error) => {
      const { status, body } = renderProblem(error, requestId);
      return { status, body };
    },
  };
}

/** A problem of a write that has happened, or may have: those have no faults. */
interface KeptProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retry: Retry;
  readonly request_id: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The code of a kept answer. */
export function codeOfKept({ status, body }: StoredAnswer): ErrorCode | 'ok' {
  return status < 400 ? 'ok' : (JSON.parse(body) as KeptProblem).code;
}

/**
 * The record of the write that a kept answer tells of.
 *
 * @throws ConnectorError where it tells of a failure; `details.requestId` is that of the call it was
 * made for.
 */
export function recordOfKept({ status, body }: StoredAnswer): ProjectedRecord {
  // `answerKeeper` has written it: the envelope of a write, or a problem.
  if (status < 400) return (JSON.parse(body) as { readonly result: ProjectedRecord }).result;
  const { code, message, retry, request_id: requestId, ...rest } = JSON.parse(body) as KeptProblem;
  const details = { ...camelCased(rest.details ?? {}), requestId } as ErrorDetails;
  throw new ConnectorError(code, details, { message, retry });
}

function camelCased(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
