import { setImmediate } from 'node:timers/promises';

const ROWS_AT_ONCE = 2_000;

interface PieceOptions {
  /** 2,000 unless said. */
  readonly rowsAtOnce?: number;
  readonly signal?: AbortSignal;
}

/**
 * Does what has to be done to any number of rows piece by piece: between two pieces others have their turn. What
 * the signal leaves undone is found again.
 *
 * @param piece Does it to so many rows at most, and returns how many there were.
 * @returns How many there were in all.
 */
export async function inPieces(
  piece: (limit: number) => Promise<number>,
  { rowsAtOnce = ROWS_AT_ONCE, signal }: PieceOptions = {},
): Promise<number> {
  let all = 0;
  for (;;) {
    if (signal?.aborted === true) return all;
    const done = await piece(rowsAtOnce);
    all += done;
    if (done < rowsAtOnce) return all;
    await setImmediate();
  }
}
