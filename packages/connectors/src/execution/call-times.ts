import type { Clock } from './clock.ts';

/** Where the time of a call goes, added up while it is under way; milliseconds. */
export interface CallTimes {
  /** Until it might go out: turns, budgets, and pauses before another attempt. */
  waitMs: number;
  /** From sending requests to the upstream to the end of its answers. */
  upstreamMs: number;
}

/** Of a call that begins. */
export function newCallTimes(): CallTimes {
  return { waitMs: 0, upstreamMs: 0 };
}

/** What measures a stretch of a call. */
interface Stretch {
  readonly clock: Clock;
  /** `undefined` where nobody wants to know. */
  readonly times: CallTimes | undefined;
  readonly of: keyof CallTimes;
}

/** Begins a stretch of a call; what comes back ends it, the first time that it is called. */
export function beginStretch({ clock, times, of }: Stretch): () => void {
  const startedAt = clock.monotonic();
  let open = times;
  return () => {
    if (open !== undefined) open[of] += clock.monotonic() - startedAt;
    open = undefined;
  };
}
