import { untilAborted } from '@patchbay/connectors/engine';
import { wait, type Clock } from '@patchbay/connectors/definitions';
import { StoppedError } from './stopped.ts';

/** Whose turn it is: of a connector's application and kind. */
export interface Party {
  readonly applicationId: string;
  readonly kind: string;
}

interface TurnsParts {
  readonly clock: Clock;
  /** Connectors that are worked on at once. */
  readonly slots: number;
  /** After so long at work a turn is over, if somebody waits for it. */
  readonly turnMs: number;
}

interface Waiter extends Party {
  readonly isUrgent: boolean;
  readonly go: () => void;
}

/** Connectors of one application that wait here, and again as many urgent ones; the tables know the others. */
const WAITING_OF_APPLICATION = 100;
/** All that wait here. */
const MAX_WAITING = 10_000;
/** Connectors that rest here, for each slot; half of them may be of one application. */
const RESTING_PER_SLOT = 8;

/**
 * Who may work on a connector, and when. There are as many slots as connectors may be worked on at
 * once, and neither one application nor one kind ever has the last of several, so that an upstream that
 * hangs, or a tenant with many connectors, holds up no others. A free slot goes to the application that
 * holds fewest, of several to the one whose turn was longest ago; of its connectors to one that
 * somebody waits for, then to the one that came first.
 *
 * @see docs/decisions/2026-11-21-how-replication-holds-together.md
 */
export class Turns {
  readonly #parts: TurnsParts;
  /** By application, in the order in which they have their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #held = new Tally();
  readonly #resting = new Tally();

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** Whether one more may come to wait. */
  hasRoom({ applicationId, isUrgent }: Party & { readonly isUrgent: boolean }): boolean {
    const all = [...this.#waiting.values()].reduce((sum, waiters) => sum + waiters.length, 0);
    const alike = (this.#waiting.get(applicationId) ?? []).filter(
      (waiter) => waiter.isUrgent === isUrgent,
    );
    return all < MAX_WAITING && alike.length < WAITING_OF_APPLICATION;
  }

  /**
   * Waits for a slot, which is the turn's until it is disposed of.
   *
   * @throws the signal's reason when it aborts first.
   */
  async take(
    party: Party,
    options: { readonly isUrgent: boolean; readonly signal: AbortSignal },
  ): Promise<Turn> {
    await this.#takeSlot(party, options);
    return new Turn({
      clock: this.#parts.clock,
      turnMs: this.#parts.turnMs,
      takeSlot: (signal) => this.#takeSlot(party, { isUrgent: false, signal }),
      giveSlotBack: () => this.#giveSlotBack(party),
      isWanted: () => this.#isWanted(party),
      beginRest: () => this.#beginRest(party),
      endRest: () => this.#resting.subtract(party),
    });
  }

  #takeSlot(
    party: Party,
    { isUrgent, signal }: { readonly isUrgent: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#leave(waiter);
        reject(signal.reason as Error);
      };
      const go = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiter = { ...party, isUrgent, go };
      if (signal.aborted) return reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      const waiters = this.#waiting.get(party.applicationId);
      if (waiters === undefined) this.#waiting.set(party.applicationId, [waiter]);
      else waiters.push(waiter);
      this.#fillSlots();
    });
  }

  #giveSlotBack(party: Party): void {
    this.#held.subtract(party);
    this.#fillSlots();
  }

  #fillSlots(): void {
    while (this.#held.all < this.#parts.slots) {
      const next = this.#next();
      if (next === undefined) return;
      this.#leave(next);
      this.#sendToEnd(next);
      this.#held.add(next);
      next.go();
    }
  }

  #next(): Waiter | undefined {
    let next: Waiter | undefined;
    for (const waiters of this.#waiting.values()) {
      const able = waiters.filter((waiter) => this.#mayHaveMore(waiter));
      const first = able.find(({ isUrgent }) => isUrgent) ?? able[0];
      if (first === undefined) continue;
      if (next === undefined || this.#heldBy(first) < this.#heldBy(next)) next = first;
    }
    return next;
  }

  #heldBy({ applicationId }: Party): number {
    return this.#held.ofApplication(applicationId);
  }

  /** @param freed One whose slot counts as free. */
  #mayHaveMore({ applicationId, kind }: Party, freed?: Party): boolean {
    const most = Math.max(1, this.#parts.slots - 1);
    const ofApplication = this.#held.ofApplication(applicationId);
    const ofKind = this.#held.ofKind(kind);
    return (
      ofApplication - Number(applicationId === freed?.applicationId) < most &&
      ofKind - Number(kind === freed?.kind) < most
    );
  }

  #leave(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.applicationId) ?? [];
    const left = waiters.filter((each) => each !== waiter);
    if (left.length === 0) this.#waiting.delete(waiter.applicationId);
    else this.#waiting.set(waiter.applicationId, left);
  }

  /** The other applications have their turns first. */
  #sendToEnd({ applicationId }: Party): void {
    const waiters = this.#waiting.get(applicationId);
    if (waiters === undefined) return;
    this.#waiting.delete(applicationId);
    this.#waiting.set(applicationId, waiters);
  }

  /** Whether the slot of one would go to another of its application, or to an application that holds fewer. */
  #isWanted(party: Party): boolean {
    for (const [applicationId, waiters] of this.#waiting) {
      const isFair =
        applicationId === party.applicationId ||
        this.#held.ofApplication(applicationId) < this.#heldBy(party);
      if (isFair && waiters.some((waiter) => this.#mayHaveMore(waiter, party))) return true;
    }
    return false;
  }

  #beginRest(party: Party): boolean {
    const most = RESTING_PER_SLOT * this.#parts.slots;
    const hasRoom =
      this.#resting.all < most && this.#resting.ofApplication(party.applicationId) < most / 2;
    if (hasRoom) this.#resting.add(party);
    return hasRoom;
  }
}

interface TurnParts {
  readonly clock: Clock;
  readonly turnMs: number;
  readonly takeSlot: (signal: AbortSignal) => Promise<void>;
  readonly giveSlotBack: () => void;
  readonly isWanted: () => boolean;
  /** `false` where too many rest. */
  readonly beginRest: () => boolean;
  readonly endRest: () => void;
}

/**
 * The turn of one connector, whose tasks share one slot. While all of them rest they have none, and take
 * another one before they go on.
 */
export class Turn implements Disposable {
  readonly #parts: TurnParts;
  readonly #ending = new AbortController();
  /** Since when the slot is held; `undefined` without one. */
  #heldSince: number | undefined;
  #taking: Promise<void> | undefined;
  #tasks = 0;
  #resting = 0;
  /** Rests are counted by connector, from the first one until there is a slot again. */
  #isCounted = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#heldSince = parts.clock.monotonic();
  }

  /** Whether all tasks rest, or wait to go on. */
  get isResting(): boolean {
    return this.#heldSince === undefined;
  }

  /** Whether it has come to its end, be the work done or not. */
  get isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  /**
   * To be asked before each piece of work.
   *
   * @throws StoppedError `turn_over` once the turn has lasted long enough and somebody else waits for
   * it; then also those who rest are told.
   */
  requireTime(): void {
    if (this.#isDue()) this.#ending.abort(new StoppedError('turn_over'));
    this.#ending.signal.throwIfAborted();
  }

  /**
   * Does a task that may rest, with a slot.
   *
   * @throws the signal's reason when it aborts before there is one.
   */
  async during<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#tasks += 1;
    try {
      await this.#ensureSlot(signal);
      return await task();
    } finally {
      this.#tasks -= 1;
      this.#restIfAllDo();
    }
  }

  /**
   * Lets a task wait without the slot, unless other tasks need it; `false` at once where too many
   * connectors rest already.
   *
   * @throws the signal's reason when it aborts, `turn_over` when another task has found that.
   */
  async rest(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#beginRest()) return false;
    try {
      await wait(this.#parts.clock, ms, AbortSignal.any([signal, this.#ending.signal]));
    } finally {
      this.#resting -= 1;
    }
    await this.#goOn(signal);
    return true;
  }

  /**
   * Waits for an answer of the upstream, as a rest once that has taken as long as a turn: one that hangs
   * needs nothing of ours.
   *
   * @param isUrgent Whether what came must not wait for a slot: `ready` takes one before more is asked for.
   * @throws what the answer throws, and the signal's reason when it aborts before there is a slot again.
   */
  async answered<T>(
    answer: Promise<T>,
    signal: AbortSignal,
    isUrgent: () => boolean = () => false,
  ): Promise<T> {
    const { clock, turnMs } = this.#parts;
    const rest = { isBegun: false };
    const cancel = clock.after(turnMs, () => {
      rest.isBegun = this.#beginRest();
    });
    try {
      return await answer;
    } finally {
      cancel();
      if (rest.isBegun) this.#resting -= 1;
      // What came after the end of the turn is worth keeping; the next look at the time ends the work.
      if (rest.isBegun && !this.isOver && !isUrgent()) await this.#goOn(signal);
    }
  }

  /**
   * There is a slot, also after an answer that could not wait for one.
   *
   * @throws as `rest`.
   */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.isResting) await this.#goOn(signal);
  }

  [Symbol.dispose](): void {
    this.#ending.abort(new StoppedError('turn_over'));
    this.#endRest();
    this.#giveSlotBack();
  }

  #isDue(): boolean {
    const { clock, turnMs, isWanted } = this.#parts;
    if (this.#heldSince === undefined) return false;
    return clock.monotonic() - this.#heldSince >= turnMs && isWanted();
  }

  #restIfAllDo(): void {
    if (this.#resting > 0 && this.#resting === this.#tasks) this.#giveSlotBack();
  }

  /** `false` where too many connectors rest already. */
  #beginRest(): boolean {
    this.#isCounted ||= this.#parts.beginRest();
    if (!this.#isCounted) return false;
    this.#resting += 1;
    this.#restIfAllDo();
    return true;
  }

  async #goOn(signal: AbortSignal): Promise<void> {
    await this.#ensureSlot(signal);
    if (this.#resting === 0) this.#endRest();
  }

  #endRest(): void {
    if (this.#isCounted) this.#parts.endRest();
    this.#isCounted = false;
  }

  #giveSlotBack(): void {
    if (this.#heldSince === undefined) return;
    this.#heldSince = undefined;
    this.#parts.giveSlotBack();
  }

  /** Takes one for all tasks that ask meanwhile. */
  async #ensureSlot(signal: AbortSignal): Promise<void> {
    if (this.#heldSince !== undefined) return;
    this.#taking ??= this.#takeSlot().finally(() => (this.#taking = undefined));
    await untilAborted(this.#taking, signal);
  }

  async #takeSlot(): Promise<void> {
    await this.#parts.takeSlot(this.#ending.signal);
    this.#heldSince = this.#parts.clock.monotonic();
    if (this.isOver) this.#giveSlotBack();
    this.#ending.signal.throwIfAborted();
  }
}

/** How many there are, in all, of each application, and of each kind. */
class Tally {
  readonly #applications = new Map<string, number>();
  readonly #kinds = new Map<string, number>();
  #all = 0;

  get all(): number {
    return this.#all;
  }

  ofApplication(applicationId: string): number {
    return this.#applications.get(applicationId) ?? 0;
  }

  ofKind(kind: string): number {
    return this.#kinds.get(kind) ?? 0;
  }

  add(party: Party): void {
    this.#count(party, 1);
  }

  subtract(party: Party): void {
    this.#count(party, -1);
  }

  #count({ applicationId, kind }: Party, step: 1 | -1): void {
    this.#all += step;
    put(this.#applications, applicationId, this.ofApplication(applicationId) + step);
    put(this.#kinds, kind, this.ofKind(kind) + step);
  }
}

function put(counts: Map<string, number>, name: string, count: number): void {
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
