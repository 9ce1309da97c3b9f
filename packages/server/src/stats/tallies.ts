import type { StatRow } from '@patchbay/store';
import { LATENCY_PARTS, latencyPart } from './latency.ts';

/** What is counted of one subject in one minute. */
class Tally {
  readonly subjectId: string;
  readonly minuteMs: number;
  calls = 0;
  errors = 0;
  latency: number[] = [];
  upstreamRequests = 0;
  upstreamWaitMs = 0;
  records = 0;

  constructor(subjectId: string, minuteMs: number) {
    this.subjectId = subjectId;
    this.minuteMs = minuteMs;
  }

  countCall(durationMs: number, isError: boolean): void {
    this.calls += 1;
    if (isError) this.errors += 1;
    if (this.latency.length === 0) this.latency = Array<number>(LATENCY_PARTS).fill(0);
    const part = latencyPart(durationMs);
    this.latency[part] = (this.latency[part] ?? 0) + 1;
  }

  row(): StatRow {
    const { subjectId, minuteMs, upstreamWaitMs, ...counts } = this;
    return {
      ...counts,
      subjectId,
      minute: new Date(minuteMs),
      upstreamWaitMs: Math.round(upstreamWaitMs),
    };
  }

  /** Takes over what could not be stored. */
  add(other: Tally): void {
    this.calls += other.calls;
    this.errors += other.errors;
    this.latency =
      this.latency.length === 0
        ? other.latency
        : this.latency.map((count, part) => count + (other.latency[part] ?? 0));
    this.upstreamRequests += other.upstreamRequests;
    this.upstreamWaitMs += other.upstreamWaitMs;
    this.records += other.records;
  }
}

export type { Tally };

const MINUTE_MS = 60_000;

/**
 * Counts by subject and minute, as many as there is room for: what happens to others then is lost, and how
 * often that was is known.
 */
export class Tallies {
  readonly #most: number;
  readonly #minutes = new Map<number, Map<string, Tally>>();
  #size = 0;
  #lost = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** What to count of a subject now; `undefined` where there is no room. */
  of(subjectId: string, nowMs: number): Tally | undefined {
    return this.#at(subjectId, nowMs - (nowMs % MINUTE_MS));
  }

  /** Takes out at most so many, the oldest first. */
  take(most: number): readonly Tally[] {
    const taken: Tally[] = [];
    for (const [minuteMs, tallies] of this.#minutes) {
      for (const [subjectId, tally] of tallies) {
        if (taken.length >= most) return taken;
        taken.push(tally);
        tallies.delete(subjectId);
        this.#size -= 1;
      }
      this.#minutes.delete(minuteMs);
    }
    return taken;
  }

  /** Puts back what could not be stored. */
  giveBack(taken: readonly Tally[]): void {
    for (const each of taken) this.#at(each.subjectId, each.minuteMs)?.add(each);
  }

  /** How often there was no room since it was last asked for. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  #at(subjectId: string, minuteMs: number): Tally | undefined {
    let tallies = this.#minutes.get(minuteMs);
    const present = tallies?.get(subjectId);
    if (present !== undefined) return present;
    if (this.#size >= this.#most) {
      this.#lost += 1;
      return undefined;
    }
    if (tallies === undefined) {
      tallies = new Map();
      this.#minutes.set(minuteMs, tallies);
    }
    const tally = new Tally(subjectId, minuteMs);
    tallies.set(subjectId, tally);
    this.#size += 1;
    return tally;
  }
}
