import { LANES, type Lane } from './lane.ts';

/** Something that waits for its turn. */
interface Waiting {
  readonly lane: Lane;
}

interface Queued<Turn> {
  readonly turn: Turn;
  readonly since: number;
}

/** A lane that waits goes first after so long without a turn, whatever waits in better ones. */
const PATIENCE_MS = 250;

/** Turns by lane, the best first, and in order of arrival within a lane. */
export class TurnQueue<Turn extends Waiting> {
  readonly #now: () => number;
  readonly #lanes: ReadonlyMap<Lane, Queued<Turn>[]> = new Map(LANES.map((lane) => [lane, []]));
  readonly #servedAt = new Map<Lane, number>();

  /** @param now Milliseconds by a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(turn: Turn): void {
    this.#of(turn.lane).push({ turn, since: this.#now() });
  }

  /** Takes the turn that is due, of those that may be taken. */
  take(mayBeTaken: (turn: Turn) => boolean = () => true): Turn | undefined {
    const heads = LANES.flatMap((lane) => {
      const index = this.#of(lane).findIndex(({ turn }) => mayBeTaken(turn));
      const since = this.#of(lane)[index]?.since;
      if (since === undefined) return [];
      return [{ lane, index, since: Math.max(since, this.#servedAt.get(lane) ?? -Infinity) }];
    });
    const now = this.#now();
    const overdue = heads.filter(({ since }) => now - since >= PATIENCE_MS);
    const [head] = overdue.length > 0 ? overdue.toSorted((a, b) => a.since - b.since) : heads;
    if (head === undefined) return undefined;
    this.#servedAt.set(head.lane, now);
    return this.#of(head.lane).splice(head.index, 1)[0]?.turn;
  }

  /** Drops turns that nobody waits for any more. */
  drop(isDropped: (turn: Turn) => boolean): void {
    for (const queue of this.#lanes.values()) {
      for (let index = queue.length - 1; index >= 0; index--) {
        const queued = queue[index];
        if (queued !== undefined && isDropped(queued.turn)) queue.splice(index, 1);
      }
    }
  }

  #of(lane: Lane): Queued<Turn>[] {
    const queue = this.#lanes.get(lane);
    if (queue === undefined) throw new Error(`there is no lane ${lane}`);
    return queue;
  }
}
