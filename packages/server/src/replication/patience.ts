import { isConnectorError, type Clock, type ConnectorError } from '@patchbay/connectors';
import { ENGINE_POLICIES } from '@patchbay/connectors/definitions';
import type { ReplicationSettings } from './settings.ts';
import type { Turn } from './turns.ts';

interface PatienceParts {
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly settings: Pick<ReplicationSettings, 'patienceMs' | 'waits'>;
}

/** Where one waits. */
interface Resting {
  readonly turn: Pick<Turn, 'rest'>;
  readonly signal: AbortSignal;
  /** Told of the trouble before it is waited for. */
  readonly tellTrouble: (trouble: ConnectorError) => Promise<void>;
}

/**
 * With an upstream in trouble, over all the turns of a run. Calls repeat within their own deadline
 * already, so the waits here are long, and heed what the upstream says.
 */
export class Patience {
  readonly #parts: PatienceParts;
  #troubledSince: number | undefined;
  #waitsUntil = 0;
  #failures = 0;
  #hasTimedOut = false;

  constructor(parts: PatienceParts) {
    this.#parts = parts;
  }

  /** For the next call: one attempt at an upstream that was too slow for several. */
  get limits(): { readonly timeoutMs?: number } {
    return this.#hasTimedOut ? { timeoutMs: ENGINE_POLICIES.timeoutMs } : {};
  }

  /** The page came: what troubled it is over. */
  recover(): void {
    this.#troubledSince = undefined;
    this.#failures = 0;
    this.#hasTimedOut = false;
  }

  /**
   * Waits, where the page that `error` came for may be asked for again; `false` at once where the
   * trouble does not pass, or lasts longer than patience does, or too many wait.
   *
   * @throws the signal's reason when it aborts, and what ends the turn.
   */
  async outlasts(error: unknown, { turn, signal, tellTrouble }: Resting): Promise<boolean> {
    const { clock, settings } = this.#parts;
    signal.throwIfAborted();
    if (!isConnectorError(error) || !mayPass(error)) return false;
    const now = clock.monotonic();
    this.#troubledSince ??= now;
    this.#failures += 1;
    this.#hasTimedOut = error.code === 'upstream_timeout';
    const delayMs = this.#delayMs(error.details.retryAfterSeconds);
    if (now + delayMs - this.#troubledSince > settings.patienceMs) return false;
    this.#waitsUntil = now + delayMs;
    await tellTrouble(error);
    return await turn.rest(delayMs, signal);
  }

  /** Waits for the rest of a wait that the end of a turn cut short. */
  async resume({ turn, signal }: Omit<Resting, 'tellTrouble'>): Promise<void> {
    if (this.#troubledSince === undefined) return;
    const leftMs = this.#waitsUntil - this.#parts.clock.monotonic();
    if (leftMs > 0) await turn.rest(leftMs, signal);
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
