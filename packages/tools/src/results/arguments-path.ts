import { isJsonObject } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';

/** The keys that lead to a place in arguments; those of arrays are digits. */
export type Keys = readonly string[];

/**
 * The keys that a dotted path stands for; `undefined` where there is no such place. Keys may have
 * dots in them, so the longest one that fits is meant.
 */
export function keysAt(value: unknown, path: string): Keys | undefined {
  const key = keysOf(value)
    .filter((each) => path === each || path.startsWith(`${each}.`))
    .toSorted((one, other) => other.length - one.length)[0];
  if (key === undefined) return undefined;
  if (path === key) return [key];
  const below = keysAt(valueAt(value, [key]), path.slice(key.length + 1));
  return below === undefined ? undefined : [key, ...below];
}

/** What stands at a place; `undefined` where there is none. */
export function valueAt(value: unknown, keys: Keys): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(value)) return valueAt(value[Number(key)], rest);
  return isJsonObject(value) && Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined;
}

/** The arguments with another value at a place. */
export function withValueAt(args: JsonObject, keys: Keys, by: unknown): JsonObject {
  const changed = replacedAt(args, keys, by);
  return isJsonObject(changed) ? changed : args;
}

/** The object without one of its members. */
export function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** The object with a member replaced, in its place. */
export function replaced(object: JsonObject, key: string, by: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      name === key ? Object.entries(by) : [[name, value]],
    ),
  );
}

function replacedAt(value: unknown, keys: Keys, by: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return by;
  const inside = replacedAt(valueAt(value, [key]), rest, by);
  if (Array.isArray(value)) return value.with(Number(key), inside);
  return isJsonObject(value) ? { ...value, [key]: inside } : value;
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
