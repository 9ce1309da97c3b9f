import { Type } from 'typebox';
import type { Clock, Fault } from '@patchbay/connectors';
import { MAX_FIELDS } from '@patchbay/connectors/engine';
import { CallDeadline } from '../operations/call-deadline.ts';
import type { ExecuteRequest } from '../operations/execute-request.ts';
import { checkBody, FaultList } from '../operations/input.ts';
import type { LiveConnector } from '../operations/live-connector.ts';
import { answerKeeper } from './kept-answer.ts';
import { requireBody } from './require-body.ts';
import type { Call, PublicCall } from './route.ts';

/** Longest deadline that a call may ask for. */
export const MAX_TIMEOUT_MS = 300_000;
/** Longest `Idempotency-Key`. */
export const MAX_KEY_CHARACTERS = 255;

const TIMEOUT_HEADER = 'patchbay-timeout-ms';

const FIELD_NAMES = {
  schema: Type.Array(Type.Unknown(), { maxItems: MAX_FIELDS }),
  isRequired: false,
  expects: `an array of at most ${MAX_FIELDS.toLocaleString('en')} field names`,
} as const;

const MEMBERS = {
  entity: { schema: Type.String(), isRequired: true, expects: 'the name of an entity' },
  action: { schema: Type.String(), isRequired: true, expects: 'the name of an action' },
  params: { schema: Type.Unknown(), isRequired: false, expects: 'an object' },
  select_fields: FIELD_NAMES,
  exclude_fields: FIELD_NAMES,
} as const;

/** The members once they have passed. */
interface Body {
  readonly entity: string;
  readonly action: string;
  readonly params?: unknown;
  readonly select_fields?: readonly unknown[];
  readonly exclude_fields?: readonly unknown[];
}

/**
 * What body and headers of a call ask of a connector.
 *
 * @throws `malformed_json` without a body; `invalid_request` with every fault where entity or action is missing; else
 * they go with the request.
 */
export function executeRequestOf(
  call: Call,
  connector: LiveConnector,
  deadline: CallDeadline,
): ExecuteRequest {
  const { access, log, requestId, onDisconnect, times } = call;
  const faults = new FaultList();
  const values = checkBody(MEMBERS, requireBody(call), faults);
  const key = idempotencyKeyOf(call, faults);
  faults.add(...timeoutFaults(call.header(TIMEOUT_HEADER)));
  // What is asked for is not judged where nobody says what.
  if (values['entity'] === undefined || values['action'] === undefined) faults.throwAny();
  // Both are there, or `throwAny` had thrown; what else is there has passed MEMBERS.
  const { entity, action, params, ...fields } = values as Readonly<Record<string, unknown>> & Body;
  return {
    access,
    connector,
    entity,
    action,
    params,
    selectFields: fields.select_fields,
    excludeFields: fields.exclude_fields,
    faults,
    idempotency: key === undefined ? undefined : { key, keeper: answerKeeper(requestId) },
    deadline,
    times,
    note: (facts) => Object.assign(log, facts),
    onDisconnect,
  };
}

/** How long a call may take, from its arrival on; one that says so wrongly, as long as one that says nothing. */
export function deadlineOf(
  { header, arrivedAt }: Pick<PublicCall, 'header' | 'arrivedAt'>,
  clock: Clock,
): CallDeadline {
  return new CallDeadline(clock, timeoutOf(header(TIMEOUT_HEADER)), arrivedAt);
}

function timeoutOf(text: string | undefined): number | undefined {
  const ms = text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return ms >= 1 && ms <= MAX_TIMEOUT_MS ? ms : undefined;
}

/** The `Idempotency-Key` of a call; what is wrong with it is a fault. */
export function idempotencyKeyOf(
  { header, hasTwice }: Pick<PublicCall, 'header' | 'hasTwice'>,
  faults: FaultList,
): string | undefined {
  const name = 'idempotency-key';
  const field = 'Idempotency-Key';
  const key = header(name);
  if (key === undefined) return undefined;
  // Both together would be a key of their own, and another one than each by itself.
  if (hasTwice(name))
    faults.add({ field, errorCode: 'conflict', message: 'must be there once, is there twice' });
  else if (key.length < 1 || key.length > MAX_KEY_CHARACTERS)
    faults.add({
      field,
      errorCode: 'out_of_range',
      message: `must have 1 to ${MAX_KEY_CHARACTERS} characters, has ${key.length}`,
    });
  return key;
}

function timeoutFaults(timeout: string | undefined): readonly Fault[] {
  if (timeout === undefined) return [];
  if (timeoutOf(timeout) !== undefined) return [];
  const expects = `an integer from 1 to ${MAX_TIMEOUT_MS}`;
  const message = `must be ${expects}`;
  return [{ field: 'Patchbay-Timeout-Ms', errorCode: 'out_of_range', message, allowed: expects }];
}
