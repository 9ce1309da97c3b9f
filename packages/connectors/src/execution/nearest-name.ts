/**
 * The name most like `given`, or `undefined` where none is near: at most one edit for every three
 * letters, case ignored.
 */
export function nearestName(given: unknown, names: Iterable<string>): string | undefined {
  // Longer input is no typing mistake, and the distance takes quadratic time. Callers without
  // types give what is no string at all.
  if (typeof given !== 'string' || given.length > 64) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + substitution,
        ),
      );
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
