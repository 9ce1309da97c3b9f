import { editDistance } from './edit-distance.ts';
import { countBits, letterBits } from './search/words.ts';

/**
 * The name most like `given`, or `undefined` where none is near: at most one edit for every three
 * letters (a swap of neighbours is one), case ignored. What says the opposite of a name is not like it.
 */
export function nearestName(given: unknown, names: Iterable<string>): string | undefined {
  // Longer input is no typing mistake, and the distance takes quadratic time. Callers without
  // types give what is no string at all.
  if (typeof given !== 'string' || given.length > 64) return undefined;
  const written = given.toLowerCase();
  const isAlike = (name: string | undefined) => name?.[0]?.toLowerCase() === written[0];
  const letters = letterBits(written);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(given.length / 3));
  for (const name of names) {
    const other = name.toLowerCase();
    // Most names are nothing like it, which a look at their letters tells.
    if (!mayBeWithin(bestDistance, letters, letterBits(other))) continue;
    const distance = editDistance(written, other, bestDistance);
    if (distance === undefined) continue;
    // Of two that are as near, the one that begins alike, or else the first.
    const isFirst = best === undefined || isAlike(best) || !isAlike(name);
    if (best !== undefined && distance === bestDistance && isFirst) continue;
    [best, bestDistance] = [name, distance];
  }
  return best === undefined || isOpposite(given, best, bestDistance) ? undefined : best;
}

/** Whether so many edits may do: each adds at most one letter that was missing, or takes one away. */
function mayBeWithin(edits: number, letters: number, others: number): boolean {
  return countBits(letters & ~others) <= edits && countBits(others & ~letters) <= edits;
}

/** Whether `given` would be nearer to the name without a word or syllable in it that negates. */
function isOpposite(given: string, name: string, distance: number): boolean {
  if (distance === 0) return false;
  return withoutNegation(given).some(
    (each) =>
      each !== '' &&
      editDistance(each.toLowerCase(), name.toLowerCase(), distance - 1) !== undefined,
  );
}

/** Where a word of a name begins or ends: at an underscore and the like, or at a capital letter. */
const NEGATIONS = [
  /^(?:!|n|not|no)[_\s-]?/i,
  /(?<=^|[_\s.-]|[a-z](?=[A-Z]))(?:not|non|no|un|dis|in)[_\s-]?/i,
  /(?:n'?t|[_\s-]?not)(?=$|[_\s.-])/i,
];

function withoutNegation(given: string): readonly string[] {
  return NEGATIONS.map((negation) => given.replace(negation, '')).filter((each) => each !== given);
}
