import { setImmediate } from 'node:timers/promises';
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
 * Of all calls that are tried, together: for each fault all names there are get compared with the wrong one. It does for
 * ten mended one after another, and for any filter in another language, whose many faults go away at once.
 */
const MAX_FAULTS_JUDGED = 150;
/** After so long others have the event loop. */
const SLICE_MS = 5;

/**
 * The call as it would work; `undefined` where not all that is wrong with it can be mended, or it is long, or more is
 * wrong than is worth the time of others. A call that comes back has passed every check that can be made before
 * anything is sent.
 */
export async function correctedCall(
  call: ToolCallText,
  judge: Judge,
): Promise<ToolCallText | undefined> {
  const text = JSON.stringify(call);
  if (text.length > MAX_CHARACTERS) return undefined;
  const attempts = new Attempts(judge);
  const error = await attempts.judge(call, text);
  return error === undefined ? undefined : mended(call, error, attempts);
}

/** Judges calls until they have cost enough. */
class Attempts {
  readonly #judge: Judge;
  /** The calls that have been judged, as JSON. */
  readonly #seen = new Set<string>();
  #charactersLeft = MAX_CHARACTERS_JUDGED;
  #faultsLeft = MAX_FAULTS_JUDGED;
  #sliceBeganAt = performance.now();

  constructor(judge: Judge) {
    this.#judge = judge;
  }

  areOver(): boolean {
    return this.#seen.size >= MAX_JUDGED || this.#faultsLeft <= 0;
  }

  /** Whether a call, as JSON, is still to be judged, and short enough for what is left. */
  isWorthIt(text: string): boolean {
    return !this.#seen.has(text) && text.length <= this.#charactersLeft;
  }

  async judge(call: ToolCallText, text: string): Promise<ConnectorError | undefined> {
    this.#seen.add(text);
    this.#charactersLeft -= text.length;
    if (performance.now() - this.#sliceBeganAt >= SLICE_MS) {
      await turn();
      this.#sliceBeganAt = performance.now();
    }
    const error = await this.#judge(call);
    if (error !== undefined) this.#faultsLeft -= faultsOf(error).length;
    return error;
  }
}

let lastTurn: Promise<void> = Promise.resolve();

/** Settles when everybody else had the event loop; in each of its rounds one correction goes on, first come, first served. */
function turn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** Mends what is wrong first, then what is wrong then, until nothing is. */
async function mended(
  call: ToolCallText,
  error: ConnectorError,
  attempts: Attempts,
): Promise<ToolCallText | undefined> {
  if (attempts.areOver()) return undefined;
  const [first, ...others] = faultsOf(error);
  const candidates = first === undefined ? renamed(error, call) : mendsOf(first, call, others);
  for (const candidate of candidates) {
    if (attempts.areOver()) return undefined;
    const text = JSON.stringify(candidate);
    if (!attempts.isWorthIt(text)) continue;
    const further = await attempts.judge(candidate, text);
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
