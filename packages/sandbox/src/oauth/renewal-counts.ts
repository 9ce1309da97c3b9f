/** How often the tokens of one consent were renewed, and how its dead ones were used. */
export interface RenewalReport {
  /** Requests under way: from their arrival until the answer is sent, or the client hangs up. */
  readonly inFlight: number;
  /** The most that were ever under way at once. */
  readonly mostInFlight: number;
  /** Requests that arrived, whatever became of them. */
  readonly asked: number;
  /** Requests that renewed, even if their answer was lost on the way. */
  readonly succeeded: number;
  /** The longest that a replaced access token would still have lived; null before any success. */
  readonly mostLeftMs: number | null;
}

/** How dead tokens were used: how often in all, and how often the same one. */
export interface DeadUseReport {
  readonly uses: number;
  readonly mostUsesOfOne: number;
}

/** Counts the renewals of one consent. */
export class RenewalCounts {
  #inFlight = 0;
  #mostInFlight = 0;
  #asked = 0;
  #succeeded = 0;
  #mostLeftMs: number | null = null;

  /** Counts a request that arrives; to be ended once it is answered or given up. */
  begin(): () => void {
    this.#asked += 1;
    this.#inFlight += 1;
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight);
    return () => {
      this.#inFlight -= 1;
    };
  }

  /** Counts a success; `leftMs` is what the access token before it would still have lived. */
  succeed(leftMs: number): void {
    this.#succeeded += 1;
    this.#mostLeftMs = Math.max(this.#mostLeftMs ?? 0, leftMs);
  }

  report(): RenewalReport {
    return {
      inFlight: this.#inFlight,
      mostInFlight: this.#mostInFlight,
      asked: this.#asked,
      succeeded: this.#succeeded,
      mostLeftMs: this.#mostLeftMs,
    };
  }
}

/** Counts the uses of dead tokens of one consent. */
export class DeadUseCounts {
  #uses = 0;
  #mostUsesOfOne = 0;

  /** Counts a use of a token that was used `usesOfIt` times since it died, this one included. */
  add(usesOfIt: number): void {
    this.#uses += 1;
    this.#mostUsesOfOne = Math.max(this.#mostUsesOfOne, usesOfIt);
  }

  report(): DeadUseReport {
    return { uses: this.#uses, mostUsesOfOne: this.#mostUsesOfOne };
  }
}
