import type { Clock } from './clock.ts';

/** One call's time: a signal that aborts at the deadline or when the caller's signal does. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Milliseconds that are left; negative once it has passed. */
  readonly leftMs: () => number;
  /** Whether the time ran out, as opposed to the caller's signal. */
  readonly hasPassed: () => boolean;
  /**
   * Stops the time, until what comes back is called: once, and before it is disposed of. Meanwhile there is no end of it, and
   * it must not be stopped again.
   */
  readonly stop: () => () => void;
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
  const onAbort = () => controller.abort(callerSignal?.reason);
  if (callerSignal?.aborted === true) onAbort();
  else callerSignal?.addEventListener('abort', onAbort, { once: true });
  const leftMs = () => endsAt - clock.monotonic();
  const startTimer = (ms: number) =>
    clock.after(ms, () => {
      isPast = true;
      controller.abort(new Error(`The deadline of ${timeoutMs} ms has passed.`));
    });
  let cancelTimer = startTimer(timeoutMs);
  return {
    signal: controller.signal,
    leftMs,
    hasPassed: () => isPast,
    stop: () => {
      const left = leftMs();
      endsAt = Infinity;
      cancelTimer();
      return () => {
        endsAt = clock.monotonic() + left;
        cancelTimer = startTimer(left);
      };
    },
    [Symbol.dispose]: () => {
      cancelTimer();
      callerSignal?.removeEventListener('abort', onAbort);
    },
  };
}
