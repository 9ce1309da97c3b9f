/** Ends a turn, or what was counted; a second call does nothing. */
export type Release = () => void;

/** How many have a turn at once. */
export interface TurnLimits {
  /** In all. */
  readonly atOnce: number;
  /** Of each group that a turn counts in, in the order of its groups. */
  readonly ofGroup: readonly number[];
}

interface Waiter {
  readonly groups: readonly string[];
  readonly start: (release: Release) => void;
}

interface Group {
  running: number;
  waiting: number;
  /** Which turn of all was the last one to begin in it; 0 for none that is remembered. */
  lastTurn: number;
}

/**
 * Turns for work of which only so much may be done at once. Each turn counts in some groups, the
 * widest first: `['application a', 'user a b']`. The next one goes to the widest group that has the
 * fewest, among equals to the one that has waited longest since its last; within it likewise. So
 * whoever asks for much waits for itself.
 */
export class FairTurns {
  readonly #limits: TurnLimits;
  readonly #groups = new Map<string, Group>();
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter>();
  #running = 0;
  #turns = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** How many of a group wait for a turn. */
  waitingOf(group: string): number {
    return this.#groups.get(group)?.waiting ?? 0;
  }

  /**
   * A turn, at once where there is one. Whoever has it calls the result when done.
   *
   * @throws the signal's reason when it aborts before the turn has come.
   */
  take(groups: readonly string[], signal: AbortSignal): Release | Promise<Release> {
    signal.throwIfAborted();
    if (this.#mayStart(groups)) return this.#start(groups);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        groups,
        start: (release) => {
          signal.removeEventListener('abort', giveUp);
          resolve(release);
        },
      };
      const giveUp = () => {
        this.#leave(waiter);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiters.add(waiter);
      for (const name of groups) this.#group(name).waiting += 1;
    });
  }

  #mayStart(groups: readonly string[]): boolean {
    const { atOnce, ofGroup } = this.#limits;
    return (
      this.#running < atOnce &&
      groups.every(
        (name, level) => (this.#groups.get(name)?.running ?? 0) < (ofGroup[level] ?? atOnce),
      )
    );
  }

  #start(groups: readonly string[]): Release {
    this.#running += 1;
    this.#turns += 1;
    for (const name of groups) {
      const group = this.#group(name);
      group.running += 1;
      group.lastTurn = this.#turns;
    }
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#running -= 1;
      for (const name of groups) this.#group(name).running -= 1;
      this.#startWaiting();
      for (const name of groups) this.#forgetIdle(name);
    };
  }

  /** What ended may make room for more than one, where its groups were at their limit. */
  #startWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#leave(next);
      next.start(this.#start(next.groups));
    }
  }

  #next(): Waiter | undefined {
    let best: Waiter | undefined;
    for (const waiter of this.#waiters)
      if (this.#mayStart(waiter.groups) && (best === undefined || this.#isBefore(waiter, best)))
        best = waiter;
    return best;
  }

  #isBefore(one: Waiter, other: Waiter): boolean {
    for (const [level, name] of one.groups.entries()) {
      const [a, b] = [this.#group(name), this.#group(other.groups[level] ?? '')];
      const difference = a.running - b.running || a.lastTurn - b.lastTurn;
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  #leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    for (const name of waiter.groups) {
      this.#group(name).waiting -= 1;
      this.#forgetIdle(name);
    }
  }

  #group(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = { running: 0, waiting: 0, lastTurn: 0 };
    this.#groups.set(name, group);
    return group;
  }

  #forgetIdle(name: string): void {
    const group = this.#groups.get(name);
    if (group?.running === 0 && group.waiting === 0) this.#groups.delete(name);
  }
}
