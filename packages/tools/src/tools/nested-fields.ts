import type { EntityDescription } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import { bytesOf } from '../results/budget.ts';

/** At most so many are told: the commonest, then those that the vendor documents. */
const MAX_TOLD = 100;
/** And no more than fit in so many bytes: whoever writes to an upstream may choose long names. */
const MAX_TOLD_BYTES = 16_384;

/**
 * What there is below the searchable objects and arrays of an entity, by path: types, and in about how many
 * records, where the host knows. Nothing where nothing is known.
 */
export function nestedFields({ searchable }: EntityDescription): JsonObject {
  const observed = searchable
    .flatMap((field) => field.observed ?? [])
    .toSorted((a, b) => b.count - a.count);
  const documented = searchable.flatMap(({ members = [] }) => members);
  const isObserved = observed.length > 0;
  const told = new Map<string, string>();
  for (const { path, types, count } of observed) {
    const name = typeof path === 'string' ? path : JSON.stringify(path);
    told.set(name, `${types.join(' | ')}, in about ${count} records`);
  }
  for (const { path, type } of documented)
    if (!told.has(path)) told.set(path, isObserved ? `${type}, in no record yet` : type);
  if (told.size === 0) return {};
  const fitting = [...told].slice(0, countFitting(told));
  const leftOut = told.size - fitting.length;
  return {
    nested_fields: Object.fromEntries(fitting),
    ...(leftOut > 0 ? { nested_fields_left_out: leftOut } : {}),
  };
}

function countFitting(told: ReadonlyMap<string, string>): number {
  let room = MAX_TOLD_BYTES;
  const tooMuch = [...told].findIndex(([name, text], index) => {
    room -= bytesOf({ [name]: text });
    return index >= MAX_TOLD || room < 0;
  });
  return tooMuch === -1 ? told.size : tooMuch;
}
