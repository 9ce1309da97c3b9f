import type { BodyPath } from '../vocabulary/index.ts';
import { isJsonObject } from './check-members.ts';

/** What a parsed body has at a dotted path; `undefined` where it has nothing. `$` is the body. */
export function valueAt(body: unknown, path: BodyPath): unknown {
  if (path === '$') return body;
  let at = body;
  for (const segment of path.split('.')) {
    if (!isJsonObject(at) || !Object.hasOwn(at, segment)) return undefined;
    at = at[segment];
  }
  return at;
}
