import { isJsonObject } from '../json-value.ts';

/**
 * What stands at a path of own properties; null where there is nothing. Paths enter objects only,
 * never arrays.
 */
export function valueAt(root: unknown, segments: readonly string[]): unknown {
  let value = root;
  for (const segment of segments) {
    if (!isJsonObject(value) || !Object.hasOwn(value, segment)) return null;
    value = value[segment];
  }
  return value ?? null;
}

/** Whether two JSON values are the same, object keys in any order. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, index) => isSameJson(element, b[index]));
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
  }
  return a === b;
}

/** The elements of an array that are objects; none where the value is no array. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
