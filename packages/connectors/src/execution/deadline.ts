import type { Clock } from './clock.ts';

/** One call's time: a signal that aborts at the deadline or when the caller's signal does. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Milliseconds that are left; negative once it has passed. */
  readonly leftMs: () => number;
  /** Whether the time ran out, as opposed to the caller's signal. */
  readonly hasPassed: () => boolean;
  /** Waits for something of our own, the time of which does not count. */
  readonly notDuring: (wait: Promise<void>) => Promise<void>;
}

/** Starts a call's time. Dispose it when the call ends. */
export function startDeadline(
  clock: Clock,
  timeoutMs: number,
  callerSignal: AbortSignal | undefined,
): Deadline {
  const controller = new AbortController();
  let endsAt = clock.monotonic() + timeoutMs;
  let isPast = false;
  const stopped = { since: 0, waits: 0 };
  const onAbort = () => controller.abort(callerSignal?.reason);
  if (callerSignal?.aborted === true) onAbort();
  else callerSignal?.addEventListener('abort', onAbort, { once: true });
  const startTimer = () =>
    clock.after(Math.max(0, endsAt - clock.monotonic()), () => {
      isPast = true;
      controller.abort(new Error(`The deadline of ${timeoutMs} ms has passed.`));
    });
  let cancelTimer: (() => void) | undefined = startTimer();
  const goOn = () => {
    stopped.waits -= 1;
    if (stopped.waits > 0) return;
    endsAt += clock.monotonic() - stopped.since;
    // Not once it is disposed of.
    if (cancelTimer !== undefined) cancelTimer = startTimer();
  };
  return {
    signal: controller.signal,
    leftMs: () => endsAt - (stopped.waits > 0 ? stopped.since : clock.monotonic()),
    hasPassed: () => isPast,
    notDuring: (wait) => {
      if (stopped.waits === 0) {
        stopped.since = clock.monotonic();
        cancelTimer?.();
      }
      stopped.waits += 1;
      return wait.finally(goOn);
    },
    [Symbol.dispose]: () => {
      cancelTimer?.();
      cancelTimer = undefined;
      callerSignal?.removeEventListener('abort', onAbort);
    },
  };
}
