import { editDistance } from './edit-distance.ts';

/**
 * The name most like `given`, or `undefined` where none is near: at most one edit for every three
 * letters (a swap of neighbours is one), case ignored.
 */
export function nearestName(given: unknown, names: Iterable<string>): string | undefined {
  // Longer input is no typing mistake, and the distance takes quadratic time. Callers without
  // types give what is no string at all.
  if (typeof given !== 'string' || given.length > 64) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase(), bestDistance - 1);
    if (distance !== undefined) [best, bestDistance] = [name, distance];
  }
  return best;
}
