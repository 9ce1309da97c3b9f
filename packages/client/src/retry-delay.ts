import { ENGINE_POLICIES } from '@patchbay/connectors/definitions';
import type { Failure } from './exchange.ts';

/**
 * How long to wait before another attempt, in milliseconds; `undefined` for none. Full jitter, as
 * the engine of the library has it; told to wait, we wait as often as the deadline allows.
 */
export function delayBeforeNext(failure: Failure, attempts: number): number | undefined {
  const { maxAttempts, baseDelayMs, maxDelayMs } = ENGINE_POLICIES.retry;
  const backoffMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempts - 1));
  const statedMs = failure.retryAfterMs ?? 0;
  switch (failure.again) {
    case 'never':
      return undefined;
    case 'backoff':
      return attempts >= maxAttempts ? undefined : Math.max(statedMs, Math.random() * backoffMs);
    case 'after':
      return Math.max(statedMs, (0.5 + Math.random() / 2) * backoffMs);
  }
}
