import type { CallTimes } from '@patchbay/connectors/engine';

/**
 * The `Server-Timing` header of a call; milliseconds, to a tenth.
 *
 * @param totalMs From the arrival of its headers.
 * @see docs/wire.md#where-the-time-went
 */
export function serverTiming({ waitMs, upstreamMs }: CallTimes, totalMs: number): string {
  return `wait;dur=${tenths(waitMs)}, upstream;dur=${tenths(upstreamMs)}, total;dur=${tenths(totalMs)}`;
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
