import { isJsonObject } from '@patchbay/connectors/engine';

/**
 * Values that a message has, members and elements at every depth, besides the arguments of a tool: the protocol's
 * own checks tell of each what is wrong with it, which makes a long answer of a short message.
 */
export const MAX_VALUES_OF_MESSAGE = 500;

type Message = Readonly<Record<string, unknown>>;

/** The protocol's answer to a message of more values than that; `undefined` for any other. */
export function refusalOfLarge(message: Message): object | undefined {
  if (!hasMoreValues(withoutArguments(message), MAX_VALUES_OF_MESSAGE)) return undefined;
  const { id } = message;
  return {
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: {
      code: INVALID_REQUEST,
      message: `Invalid Request: it has more than ${MAX_VALUES_OF_MESSAGE} values, members and elements at every depth, besides the arguments of a tool.`,
    },
  };
}

/** @see https://www.jsonrpc.org/specification#error_object */
const INVALID_REQUEST = -32_600;

/** The tools check their arguments themselves. */
function withoutArguments(message: Message): Message {
  const { method, params } = message;
  if (method !== 'tools/call' || !isJsonObject(params)) return message;
  const { arguments: _, ...others } = params;
  return { ...message, params: others };
}

/** Looks at hardly more values than `most`. */
function hasMoreValues(whole: object, most: number): boolean {
  const containers = [whole];
  let count = 0;
  for (const container of containers) {
    const values: readonly unknown[] = Object.values(container);
    count += values.length;
    if (count > most) return true;
    for (const value of values)
      if (typeof value === 'object' && value !== null) containers.push(value);
  }
  return false;
}
