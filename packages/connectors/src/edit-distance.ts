/**
 * The least number of insertions, deletions, substitutions and swaps of neighbours that make `a`
 * into `b`, none of which touches a place twice (optimal string alignment), in code points.
 * `undefined` if it is more than `bound`.
 */
export function editDistance(a: string, b: string, bound: number): number | undefined {
  const from = Array.from(a);
  const to = Array.from(b);
  if (Math.abs(from.length - to.length) > bound) return undefined;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const substituted = cellOf(last, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? cellOf(beforeLast, j - 2) + 1 : Infinity;
      current.push(Math.min(cellOf(last, j) + 1, cellOf(current, j - 1) + 1, substituted, swapped));
    }
    [beforeLast, last] = [last, current];
  }
  const distance = cellOf(last, to.length);
  return distance <= bound ? distance : undefined;
}

function cellOf(cells: readonly number[], column: number): number {
  return cells[column] ?? Infinity;
}
