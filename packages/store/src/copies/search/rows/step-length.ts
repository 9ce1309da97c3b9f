import type { SearchPace } from '../../search-pace.ts';

/** How long a step may be after one that took some time; waiting for one's turn counts as well. */
export function longestStep(
  pace: SearchPace,
  longest: number,
  { length, ms }: { readonly length: number; readonly ms: number },
): number {
  if (ms > pace.stepMs) return Math.max(1, Math.ceil(Math.min(longest, length) / 2));
  return Math.min(2 * longest, pace.longestStep);
}
