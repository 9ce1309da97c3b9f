import type { Steps } from '@patchbay/connectors/engine';

/** Milliseconds that everything that is done in slices works together before others have theirs. */
const ROUND_MS = 5;

/** What rounds are made of; tests take it into their own hands. */
export interface RoundParts {
  /** Milliseconds, from any beginning. */
  readonly now: () => number;
  /** Calls back once everybody else had a turn. */
  readonly defer: (next: () => void) => void;
}

const OF_EVENT_LOOP: RoundParts = {
  now: () => performance.now(),
  defer: (next) => {
    setImmediate(next);
  },
};

/**
 * Shares the event loop of a process: in each of its rounds all long work together, searches above all,
 * goes on for so long at most, however much there is. What has to wait goes on first come, first served.
 */
export class Rounds {
  readonly #parts: RoundParts;
  readonly #waiting: (() => void)[] = [];
  /** When the round's work began; `undefined` before anybody has worked in it. */
  #since: number | undefined;

  constructor(parts: RoundParts = OF_EVENT_LOOP) {
    this.#parts = parts;
  }

  /** Begins the round's work, where nobody has yet. */
  begin(): void {
    if (this.#since === undefined) this.#start();
  }

  /** Whether the time of the round is used up. */
  isOver(): boolean {
    return this.#since !== undefined && this.#parts.now() - this.#since >= ROUND_MS;
  }

  /** Settles once it is the caller's turn; it then calls `pass`, as soon as it has no more to do. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Lets the next one work in what is left of the round. */
  pass(): void {
    if (!this.isOver()) this.#waiting.shift()?.();
  }

  #start(): void {
    this.#since = this.#parts.now();
    this.#parts.defer(() => {
      this.#since = undefined;
      if (this.#waiting.length === 0) return;
      this.#start();
      this.pass();
    });
  }
}

/** Those of searches, and of other work with their answers. */
const ROUNDS = new Rounds();

/**
 * Does long work in slices of time, so that nobody else waits long for the event loop, and so that a search
 * that was given up, or is late, ends soon: its timer could not even fire meanwhile.
 */
export class TimeSlices {
  readonly #signal: AbortSignal | undefined;
  readonly #rounds: Rounds;

  constructor(signal?: AbortSignal, rounds: Rounds = ROUNDS) {
    this.#signal = signal;
    this.#rounds = rounds;
  }

  /** @throws The reason of the signal, once it is aborted. */
  async finish<T>(steps: Steps<T>): Promise<T> {
    this.#rounds.begin();
    try {
      for (;;) {
        if (this.#rounds.isOver()) await this.#take();
        const { done, value } = steps.next();
        if (done === true) return value;
      }
    } finally {
      this.#rounds.pass();
    }
  }

  /**
   * Does a piece of work that cannot be left in its middle.
   *
   * @throws The reason of the signal, once it is aborted.
   */
  async once<T>(work: () => T): Promise<T> {
    this.#rounds.begin();
    try {
      if (this.#rounds.isOver()) await this.#take();
      return work();
    } finally {
      this.#rounds.pass();
    }
  }

  async #take(): Promise<void> {
    while (this.#rounds.isOver()) {
      await this.#rounds.turn();
      this.#signal?.throwIfAborted();
    }
  }
}
