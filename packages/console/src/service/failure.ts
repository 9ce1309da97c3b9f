import { isConnectorError } from '@patchbay/client';
import { inWordsOfPages } from './page-words.ts';
import { SessionRefusal } from '../session/session-api.ts';

/** What is wrong with one member of what was sent. */
export interface FieldFault {
  /** Dotted path from the root of the request: `params.limit`. */
  readonly field: string;
  /** Completes the sentence that `field` begins: "must be …". */
  readonly message: string;
}

/** Something that did not work, for people. */
export interface Failure {
  readonly message: string;
  /** A code of docs/errors.md; `undefined` where no service answered. */
  readonly code: string | undefined;
  readonly faults: readonly FieldFault[];
  /** What the service's log knows the call by. */
  readonly requestId: string | undefined;
}

/** Whatever was thrown, as it is shown. */
export function failureOf(error: unknown): Failure {
  if (isConnectorError(error)) {
    const { code, details } = error;
    return {
      message: inWordsOfPages(error.message),
      code,
      faults: faultsIn(details),
      requestId: requestIdIn(details),
    };
  }
  const code = error instanceof SessionRefusal ? error.code : undefined;
  return { message: messageOf(error), code, faults: [], requestId: undefined };
}

/** The faults at one member, as one text; `undefined` where it has none. */
export function faultAt(failure: Failure | undefined, field: string): string | undefined {
  const found = failure?.faults.filter((fault) => fault.field === field) ?? [];
  return found.length === 0 ? undefined : found.map(({ message }) => message).join('; ');
}

/** The faults of members that no field of a form stands for. */
export function faultsElsewhere(
  failure: Failure,
  fields: ReadonlySet<string>,
): readonly FieldFault[] {
  return failure.faults.filter(({ field }) => !fields.has(field));
}

function messageOf(error: unknown): string {
  // What `fetch` says of a connection that did not come about differs from browser to browser.
  if (error instanceof TypeError) return 'The service cannot be reached.';
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return 'The service did not answer in time.';
  return error instanceof Error ? error.message : String(error);
}

/** Only codes whose details declare `faults` have that member. */
function faultsIn(details: object): readonly FieldFault[] {
  return 'faults' in details ? (details.faults as readonly FieldFault[]) : [];
}

function requestIdIn(details: object): string | undefined {
  return 'requestId' in details && typeof details.requestId === 'string'
    ? details.requestId
    : undefined;
}
