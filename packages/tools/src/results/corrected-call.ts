import {
  faultsOf,
  isJsonObject,
  nearestName,
  type ConnectorError,
  type Fault,
} from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';

/** A call of a tool. */
export interface ToolCallText {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** By error code: the arguments that may hold the wrong name. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  connector_not_found: ['connector'],
  unknown_connector_type: ['connector', 'kind'],
  unknown_entity: ['entity'],
  unsupported_action: ['action'],
};

/**
 * The call with the nearest name in the place of every wrong one; `undefined` where that does not
 * mend all that is wrong with it.
 */
export function correctedCall(error: ConnectorError, call: ToolCallText): ToolCallText | undefined {
  const faults = faultsOf(error);
  const mended = faults.length > 0 ? withFaultsMended(faults, call) : withNameMended(error, call);
  return mended === undefined ? undefined : { tool: call.tool, arguments: mended };
}

/** Where a fault stands in the arguments: a search has its params among them. */
export function argumentPath({ field }: Fault, { tool }: ToolCallText): string {
  return tool === 'search' && field.startsWith('params.') ? field.slice('params.'.length) : field;
}

function withNameMended(
  { code, details }: ConnectorError,
  { arguments: args }: ToolCallText,
): JsonObject | undefined {
  const didYouMean = 'didYouMean' in details ? details.didYouMean : undefined;
  const name = NAMED_BY[code]?.find((each) => each in args);
  if (name === undefined || typeof didYouMean !== 'string') return undefined;
  return { ...args, [name]: didYouMean };
}

function withFaultsMended(faults: readonly Fault[], call: ToolCallText): JsonObject | undefined {
  let args: unknown = call.arguments;
  for (const fault of faults) {
    if (fault.didYouMean === undefined) return undefined;
    args = mend(args, argumentPath(fault, call), fault.didYouMean);
    if (args === undefined) return undefined;
  }
  return isJsonObject(args) ? args : undefined;
}

/** The value with what stands at `path` mended; `undefined` where there is no such place. */
function mend(value: unknown, path: string, didYouMean: string): unknown {
  if (Array.isArray(value)) return mendElement(value, path, didYouMean);
  if (!isJsonObject(value)) return undefined;
  // Keys may have dots in them, so the longest one that fits is meant.
  const key = Object.keys(value)
    .filter((each) => path === each || path.startsWith(`${each}.`))
    .toSorted((one, other) => other.length - one.length)[0];
  if (key === undefined) return undefined;
  if (path === key) return mendMember(value, key, didYouMean);
  const mended = mend(value[key], path.slice(key.length + 1), didYouMean);
  return mended === undefined ? undefined : replaced(value, key, { [key]: mended });
}

function mendElement(list: readonly unknown[], path: string, didYouMean: string): unknown {
  const [index = '', ...rest] = path.split('.');
  if (!/^\d+$/.test(index) || Number(index) >= list.length) return undefined;
  const mended =
    rest.length === 0 ? didYouMean : mend(list[Number(index)], rest.join('.'), didYouMean);
  return mended === undefined ? undefined : list.with(Number(index), mended);
}

/** Either the name of the member is wrong, or its value is. */
function mendMember(object: JsonObject, key: string, didYouMean: string): JsonObject | undefined {
  const value = object[key];
  // An operator beside the filter belongs into it.
  if (didYouMean === `filter.${key}`) {
    const { [key]: _, filter, ...others } = object;
    return { ...others, filter: { ...(isJsonObject(filter) ? filter : {}), [key]: value } };
  }
  if (nearestName(key, [didYouMean]) !== undefined || key.startsWith(`${didYouMean}.`))
    return Object.hasOwn(object, didYouMean)
      ? undefined
      : replaced(object, key, { [didYouMean]: value });
  return typeof value === 'string' ? { ...object, [key]: didYouMean } : undefined;
}

/** The object with a member replaced, in its place. */
function replaced(object: JsonObject, key: string, by: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      name === key ? Object.entries(by) : [[name, value]],
    ),
  );
}
