import type { Condition } from './filter.ts';

/** Beside the conditions, not in them: a filter is the same however it was written. */
const places = new WeakMap<Condition, string>();

/** Where in the params a checked condition was written, for errors that arise later. */
export function placeOf(condition: Condition): string | undefined {
  return places.get(condition);
}

export function rememberPlace(condition: Condition, at: string): void {
  places.set(condition, at);
}
