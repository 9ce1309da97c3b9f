import type { Clock } from '@patchbay/connectors';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test turns it. */
export class HandClock implements Clock {
  #now: number;
  #setByMs = 0;
  readonly #timers = new Set<Timer>();
  readonly #watchers = new Set<{ readonly count: number; readonly resolve: () => void }>();
  /** Every wait that was asked for, in milliseconds, in order. */
  readonly asked: number[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#setByMs;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the time of day, back or forward, which the monotonic time does not notice. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }

  /** Timers that are set and have neither fired nor been cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer fires, on the monotonic clock; never where none is set. */
  get nextAt(): number {
    return this.#next()?.at ?? Infinity;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.asked.push(ms);
    this.#timers.add(timer);
    for (const watcher of this.#watchers)
      if (this.#timers.size >= watcher.count) {
        this.#watchers.delete(watcher);
        watcher.resolve();
      }
    return () => this.#timers.delete(timer);
  }

  /** Moves time on, and fires what is due on the way, in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let next = this.#next(); next !== undefined && next.at <= until; next = this.#next()) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = until;
  }

  /** Moves time on to the next timer and fires it. */
  step(): void {
    const next = this.#next();
    if (next !== undefined) this.advance(Math.max(0, next.at - this.#now));
  }

  /** Resolves once that many timers are set. */
  whenPending(count: number): Promise<void> {
    if (this.#timers.size >= count) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.add({ count, resolve }));
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer;
    return next;
  }
}

/**
 * Waits for a call, turning the clock whenever the call waits for something besides its deadline:
 * retries then cost no real time.
 */
export async function turning<T>(clock: HandClock, call: Promise<T>): Promise<T> {
  const settled = call.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([settled, clock.whenPending(2).then(() => false)]))) {
    clock.step();
    // Whoever was woken runs before the clock is looked at again.
    await new Promise(setImmediate);
  }
  return call;
}
