import { seededRandom } from '../support/seeded-random.ts';

/** What is simulated. All times are seconds of a clock that is moved by hand. */
export interface Schedule {
  /** How many connectors each application has. */
  readonly applications: readonly number[];
  /** From the end of a sync to the next one. */
  readonly interval: number;
  /** How far from that it may be, as a part of it. */
  readonly jitter: number;
  /** Syncs that are begun in a second, by all processes together. */
  readonly capacity: number;
  /** From one look for what is due to the next. */
  readonly lookEvery: number;
  /** How long each takes. */
  readonly syncTakes: number;
  readonly duration: number;
  readonly seed: number;
}

/** What came of it. */
interface Simulated {
  /** Connectors that fell due, by second, after those that were due at the beginning. */
  readonly fallen: readonly number[];
  /** Connectors that were due and not begun, by second. */
  readonly waiting: readonly number[];
  /** By application, seconds until the last of those that were due at the beginning had begun. */
  readonly caughtUp: readonly number[];
}

/** A sync that was begun. Connectors have numbers, those of an application one after another. */
export interface Begun {
  readonly second: number;
  readonly connector: number;
  /** When it is to be looked at again. */
  readonly dueAgain: number;
}

/** Of one application. */
interface Queue {
  readonly number: number;
  /** Those that are due, oldest first; those before `head` have begun. */
  due: number[];
  head: number;
  /** Of those that were due at the beginning, how many have not begun. */
  late: number;
}

/**
 * A service that comes back after hours: every connector is due. At each look as many syncs begin as there is room
 * for until the next one; each connector comes back after the interval.
 *
 * @param note Is told of every sync, in the order in which they begin.
 */
export function simulate(schedule: Schedule, note: (begun: Begun) => void = () => {}): Simulated {
  const { interval, jitter, syncTakes, duration, lookEvery } = schedule;
  const random = seededRandom(schedule.seed);
  const queues = queuesOf(schedule.applications);
  const owners = queues.flatMap(({ due, number }) => due.map(() => number));
  const dueSince = new Float64Array(owners.length);
  const falling = new Map<number, number[]>();
  const fallen: number[] = [];
  const waiting: number[] = [];
  const caughtUp = queues.map(() => Infinity);
  const ownerOf = (connector: number) => queues[owners[connector] ?? 0];
  for (let second = 0; second < duration; second += 1) {
    const back = (falling.get(second) ?? []).toSorted((a, b) => a - b);
    falling.delete(second);
    for (const connector of back) ownerOf(connector)?.due.push(connector);
    fallen.push(back.length);
    const room = second % lookEvery === 0 ? Math.floor(schedule.capacity * lookEvery) : 0;
    for (const connector of choose(queues, { room, dueSince })) {
      const queue = ownerOf(connector);
      if (queue !== undefined && begin(queue)) caughtUp[queue.number] = second;
      const after = interval * (1 - jitter + 2 * jitter * random());
      const dueAgain = second + syncTakes + Math.round(after);
      dueSince[connector] = dueAgain;
      const others = falling.get(dueAgain);
      if (others === undefined) falling.set(dueAgain, [connector]);
      else others.push(connector);
      note({ second, connector, dueAgain });
    }
    waiting.push(queues.reduce((sum, { due, head }) => sum + due.length - head, 0));
  }
  return { fallen, waiting, caughtUp };
}

function queuesOf(applications: readonly number[]): readonly Queue[] {
  let first = 0;
  return applications.map((count, number) => {
    const due = Array.from({ length: count }, (_, index) => first + index);
    first += count;
    return { number, due, head: 0, late: count };
  });
}

/**
 * As `DueConnectors` has them: of each application the one that is due the longest, then of each the second, and
 * those due the longest first where there is not room for one more of each.
 */
function choose(
  queues: readonly Queue[],
  { room, dueSince }: { readonly room: number; readonly dueSince: Float64Array },
): readonly number[] {
  const chosen: number[] = [];
  const since = (connector: number) => dueSince[connector] ?? 0;
  let having = queues;
  for (let place = 0; chosen.length < room; place += 1) {
    having = having.filter(({ due, head }) => head + place < due.length);
    if (having.length === 0) break;
    const next = having.flatMap(({ due, head }) => due.slice(head + place, head + place + 1));
    next.sort((a, b) => since(a) - since(b) || a - b);
    chosen.push(...next.slice(0, room - chosen.length));
  }
  return chosen;
}

/** Begins with the first; returns whether that was the last of those that were due at the beginning. */
function begin(queue: Queue): boolean {
  queue.head += 1;
  // What has begun is forgotten now and then, which costs no more than it saves.
  if (queue.head > queue.due.length / 2) {
    queue.due = queue.due.slice(queue.head);
    queue.head = 0;
  }
  if (queue.late === 0) return false;
  queue.late -= 1;
  return queue.late === 0;
}
