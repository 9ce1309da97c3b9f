import {
  ERRORS,
  faultsOf,
  isConnectorError,
  type ConnectorError,
  type Fault,
  type SearchCause,
} from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import type { ToolCallText } from './tool-call.ts';
import { argumentPath } from './fault-mends.ts';

/** At most so many faults are listed; more at once help no model. */
const MAX_FAULTS = 10;

/** Details that are left out: other members tell them, or the model gave them in its call. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set([
  'faults',
  'allowed',
  'didYouMean',
  'entity',
  'action',
]);

/**
 * An error as models are told it: what is wrong, what is allowed, what was probably meant, and
 * where all of that can be mended, the call as it would work.
 *
 * @param call What the model called.
 * @param corrected The call as it would work.
 */
export function errorContent(
  error: ConnectorError,
  call: ToolCallText,
  corrected: ToolCallText | undefined,
): JsonObject {
  const { code, retry, details } = error;
  const isHidden = code === 'internal';
  const faults = isHidden ? [] : faultsOf(error);
  const advice = adviceOn(error, call);
  return {
    error: {
      code,
      // Each fault has a message of its own, which the error's message would repeat.
      message: isHidden || faults.length > 0 ? ERRORS[code].summary : error.message,
      retry,
      ...(faults.length > 0
        ? { faults: faults.slice(0, MAX_FAULTS).map((each) => faultOf(each, call)) }
        : {}),
      ...(faults.length > MAX_FAULTS ? { more_faults: faults.length - MAX_FAULTS } : {}),
      ...('allowed' in details ? { allowed: details.allowed } : {}),
      ...('didYouMean' in details ? { did_you_mean: details.didYouMean } : {}),
      ...detailsOf(details, isHidden),
      ...(advice === undefined ? {} : { advice }),
      ...(corrected === undefined ? {} : { corrected_call: corrected }),
    },
  };
}

function faultOf(fault: Fault, call: ToolCallText): JsonObject {
  const { message, allowed, didYouMean } = fault;
  return {
    field: argumentPath(fault, call),
    message,
    ...(allowed === undefined ? {} : { allowed }),
    ...(didYouMean === undefined ? {} : { did_you_mean: didYouMean }),
  };
}

/** The details that no other member tells, by their names on the wire. */
function detailsOf(details: ConnectorError['details'], isHidden: boolean): JsonObject {
  const shown = Object.entries(details).filter(
    ([name, value]) =>
      value !== undefined &&
      !TOLD_OTHERWISE.has(name) &&
      (!isHidden || name === 'applied' || name === 'requestId'),
  );
  if (shown.length === 0) return {};
  return {
    details: Object.fromEntries(shown.map(([name, value]) => [snakeCase(name), value as unknown])),
  };
}

/** Why nothing can be searched, where that lasts until somebody does something about it. */
const WAITS_FOR_A_PERSON: ReadonlySet<SearchCause> = new Set<SearchCause>(['paused', 'no_worker']);

/** What to do about an error, where that follows from its code. */
function adviceOn(error: ConnectorError, { arguments: args }: ToolCallText): string | undefined {
  const { code, retry, details } = error;
  if (details.applied === true)
    return 'The write has been done. Do not repeat it; read the record to see it.';
  if (isConnectorError(error, 'write_outcome_unknown')) {
    const { idempotencyKey } = error.details;
    // The service may know what its client was not told.
    if (idempotencyKey !== undefined)
      return `Repeat the call as it was, with idempotency_key ${JSON.stringify(idempotencyKey)}: the write is done once, and the answer tells what became of it.`;
    const first = 'Do not simply repeat the write: first find out whether it happened';
    // The key keeps this answer.
    return 'idempotency_key' in args
      ? `${first}; if it did not, write again with a new idempotency_key.`
      : `${first}.`;
  }
  if (code === 'idempotency_key_reused')
    return 'If this was to repeat an earlier call, repeat that call exactly as it was, to learn what became of it; with a new key both writes are done.';
  if (code === 'search_requires_hosted_mode')
    return 'Use execute with action "list" or "get" instead.';
  if (code === 'connector_paused' || code === 'connector_disabled' || code === 'config_required')
    return 'Tell the user; it takes the operator of the connector.';
  if (isConnectorError(error, 'search_not_ready') && WAITS_FOR_A_PERSON.has(error.details.cause))
    return 'Use execute with action "list" or "get" instead, and tell the user: waiting does not help.';
  switch (retry) {
    case 'after':
      return details.retryAfterSeconds === undefined
        ? 'Wait a little, then repeat the call.'
        : `Wait ${details.retryAfterSeconds} s, then repeat the call.`;
    case 'backoff':
      return 'This may pass: repeat the call later, a few times at most.';
    case 'reauth':
      return 'Tell the user: the connector needs new credentials. Repeating does not help.';
    case 'never':
      return undefined;
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
