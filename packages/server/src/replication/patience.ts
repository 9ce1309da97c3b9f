import { isConnectorError, type Clock } from '@patchbay/connectors';
import { wait } from '@patchbay/connectors/definitions';
import type { ReplicationSettings } from './settings.ts';

export interface Patience {
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly patienceMs: number;
  readonly waits: ReplicationSettings['waits'];
  readonly signal: AbortSignal;
}

/**
 * Repeats a read until it works, as long as its trouble may pass and patience lasts. Calls repeat
 * within their own deadline already, so the waits here are long, and heed what the upstream says.
 *
 * @throws what the last attempt threw; the signal's reason when it aborts.
 */
export async function withPatience<T>(patience: Patience, attempt: () => Promise<T>): Promise<T> {
  const { clock, patienceMs, signal } = patience;
  let troubledSince: number | undefined;
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!isConnectorError(error) || !mayPass(error)) throw error;
      troubledSince ??= clock.now();
      const delayMs = delayBefore(patience, count, error.details.retryAfterSeconds);
      if (clock.now() + delayMs - troubledSince > patienceMs) throw error;
      await wait(clock, delayMs, signal);
    }
  }
}

/** By the error table: rate limits, unreachable or failing upstreams, timeouts. */
function mayPass({ retry }: { readonly retry: string }): boolean {
  return retry === 'after' || retry === 'backoff';
}

function delayBefore(
  { waits, random }: Patience,
  attempt: number,
  retryAfterSeconds: number | undefined,
): number {
  const backoffMs = Math.min(waits.longestMs, waits.firstMs * 2 ** (attempt - 1));
  // Many connectors of one upstream come back spread over time; told to wait, none comes early.
  return (retryAfterSeconds ?? 0) * 1_000 + backoffMs * (0.5 + random() / 2);
}
