/**
 * The least number of insertions, deletions, substitutions and swaps of neighbours that make `a`
 * into `b`, none of which touches a place twice (optimal string alignment), in code points.
 * `undefined` if it is more than `bound`.
 */
export function editDistance(a: string, b: string, bound: number): number | undefined {
  const from = lettersOf(a);
  const to = lettersOf(b);
  if (Math.abs(from.length - to.length) > bound) return undefined;
  // What both begin or end with needs no edit.
  let start = 0;
  let fromEnd = from.length;
  let toEnd = to.length;
  while (start < fromEnd && start < toEnd && from[start] === to[start]) start++;
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd--;
    toEnd--;
  }
  if (typeof from === 'string' && typeof to === 'string') {
    const [short, long] = fromEnd < toEnd ? [from, to] : [to, from];
    const [shortEnd, longEnd] = fromEnd < toEnd ? [fromEnd, toEnd] : [toEnd, fromEnd];
    if (shortEnd - start <= BITS)
      return distanceByBits(short.slice(start, shortEnd), long.slice(start, longEnd), bound);
  }
  const rows = fromEnd - start;
  const columns = toEnd - start;
  // More edits than letters there are never needed, nor cells farther off the diagonal than edits.
  const reach = Math.min(bound, Math.max(rows, columns));
  // Cell `k` of row `i` is of column `i + k - reach`, so cells of one diagonal have one index.
  const width = 2 * reach + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: width }, (_, k) =>
    k < reach ? Infinity : k - reach,
  );
  for (let i = 1; i <= rows; i++) {
    const letter = from[start + i - 1];
    const letterBefore = i > 1 ? from[start + i - 2] : undefined;
    const current: number[] = [];
    let left = Infinity;
    let least = Infinity;
    for (let k = 0; k < width; k++) {
      const column = i + k - reach;
      let cell = Infinity;
      if (column === 0) cell = i;
      else if (column > 0 && column <= columns) {
        const other = to[start + column - 1];
        cell = cellOf(last, k) + (letter === other ? 0 : 1);
        cell = Math.min(cell, left + 1, cellOf(last, k + 1) + 1);
        const isSwap = column > 1 && letterBefore === other && letter === to[start + column - 2];
        if (isSwap) cell = Math.min(cell, cellOf(beforeLast, k) + 1);
      }
      current.push(cell);
      left = cell;
      if (cell < least) least = cell;
    }
    // No later row has less: a swap, too, costs one more than what it comes from.
    if (least > bound) return undefined;
    [beforeLast, last] = [last, current];
  }
  const distance = cellOf(last, columns - rows + reach);
  return distance <= bound ? distance : undefined;
}

/** Of a number that bitwise operators take. */
const BITS = 32;
/** By UTF-16 unit: at which places of the shorter word it stands. All zero but while a distance is looked for. */
const placesOf = new Int32Array(65_536);

/**
 * The same of words without letters beyond the BMP, one of at most 32, by columns of the table of cells as bits: whether
 * a cell is one more, or one less, than the one above it.
 *
 * As in H. Hyyrö, "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances" (2003)
 */
function distanceByBits(short: string, long: string, bound: number): number | undefined {
  const { length } = short;
  if (length === 0) return long.length <= bound ? long.length : undefined;
  for (let at = 0; at < length; at++) {
    const letter = short.charCodeAt(at);
    placesOf[letter] = (placesOf[letter] ?? 0) | (1 << at);
  }
  const distance = lastCell(length, long, bound);
  for (let at = 0; at < length; at++) placesOf[short.charCodeAt(at)] = 0;
  return distance;
}

function lastCell(rows: number, long: string, bound: number): number | undefined {
  const lowest = 1 << (rows - 1);
  let more = -1;
  let less = 0;
  let diagonal = 0;
  let placesBefore = 0;
  let cell = rows;
  for (let column = 0; column < long.length; column++) {
    const places = placesOf[long.charCodeAt(column)] ?? 0;
    const swapped = ((~diagonal & places) << 1) & placesBefore;
    diagonal = (((places & more) + more) ^ more) | places | less | swapped;
    let right = less | ~(diagonal | more);
    let left = diagonal & more;
    if ((right & lowest) !== 0) cell++;
    else if ((left & lowest) !== 0) cell--;
    // Each column that is left takes at most one away.
    if (cell - (long.length - 1 - column) > bound) return undefined;
    right = (right << 1) | 1;
    left <<= 1;
    more = left | ~(diagonal | right);
    less = right & diagonal;
    placesBefore = places;
  }
  return cell <= bound ? cell : undefined;
}

/** By place; a text of letters of one code unit each is its own list. */
function lettersOf(word: string): string | readonly string[] {
  return /[\ud800-\udfff]/.test(word) ? Array.from(word) : word;
}

function cellOf(cells: readonly number[], index: number): number {
  return cells[index] ?? Infinity;
}
