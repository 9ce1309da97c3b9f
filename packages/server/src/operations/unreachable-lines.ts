import type { Clock } from '@patchbay/connectors';
import type { Logger } from '../log.ts';

const AGAIN_AFTER_MS = 60_000;

/**
 * Tells the operator where upstreams that cannot be reached are, which is nobody else's business: at once, and of each
 * kind no more than a line a minute, however many calls find out.
 */
export class UnreachableLines {
  readonly #parts: { readonly clock: Clock; readonly logger: Logger };
  /** When it was last told of a kind, in milliseconds of the monotonic clock. */
  readonly #toldAt = new Map<string, number>();

  constructor(parts: { readonly clock: Clock; readonly logger: Logger }) {
    this.#parts = parts;
  }

  tell(kind: string, told: string): void {
    const { clock, logger } = this.#parts;
    const now = clock.monotonic();
    const toldAt = this.#toldAt.get(kind);
    if (toldAt !== undefined && now - toldAt < AGAIN_AFTER_MS) return;
    this.#toldAt.set(kind, now);
    logger.warn({ kind }, told);
  }
}
