import { isConnectorError, type Clock } from '@patchbay/connectors';
import { wait } from '@patchbay/connectors/definitions';
import type { ReplicationSettings } from './settings.ts';

interface PatienceParts {
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly settings: Pick<ReplicationSettings, 'patienceMs' | 'waits'>;
  readonly signal: AbortSignal;
}

/**
 * With an upstream in trouble. Calls repeat within their own deadline already, so the waits here are
 * long, and heed what the upstream says.
 */
export class Patience {
  readonly #parts: PatienceParts;
  #troubledSince: number | undefined;
  #failures = 0;

  constructor(parts: PatienceParts) {
    this.#parts = parts;
  }

  /** The page came: what troubled it is over. */
  recover(): void {
    this.#troubledSince = undefined;
    this.#failures = 0;
  }

  /**
   * Waits, where the page that `error` came for may be asked for again; `false` at once where the
   * trouble does not pass, or lasts longer than patience does.
   *
   * @throws the signal's reason when it aborts.
   */
  async outlasts(error: unknown): Promise<boolean> {
    const { clock, settings, signal } = this.#parts;
    signal.throwIfAborted();
    if (!isConnectorError(error) || !mayPass(error)) return false;
    this.#troubledSince ??= clock.now();
    this.#failures += 1;
    const delayMs = this.#delayMs(error.details.retryAfterSeconds);
    if (clock.now() + delayMs - this.#troubledSince > settings.patienceMs) return false;
    await wait(clock, delayMs, signal);
    return true;
  }

  #delayMs(retryAfterSeconds = 0): number {
    const { random, settings } = this.#parts;
    const { firstMs, longestMs } = settings.waits;
    const backoffMs = Math.min(longestMs, firstMs * 2 ** (this.#failures - 1));
    // Many connectors of one upstream come back spread over time; told to wait, none comes early.
    return retryAfterSeconds * 1_000 + backoffMs * (0.5 + random() / 2);
  }
}

/** By the error table: rate limits, unreachable or failing upstreams, timeouts. */
function mayPass({ retry }: { readonly retry: string }): boolean {
  return retry === 'after' || retry === 'backoff';
}
