import type { Predicate } from './predicate.ts';

/** How well a text condition can hold, and where it does so. */
export interface Level {
  readonly score: number;
  /** Holds at least where the condition has this score. */
  readonly predicate: Predicate;
}

export function predicateOf({ predicate }: Level): Predicate {
  return predicate;
}
