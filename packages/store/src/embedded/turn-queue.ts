import { LANES, type Lane } from '../contract/lane-use.ts';

/** Something that waits for its turn. */
interface Waiting {
  readonly lane: Lane;
}

interface Queued<Turn> {
  readonly turn: Turn;
  readonly since: number;
}

/**
 * A lane that waits goes first after so long without a turn, whatever waits in better ones. A search is
 * several statements and a page of a copy several transactions, each of which waits so long where calls never end.
 */
const PATIENCE_MS: Readonly<Record<Lane, number>> = {
  control: 250,
  calls: 250,
  searches: 25,
  scans: 250,
  replication: 40,
};

/** Those who take long, so that others had rather not wait for them. */
const PATIENT: ReadonlySet<Lane> = new Set(['scans', 'replication']);

/**
 * They wait for so long after a turn of anybody else: whoever asked once mostly asks again at once,
 * and would wait for a whole transaction or scan each time.
 */
const GRACE_MS = 5;

/** Turns by lane, the best first, and in order of arrival within a lane. */
export class TurnQueue<Turn extends Waiting> {
  readonly #now: () => number;
  readonly #lanes: ReadonlyMap<Lane, Queued<Turn>[]> = new Map(LANES.map((lane) => [lane, []]));
  readonly #servedAt = new Map<Lane, number>();
  #graceEndsAt = -Infinity;

  /** @param now Milliseconds by a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(turn: Turn): void {
    this.#of(turn.lane).push({ turn, since: this.#now() });
  }

  /** Takes the turn that is due: none while those that wait have to wait a little longer. */
  take(): Turn | undefined {
    const now = this.#now();
    const waiting = LANES.flatMap((lane) => {
      const [head] = this.#of(lane);
      if (head === undefined) return [];
      return [{ lane, since: Math.max(head.since, this.#servedAt.get(lane) ?? -Infinity) }];
    });
    const overdue = waiting.filter(({ lane, since }) => now - since >= PATIENCE_MS[lane]);
    const [due] = overdue.length > 0 ? overdue.toSorted((a, b) => a.since - b.since) : waiting;
    if (due === undefined) return undefined;
    if (overdue.length === 0 && PATIENT.has(due.lane) && this.waitMs > 0) return undefined;
    return this.#takeAt(due.lane, 0);
  }

  /** Takes the first turn of somebody who goes first whatever the others wait for. */
  takeOf(isTheirs: (turn: Turn) => boolean): Turn | undefined {
    for (const lane of LANES) {
      const index = this.#of(lane).findIndex(({ turn }) => isTheirs(turn));
      if (index !== -1) return this.#takeAt(lane, index);
    }
    return undefined;
  }

  /** Milliseconds that `take` may find nothing due though somebody waits; 0 where nobody does. */
  get waitMs(): number {
    if ([...PATIENT].every((lane) => this.#of(lane).length === 0)) return 0;
    return Math.max(0, this.#graceEndsAt - this.#now());
  }

  /** Drops turns that nobody waits for any more. */
  drop(isDropped: (turn: Turn) => boolean): void {
    for (const queue of this.#lanes.values()) {
      queue.splice(0, queue.length, ...queue.filter(({ turn }) => !isDropped(turn)));
    }
  }

  #takeAt(lane: Lane, index: number): Turn | undefined {
    const now = this.#now();
    this.#servedAt.set(lane, now);
    if (!PATIENT.has(lane)) this.#graceEndsAt = now + GRACE_MS;
    return this.#of(lane).splice(index, 1)[0]?.turn;
  }

  #of(lane: Lane): Queued<Turn>[] {
    const queue = this.#lanes.get(lane);
    if (queue === undefined) throw new Error(`there is no lane ${lane}`);
    return queue;
  }
}
