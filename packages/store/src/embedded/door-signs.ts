/** Microseconds of the process, alike in all its threads. */
function now(): bigint {
  return process.hrtime.bigint() / 1_000n;
}

function asMs(microseconds: bigint): number {
  return Number(microseconds) / 1_000;
}

/** Places in the memory: of counts, 32 bits each, and behind them of times, 64 bits each. */
const BEATS = 0;
const BEGUN = 1;
const ENDED = 2;
const IS_UPKEEP = 3;
const ASKED_AT = 2;
const SEARCHED = 3;
const BYTES = 32;

/**
 * What the thread of the embedded database lets the main one see at any time, even while a statement
 * keeps it from sending messages. Both threads make one of these over the same memory.
 */
export class DoorSigns {
  readonly memory: SharedArrayBuffer;
  readonly #counts: Int32Array;
  readonly #times: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#counts = new Int32Array(memory);
    this.#times = new BigInt64Array(memory);
  }

  /** The thread's event loop goes round. */
  beat(): void {
    Atomics.add(this.#counts, BEATS, 1);
  }

  /** A turn begins, of somebody's or of the thread's own upkeep. */
  begin({ isUpkeep, isSearch }: { readonly isUpkeep: boolean; readonly isSearch: boolean }): void {
    Atomics.store(this.#counts, IS_UPKEEP, isUpkeep ? 1 : 0);
    // What is added at its end is taken away now, which leaves a negative time while it lasts: one place for both.
    if (isSearch) Atomics.sub(this.#times, SEARCHED, now());
    Atomics.add(this.#counts, BEGUN, 1);
  }

  /** It has ended. */
  end(): void {
    if (Atomics.load(this.#times, SEARCHED) < 0n) Atomics.add(this.#times, SEARCHED, now());
    Atomics.add(this.#counts, ENDED, 1);
  }

  /** Somebody other than replication uses the database. */
  ask(): void {
    Atomics.store(this.#times, ASKED_AT, now());
  }

  /** Counts on with every round of the thread's event loop. */
  get beats(): number {
    return Atomics.load(this.#counts, BEATS);
  }

  /** The number of the turn under way; `undefined` between turns. */
  get turn(): number | undefined {
    const begun = Atomics.load(this.#counts, BEGUN);
    return begun === Atomics.load(this.#counts, ENDED) ? undefined : begun;
  }

  /** Whether the turn under way, or the last one, is the thread's own. */
  get isUpkeep(): boolean {
    return Atomics.load(this.#counts, IS_UPKEEP) === 1;
  }

  /** Milliseconds since somebody other than replication used the database. */
  get quietMs(): number {
    const askedAt = Atomics.load(this.#times, ASKED_AT);
    return askedAt === 0n ? Infinity : asMs(now() - askedAt);
  }

  /** Milliseconds that the turns of searches, those of long ones left out, have taken until now. */
  get searchedMs(): number {
    const searched = Atomics.load(this.#times, SEARCHED);
    return asMs(searched < 0n ? searched + now() : searched);
  }
}
