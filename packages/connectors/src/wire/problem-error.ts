import { ConnectorError, ERRORS, faultText, type ErrorCode, type Fault } from '../errors.ts';
import {
  FAULT_CODES,
  PROBLEM_DETAILS,
  RETRIES,
  type Problem,
  type ProblemFault,
} from './problem.ts';
import { hasShape } from './shape.ts';

/** A fault as it goes out: some clients show nothing but its message. */
export function faultOnWire(fault: Fault): ProblemFault {
  const { field, errorCode, allowed, didYouMean } = fault;
  return {
    field,
    message: faultText(fault),
    error_code: errorCode,
    details: {
      ...(allowed === undefined ? {} : { allowed }),
      ...(didYouMean === undefined ? {} : { did_you_mean: didYouMean }),
    },
  };
}

/**
 * The error that a service rendered, as the library would have thrown it; `details.requestId` comes
 * on top. A code that only later services have becomes the nearest one of this version, and is told
 * in the message.
 */
export function errorOfProblem(problem: Problem): ConnectorError {
  const { status, message } = problem;
  const retry = RETRIES.find((each) => each === problem.retry);
  const known = knownCode(problem);
  const code = known ?? standIn(status);
  const details = {
    ...camelCased(problem.details ?? {}),
    ...(WITH_FAULTS.has(code) ? { faults: problem.errors.map(faultFromWire) } : {}),
    requestId: problem.request_id,
  };
  // The details have the shape of the code, or the code is a stand-in that needs faults at most.
  return new ConnectorError(code, details, {
    message: known === undefined ? `${message} (${problem.code})` : message,
    ...(retry === undefined ? {} : { retry }),
  });
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

/** The code, where this version knows it and its details are those of the code. */
function knownCode({ code, details = {} }: Problem): ErrorCode | undefined {
  if (!isErrorCode(code)) return undefined;
  return hasShape(PROBLEM_DETAILS[code], details) ? code : undefined;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

function standIn(status: number): ErrorCode {
  switch (status) {
    case 401:
      return 'unauthenticated';
    case 403:
      return 'forbidden';
    case 429:
      return 'rate_limited';
    default:
      return status < 500 ? 'invalid_request' : 'internal';
  }
}

function faultFromWire({ field, message, error_code: code, details }: ProblemFault): Fault {
  const { allowed, did_you_mean: didYouMean } = details;
  return {
    field,
    // Whoever shows a fault here puts its subject before it.
    message: message.startsWith(`${field} `) ? message.slice(field.length + 1) : message,
    errorCode: FAULT_CODES.find((known) => known === code) ?? 'not_allowed',
    ...(allowed === undefined ? {} : { allowed }),
    ...(didYouMean === undefined ? {} : { didYouMean }),
  };
}

function camelCased(details: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]),
  );
}
