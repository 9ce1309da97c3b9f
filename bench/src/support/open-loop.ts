import { setTimeout as wait } from 'node:timers/promises';

/** How one call went. */
export interface Sample {
  /** From when it was sent until its answer was read, or was given up. */
  readonly ms: number;
  /** Why it counts as failed. */
  readonly failure?: string;
  /** Where the service says that its time went (`Server-Timing`). */
  readonly timing?: string;
}

/** Calls that come at their times, whether the ones before have been answered or not. */
interface OpenLoop {
  readonly perSecond: number;
  readonly seconds: number;
  /** When the first call comes; loops that run beside each other come at different times. */
  readonly offsetMs: number;
  readonly call: (nth: number) => Promise<Sample>;
}

/** The samples in the order of their calls, and how late the latest of those was sent. */
export async function runOpenLoop({ perSecond, seconds, offsetMs, call }: OpenLoop): Promise<{
  readonly samples: readonly Sample[];
  readonly latestMs: number;
}> {
  const startAt = performance.now() + offsetMs;
  const calls: Promise<Sample>[] = [];
  let latestMs = 0;
  for (let nth = 0; nth < perSecond * seconds; nth++) {
    const dueAt = startAt + (nth * 1000) / perSecond;
    await wait(Math.max(0, dueAt - performance.now()));
    latestMs = Math.max(latestMs, performance.now() - dueAt);
    calls.push(call(nth));
  }
  return { samples: await Promise.all(calls), latestMs };
}
