import type { TurnState } from './admission-observer.ts';
import type { Headroom } from './headroom.ts';

/** Ends a turn, or what was counted; a second call does nothing. */
export type Release = () => void;

/** Whom a turn counts for. */
export interface TurnGroup {
  readonly name: string;
  /** How many turns it may have at once. */
  readonly most: number;
  /** The same while there is no headroom. Default: as many. */
  readonly mostWhenBusy?: number;
}

/** A wait for a turn. */
export interface Wait {
  /** Rejects with the reason of `leave`. */
  readonly turn: Promise<Release>;
  /** Ends the wait; does nothing once the turn has come. */
  readonly leave: (reason: Error) => void;
}

/** Those of the same groups, in order of arrival. */
interface Line {
  readonly name: string;
  readonly groups: readonly TurnGroup[];
  readonly waiters: Set<Waiter>;
}

interface Waiter {
  readonly line: Line;
  /** Counts up with those who come. */
  readonly number: number;
  readonly start: (release: Release) => void;
}

interface Group {
  running: number;
  waiting: number;
  /** Which turn of all was the last one to begin in it, or before it came. */
  lastTurn: number;
  /** Those of its turns that wait for somebody else, in the order in which they began to. */
  readonly away: Set<Away>;
}

interface Away {
  readonly since: number;
}

/** What there is time for: with a share below 1, groups may have fewer turns, and of all only so many begin in a round. */
export interface TimeLeft extends Pick<Headroom, 'share' | 'inRound'> {
  /** Milliseconds by a clock that never goes back. */
  readonly now: () => number;
}

const ENOUGH: TimeLeft = { share: () => 1, inRound: () => Infinity, now: () => 0 };

/**
 * A turn that has waited for somebody else for so long, such as an upstream in trouble, is none of those that a group may have
 * while there is no headroom: it costs nothing. What takes less, as upstreams mostly do, may be the process's own doing.
 */
export const AWAY_AFTER_MS = 250;

/** How many turns there is room for now: whichever is lower bounds what begins. */
interface RoomNow {
  readonly share: number;
  readonly atOnce: number;
  readonly inRound: number;
}

/**
 * Turns for work of which only so much may be done at once. Each turn counts in some groups, such as those of an
 * application and of one of its users. The next one goes to the first group that has the fewest, among equals to the
 * one that has waited longest since its last; within it likewise, by what they count in next, and at last in order of
 * arrival. So whoever asks for much waits for itself. Where rounds of the event loop bound what begins, and not how
 * many there are, having many that wait for upstreams is no reason to begin none: it goes to the one that has waited
 * longest.
 */
export class FairTurns {
  readonly #atOnce: number;
  readonly #time: TimeLeft;
  readonly #defer: (end: () => void) => void;
  readonly #groups = new Map<string, Group>();
  /** Only the first of each can be next. */
  readonly #lines = new Map<string, Line>();
  /** Whose turns are over with this round of the event loop. */
  #over: (readonly TurnGroup[])[] = [];
  /** How many have begun in this one. */
  #begun = 0;
  #isDeferred = false;
  #running = 0;
  #waiting = 0;
  #turns = 0;
  #waiters = 0;

  /**
   * @param atOnce How many there are at once, of all groups.
   * @param defer Calls back in the next round of the event loop.
   */
  constructor(
    atOnce: number,
    time = ENOUGH,
    defer: (end: () => void) => void = (end) => setImmediate(end),
  ) {
    this.#atOnce = atOnce;
    this.#time = time;
    this.#defer = defer;
  }

  /** How many there are of all groups. */
  state(): TurnState {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** How many of a group wait for a turn. */
  waitingOf(group: string): number {
    return this.#groups.get(group)?.waiting ?? 0;
  }

  /** A turn, where there is one at once; whoever has it calls the result when done. */
  tryTake(groups: readonly TurnGroup[]): Release | undefined {
    this.startWaiting();
    const room = this.#roomNow();
    return room !== undefined && this.#mayStart(groups, room) ? this.#start(groups) : undefined;
  }

  /**
   * The same when its turn has come.
   *
   * @throws the signal's reason when it aborts before.
   */
  async take(groups: readonly TurnGroup[], signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    const release = this.tryTake(groups);
    if (release !== undefined) return release;
    const { turn, leave } = this.wait(groups);
    // Signals abort with errors.
    const giveUp = () => leave(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await turn;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Stands in line, for whoever has found no turn to take. */
  wait(groups: readonly TurnGroup[]): Wait {
    const { promise: turn, resolve, reject } = Promise.withResolvers<Release>();
    const waiter = this.#join(groups, resolve);
    return {
      turn,
      leave: (reason) => {
        if (this.#leave(waiter)) reject(reason);
      },
    };
  }

  /** One of the turns that a group has begins to wait for somebody else; what comes back is called when it goes on. */
  away(name: string): Release {
    const away = this.#groups.get(name)?.away;
    // Whoever goes on after its turn counts nowhere.
    if (away === undefined) return () => undefined;
    const one = { since: this.#time.now() };
    away.add(one);
    return () => void away.delete(one);
  }

  #roomNow(): RoomNow | undefined {
    const share = this.#time.share();
    const atOnce = this.#atOnce - this.#running;
    const inRound = this.#time.inRound() - this.#begun;
    return atOnce > 0 && inRound > 0 ? { share, atOnce, inRound } : undefined;
  }

  #mayStart(groups: readonly TurnGroup[], { share }: RoomNow): boolean {
    return groups.every((group) => {
      const known = this.#groups.get(group.name);
      if (known === undefined) return mostOf(group, share) > 0;
      const { running, away } = known;
      const most = mostOf(group, share);
      if (running < most) return true;
      return running < group.most && running - this.#longAway(away) < most;
    });
  }

  #longAway(away: ReadonlySet<Away>): number {
    const latest = this.#time.now() - AWAY_AFTER_MS;
    let count = 0;
    for (const { since } of away) {
      if (since > latest) break;
      count += 1;
    }
    return count;
  }

  #start(groups: readonly TurnGroup[]): Release {
    this.#running += 1;
    this.#turns += 1;
    if (this.#time.inRound() < Infinity) {
      this.#begun += 1;
      this.#deferToNextRound();
    }
    for (const { name } of groups) {
      const group = this.#group(name);
      group.running += 1;
      group.lastTurn = this.#turns;
    }
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      // Without headroom a turn lasts for a round of the event loop at least: what a caller may have at once, it
      // then has once in a round, however quick its calls are, and rounds stay short for everybody.
      if (this.#time.share() < 1) {
        this.#over.push(groups);
        this.#deferToNextRound();
      } else this.#end([groups]);
    };
  }

  #deferToNextRound(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#defer(() => {
      const over = this.#over;
      this.#over = [];
      this.#begun = 0;
      this.#isDeferred = false;
      this.#end(over);
    });
  }

  #end(turns: readonly (readonly TurnGroup[])[]): void {
    this.#running -= turns.length;
    for (const groups of turns) for (const { name } of groups) this.#group(name).running -= 1;
    this.startWaiting();
    for (const groups of turns) for (const { name } of groups) this.#forgetIdle(name);
  }

  /**
   * Starts those who wait and may have a turn. What ended may make room for more than one; and where
   * headroom comes back, there is room though nothing has ended.
   */
  startWaiting(): void {
    while (this.#waiting > 0) {
      const room = this.#roomNow();
      const next = room && this.#next(room);
      if (next === undefined) return;
      this.#leave(next);
      next.start(this.#start(next.line.groups));
    }
  }

  #next(room: RoomNow): Waiter | undefined {
    let best: Line | undefined;
    for (const line of this.#lines.values())
      if (
        this.#mayStart(line.groups, room) &&
        (best === undefined || this.#isBefore(line, best, room))
      )
        best = line;
    const [first] = best?.waiters ?? [];
    return first;
  }

  #isBefore(one: Line, other: Line, { atOnce, inRound }: RoomNow): boolean {
    for (const [level, { name }] of one.groups.entries()) {
      const against = other.groups[level];
      // Of one caller, those that count in more groups come in order of arrival, as others do.
      if (against === undefined) break;
      const [a, b] = [this.#group(name), this.#group(against.name)];
      const [byRunning, byLast] = [a.running - b.running, a.lastTurn - b.lastTurn];
      const difference = inRound < atOnce ? byLast || byRunning : byRunning || byLast;
      if (difference !== 0) return difference < 0;
    }
    return firstNumber(one) < firstNumber(other);
  }

  #join(groups: readonly TurnGroup[], start: Waiter['start']): Waiter {
    // As JSON: external users may have any name, also one of several lines.
    const name = JSON.stringify(groups.map((group) => group.name));
    const line = this.#lines.get(name) ?? { name, groups, waiters: new Set() };
    this.#lines.set(name, line);
    const waiter = { line, start, number: (this.#waiters += 1) };
    line.waiters.add(waiter);
    this.#waiting += 1;
    for (const group of groups) this.#group(group.name).waiting += 1;
    return waiter;
  }

  /** Whether it stood in line still. */
  #leave(waiter: Waiter): boolean {
    const { name, groups, waiters } = waiter.line;
    if (!waiters.delete(waiter)) return false;
    if (waiters.size === 0) this.#lines.delete(name);
    this.#waiting -= 1;
    for (const group of groups) {
      this.#group(group.name).waiting -= 1;
      this.#forgetIdle(group.name);
    }
    return true;
  }

  #group(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    // As if it had just had one: of many new ones, each would go before whoever waits for a second.
    const group = { running: 0, waiting: 0, lastTurn: this.#turns, away: new Set<Away>() };
    this.#groups.set(name, group);
    return group;
  }

  #forgetIdle(name: string): void {
    const group = this.#groups.get(name);
    if (group?.running === 0 && group.waiting === 0) this.#groups.delete(name);
  }
}

function firstNumber({ waiters }: Line): number {
  const [first] = waiters;
  return first?.number ?? Infinity;
}

function mostOf({ most, mostWhenBusy = most }: TurnGroup, share: number): number {
  if (mostWhenBusy >= most) return most;
  return mostWhenBusy + Math.floor((most - mostWhenBusy) * share);
}
