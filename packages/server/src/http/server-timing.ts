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

/** As text, of whole numbers: to write a fraction takes several times as long. */
function tenths(ms: number): string {
  const all = Math.round(ms * 10);
  const rest = all % 10;
  return rest === 0 ? `${all / 10}` : `${(all - rest) / 10}.${rest}`;
}
