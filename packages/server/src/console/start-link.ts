import type { Clock } from '@patchbay/connectors';
import { hasHash, hashOfSecret, newSecret } from '../random-secret.ts';

const LIVES_MS = 30 * 60_000;

interface MadeLink {
  readonly hash: string;
  /** By the monotonic clock. */
  readonly endsAt: number;
}

/**
 * The link that a start prints for whoever sits at the terminal: it opens one session, within half an hour, of
 * this process alone. Only its hash is kept.
 */
export class StartLink {
  readonly #clock: Clock;
  #made: MadeLink | undefined;
  /** Used up last. */
  #taken: MadeLink | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The secret of a new link; one from before is good for nothing then. */
  make(): string {
    const secret = newSecret();
    this.#made = { hash: hashOfSecret(secret), endsAt: this.#clock.monotonic() + LIVES_MS };
    return secret;
  }

  /** Whether the secret is that of the link, which is used up then. */
  take(secret: string): boolean {
    const made = this.#made;
    if (made === undefined || !hasHash(secret, made.hash)) return false;
    this.#made = undefined;
    this.#taken = made;
    return this.#clock.monotonic() < made.endsAt;
  }

  /** What was taken last opened nothing after all: it is as good as before, unless there is another link by now. */
  giveBack(secret: string): void {
    const taken = this.#taken;
    if (taken !== undefined && hasHash(secret, taken.hash)) this.#made ??= taken;
  }
}
