/** Two parts an octave, from 1 ms on: the last one, from 185 s on, has no end. */
const PARTS_AN_OCTAVE = 2;
const LONGEST_MS = 200_000;

/** How many parts latencies are divided into. */
export const LATENCY_PARTS = 1 + Math.ceil(PARTS_AN_OCTAVE * Math.log2(LONGEST_MS));

/** The part that a duration belongs to, from 0. */
export function latencyPart(durationMs: number): number {
  if (durationMs <= 1) return 0;
  return Math.min(LATENCY_PARTS - 1, Math.ceil(PARTS_AN_OCTAVE * Math.log2(durationMs)));
}

/**
 * The duration that a share of the calls took at most, in ms: within a part as if they were spread evenly, so
 * that it is off by less than the width of one, 41 %. `undefined` where there were none.
 *
 * @param counts Calls by part.
 * @param share From 0 to 1.
 */
export function latencyOf(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = share * total;
  let below = 0;
  for (const [part, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const [from, to] = [endOf(part - 1), endOf(part)];
      return from + ((to - from) * (rank - below)) / count;
    }
    below += count;
  }
  // Only where a sum of shares is off by its last digit.
  return endOf(counts.length - 1);
}

function endOf(part: number): number {
  return part < 0 ? 0 : 2 ** (part / PARTS_AN_OCTAVE);
}
