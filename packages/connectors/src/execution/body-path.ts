import { isJsonObject } from '../json-value.ts';
import type { BodyPath } from '../vocabulary/index.ts';

/**
 * What a parsed body has at a dotted path; `undefined` where it has nothing. `$` is the body, and a
 * number is an index into an array.
 */
export function valueAt(body: unknown, path: BodyPath): unknown {
  if (path === '$') return body;
  let at = body;
  for (const segment of path.split('.')) {
    if (Array.isArray(at)) at = at[Number(segment)] as unknown;
    else if (isJsonObject(at) && Object.hasOwn(at, segment)) at = at[segment];
    else return undefined;
  }
  return at;
}
