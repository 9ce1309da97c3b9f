import type { Clock } from './clock.ts';

/** One call's time: a signal that aborts at the deadline or when the caller's signal does. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Milliseconds that are left; negative once it has passed. */
  readonly leftMs: () => number;
  /** Whether the time ran out, as opposed to the caller's signal. */
  readonly hasPassed: () => boolean;
}

/** Starts a call's time. Dispose it when the call ends. */
export function startDeadline(
  clock: Clock,
  timeoutMs: number,
  callerSignal: AbortSignal | undefined,
): Deadline {
  const controller = new AbortController();
  const endsAt = clock.monotonic() + timeoutMs;
  let isPast = false;
  const onAbort = () => controller.abort(callerSignal?.reason);
  if (callerSignal?.aborted === true) onAbort();
  else callerSignal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.after(timeoutMs, () => {
    isPast = true;
    controller.abort(new Error(`The deadline of ${timeoutMs} ms has passed.`));
  });
  return {
    signal: controller.signal,
    leftMs: () => endsAt - clock.monotonic(),
    hasPassed: () => isPast,
    [Symbol.dispose]: () => {
      cancelTimer();
      callerSignal?.removeEventListener('abort', onAbort);
    },
  };
}
