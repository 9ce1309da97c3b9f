import { ConnectorError } from '@patchbay/connectors';
import type { Access } from '../access/access.ts';

/** Counts what each token keeps open. What a token gives is one object for as long as it is known. */
export class BoundedUses {
  readonly #most: number;
  readonly #uses = new WeakMap<Access, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts one more until the result is called.
   *
   * @param what What there are too many of, in the words of an error.
   * @throws `rate_limited` where the token has as many as it may.
   */
  begin(access: Access, what: string): () => void {
    const uses = this.#uses.get(access) ?? 0;
    if (uses >= this.#most)
      throw new ConnectorError(
        'rate_limited',
        { retryAfterSeconds: 1 },
        { message: `The token has ${uses} ${what} open, as many as one may; close one of them.` },
      );
    this.#uses.set(access, uses + 1);
    return () => this.#uses.set(access, (this.#uses.get(access) ?? 1) - 1);
  }
}
