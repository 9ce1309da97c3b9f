import {
  faultsOf,
  isSearch,
  type ConnectorError,
  type ErrorCode,
  type Fault,
} from '@patchbay/connectors/definitions';
import { asSearch, mendsOf } from './fault-mends.ts';
import type { ToolCallText } from './tool-call.ts';

/** Says what is wrong with a call before anything is sent; `undefined` where nothing is. */
export type Judge = (call: ToolCallText) => Promise<ConnectorError | undefined>;

/** By error code: the arguments that may hold the wrong name. */
const NAMED_BY: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  connector_not_found: ['connector'],
  unknown_connector_type: ['connector', 'kind'],
  unknown_entity: ['entity'],
  unsupported_action: ['action'],
};

/** Actions as other interfaces call them. */
const ACTIONS_ELSEWHERE: Readonly<Record<string, string>> = {
  find: 'search',
  query: 'search',
  fetch: 'get',
  read: 'get',
  retrieve: 'get',
  show: 'get',
  all: 'list',
  index: 'list',
  add: 'create',
  insert: 'create',
  post: 'create',
  send: 'create',
  edit: 'update',
  modify: 'update',
  patch: 'update',
};

/** At most so many calls are tried; with more wrong, a model does better to read what is allowed. */
const MAX_JUDGED = 60;
/** Nor are longer ones tried, as JSON: meanwhile a service does nothing else, for whomever. */
const MAX_CHARACTERS = 16_384;
/** Of all calls that are tried, together. */
const MAX_CHARACTERS_JUDGED = 131_072;

/**
 * The call as it would work; `undefined` where not all that is wrong with it can be mended, or it is long. A call
 * that comes back has passed every check that can be made before anything is sent.
 */
export async function correctedCall(
  call: ToolCallText,
  judge: Judge,
): Promise<ToolCallText | undefined> {
  const text = JSON.stringify(call);
  if (text.length > MAX_CHARACTERS) return undefined;
  const error = await judge(call);
  if (error === undefined) return undefined;
  return mended(call, error, { judge, seen: new Set([text]), characters: text.length });
}

interface Attempts {
  readonly judge: Judge;
  /** The calls that have been judged, as JSON. */
  readonly seen: Set<string>;
  /** How long those are together. */
  characters: number;
}

/** Mends what is wrong first, then what is wrong then, until nothing is. */
async function mended(
  call: ToolCallText,
  error: ConnectorError,
  attempts: Attempts,
): Promise<ToolCallText | undefined> {
  const { judge, seen } = attempts;
  const [first, ...others] = faultsOf(error);
  const candidates = first === undefined ? renamed(error, call) : mendsOf(first, call, others);
  for (const candidate of candidates) {
    const text = JSON.stringify(candidate);
    if (seen.has(text) || seen.size >= MAX_JUDGED) continue;
    if (attempts.characters + text.length > MAX_CHARACTERS_JUDGED) continue;
    seen.add(text);
    attempts.characters += text.length;
    const further = await judge(candidate);
    if (further === undefined) return candidate;
    if (hasLeft(first, error, further)) {
      const whole = await mended(candidate, further, attempts);
      if (whole !== undefined) return whole;
    }
  }
  return undefined;
}

/** Whether what was to be mended is no longer among what is wrong. */
function hasLeft(
  fault: Fault | undefined,
  error: ConnectorError,
  further: ConnectorError,
): boolean {
  if (fault === undefined) return error.message !== further.message;
  return !faultsOf(further).some(
    ({ field, message }) => field === fault.field && message === fault.message,
  );
}

function renamed(error: ConnectorError, call: ToolCallText): readonly ToolCallText[] {
  const { code, details } = error;
  const { tool, arguments: args } = call;
  const name = NAMED_BY[code]?.find((each) => each in args);
  if (name === undefined) return [];
  const given = args[name];
  const meant = [
    'didYouMean' in details ? details.didYouMean : undefined,
    name === 'action' && typeof given === 'string'
      ? ACTIONS_ELSEWHERE[given.toLowerCase()]
      : undefined,
  ].filter((each) => typeof each === 'string');
  return [
    ...meant.map((each) => ({ tool, arguments: { ...args, [name]: each } })),
    // Of an entity without a copy; a search says which entity has one.
    ...(code === 'unsupported_action' && tool === 'execute' && isSearch(String(given))
      ? [asSearch(args)]
      : []),
  ];
}
