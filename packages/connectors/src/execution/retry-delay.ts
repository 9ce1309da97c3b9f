import { ENGINE_POLICIES } from '../vocabulary/index.ts';
import { beginStretch, type CallTimes } from './call-times.ts';
import { wait, type Clock } from './clock.ts';
import type { Failure } from './judge.ts';

/** The longest wait before each quick retry of an upstream that cannot be reached. */
const QUICK_RETRY_DELAYS_MS = [500, 2_000];

/**
 * How long to wait before another attempt, in milliseconds; `undefined` for none.
 *
 * @param attempt Which attempt has failed, from 1.
 * @param random Numbers from 0 to 1, for jitter.
 */
export function delayBeforeNext(
  { again, retryAfterMs = 0 }: Failure,
  attempt: number,
  random: () => number,
): number | undefined {
  const { maxAttempts, baseDelayMs, maxDelayMs } = ENGINE_POLICIES.retry;
  const backoffMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
  switch (again) {
    case 'never':
      return undefined;
    case 'quickly': {
      const longestMs = QUICK_RETRY_DELAYS_MS[attempt - 1];
      return longestMs === undefined ? undefined : random() * longestMs;
    }
    case 'backoff':
      return attempt >= maxAttempts ? undefined : Math.max(retryAfterMs, random() * backoffMs);
    case 'after':
      // Told to wait, we wait as often as the deadline allows; "0 seconds" is no licence to spin.
      return Math.max(retryAfterMs, (0.5 + random() / 2) * backoffMs);
  }
}

/** Waits before another attempt; rejects with the signal's reason when it aborts first. */
export async function pause(delayMs: number, { clock, times, signal }: Pause): Promise<void> {
  const end = beginStretch({ clock, times, of: 'waitMs' });
  await wait(clock, delayMs, signal).finally(end);
}

interface Pause {
  readonly clock: Clock;
  readonly times: CallTimes | undefined;
  readonly signal: AbortSignal;
}
