import { pageSizeOf, type Params } from '../vocabulary/index.ts';
import type { Warning } from '../warning.ts';

type Values = Readonly<Record<string, unknown>>;

/** The name under which every list takes its page size. */
export const LIMIT = 'limit';

/** The params with a `limit` beyond the largest page brought down to it, and what that is told by. */
export function withinLargestPage(
  declared: Params,
  given: Values,
): { readonly input: Values; readonly warnings: readonly Warning[] } {
  const limit = given[LIMIT];
  const maximum = pageSizeOf(declared)?.maximum;
  if (maximum === undefined || typeof limit !== 'number' || !Number.isSafeInteger(limit))
    return { input: given, warnings: [] };
  if (limit <= maximum) return { input: given, warnings: [] };
  const message = `params.limit was ${limit}; a page of this list has at most ${maximum} records.`;
  return {
    input: { ...given, [LIMIT]: maximum },
    warnings: [{ code: 'limit_clamped', message, field: `params.${LIMIT}` }],
  };
}

/** The params with `limit` under the name that the list has for it. */
export function underOwnName(declared: Params, values: Values): Values {
  const name = pageSizeOf(declared)?.name ?? LIMIT;
  if (name === LIMIT || !(LIMIT in values)) return values;
  const { [LIMIT]: limit, ...others } = values;
  return { ...others, [name]: limit };
}

/** What tells that a list which comes whole has more records than were asked for. */
export function notApplied(declared: Params, values: Values, count: number): readonly Warning[] {
  const limit = values[LIMIT];
  if (typeof limit !== 'number' || limit >= count || pageSizeOf(declared) !== undefined) return [];
  const message = `params.limit was ${limit}, but this list comes whole: it has ${count} records.`;
  return [{ code: 'limit_not_applied', message, field: `params.${LIMIT}` }];
}

/** How many records a whole page has; the params may not have been checked yet. */
export function fullPageOf(declared: Params, params: Values): number {
  const size = pageSizeOf(declared);
  if (size === undefined) return 0;
  const asked = Number(params[size.name] ?? params[LIMIT] ?? size.standard);
  return Math.min(asked, size.maximum);
}
