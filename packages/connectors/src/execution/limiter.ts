import type { RateRule } from '../vocabulary/index.ts';
import type { Clock } from './clock.ts';

/**
 * How strictly upstream budgets are kept: as the vendor publishes them, only as answers tell
 * (429s and headers), or the vendor's budgets times a factor.
 */
export type UpstreamLimits = 'vendor' | 'reactive' | number;

/** A rule with the key of the budget that one call draws on. */
export interface Budget {
  readonly key: string;
  /** Absent where no rule is published and only what answers say counts. */
  readonly rule?: RateRule;
}

export interface AcquireOptions {
  readonly priority: 'interactive' | 'background';
  /** Callers that wait for the same take turns; the anonymous ones are one caller. */
  readonly caller?: string | undefined;
  readonly signal: AbortSignal;
  /** When waiting any longer is pointless, on the monotonic clock. */
  readonly deadlineAt: number;
}

/** The wait for a budget would outlast the call's deadline. */
export class BudgetExhaustedError extends Error {
  override readonly name = 'BudgetExhaustedError';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`The budget allows the call in ${waitMs} ms only.`);
    this.waitMs = waitMs;
  }
}

/** A background call that has waited this long goes as an interactive one. */
const BACKGROUND_PATIENCE_MS = 30_000;

/** The longest block: an upstream that asks for more, or whose clock is wrong, is asked again. */
const MAX_BLOCK_MS = 3_600_000;

/** Beyond this many budgets, full and unblocked ones are forgotten. */
const MAX_IDLE_BUCKETS = 1_000;

interface Bucket {
  tokens: number;
  refilledAt: number;
  blockedUntil: number;
  readonly capacity: number;
  readonly tokensPerMs: number;
}

interface Waiter {
  readonly budgets: readonly Budget[];
  readonly isBackground: boolean;
  readonly caller: string | undefined;
  readonly turn: number;
  readonly since: number;
  readonly go: () => void;
}

/**
 * What waiting calls hold back from those behind them: of a budget that has a token for them, that
 * one token, so that others may go on using the rest; of the budget they wait for, all of it.
 */
class KeptTokens {
  readonly #byKey = new Map<string, number>();

  of(key: string): number {
    return this.#byKey.get(key) ?? 0;
  }

  keep(key: string, hasToken: boolean): void {
    this.#byKey.set(key, hasToken ? this.of(key) + 1 : Infinity);
  }
}

const NOTHING_KEPT = new KeptTokens();

/**
 * Token buckets for the calls of one connector. Calls that find their budget spent wait in order,
 * interactive ones first, callers in turn; a call that waits for one budget does not hold up calls of another. All times
 * are of the monotonic clock: one that is set back would have every call wait for as long.
 */
export class Limiter {
  readonly #clock: Clock;
  readonly #factor: number | undefined;
  readonly #buckets = new Map<string, Bucket>();
  readonly #waiters: Waiter[] = [];
  /** The turn of the last call that waited and went out. */
  #turn = 0;
  #cancelWake: (() => void) | undefined;

  constructor(clock: Clock, limits: UpstreamLimits) {
    this.#clock = clock;
    this.#factor = limits === 'reactive' ? undefined : limits === 'vendor' ? 1 : limits;
  }

  /**
   * Resolves when the call may go out, and takes one token of each of its budgets.
   *
   * @throws BudgetExhaustedError when that would be after the deadline; the signal's reason when
   * it aborts first.
   */
  acquire(budgets: readonly Budget[], options: AcquireOptions): Promise<void> | undefined {
    if (this.#waiters.length === 0 && this.#isReady(budgets)) {
      this.#take(budgets);
      return undefined;
    }
    return this.#enqueue(budgets, options);
  }

  /** Lets no call of the budgets out before `untilAt` on the monotonic clock, an hour at most. */
  block(budgets: readonly Budget[], untilAt: number): void {
    const blockedUntil = Math.min(untilAt, this.#clock.monotonic() + MAX_BLOCK_MS);
    for (const budget of budgets) {
      const bucket = this.#bucketOf(budget);
      bucket.blockedUntil = Math.max(bucket.blockedUntil, blockedUntil);
      bucket.tokens = Math.min(bucket.tokens, 1);
    }
  }

  /** Takes over what the upstream says is left of the budgets until `resetAt`, on the monotonic clock. */
  learn(budgets: readonly Budget[], remaining: number, resetAt: number): void {
    if (remaining > 0) return;
    this.block(budgets, resetAt);
  }

  #enqueue(budgets: readonly Budget[], options: AcquireOptions): Promise<void> {
    const { signal, deadlineAt } = options;
    const isBackground = options.priority === 'background';
    const turn = this.#turnOf(options.caller);
    const waitMs = this.#expectedWaitMs(budgets, isBackground, turn);
    if (this.#clock.monotonic() + waitMs > deadlineAt)
      return Promise.reject(new BudgetExhaustedError(waitMs));
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        signal.removeEventListener('abort', onAbort);
        cancelDeadline();
      };
      const onAbort = () => {
        leave();
        reject(signal.reason as Error);
        this.#pump();
      };
      const cancelDeadline = this.#clock.after(deadlineAt - this.#clock.monotonic(), () => {
        leave();
        reject(
          new BudgetExhaustedError(Math.max(1, this.#expectedWaitMs(budgets, isBackground, turn))),
        );
        this.#pump();
      });
      const waiter: Waiter = {
        budgets,
        isBackground,
        caller: options.caller,
        turn,
        since: this.#clock.monotonic(),
        go: () => {
          leave();
          resolve();
        },
      };
      this.#waiters.push(waiter);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#pump();
    });
  }

  /** Lets out every waiter whose turn has come, and sets the timer for the next one. */
  #pump(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    const kept = new KeptTokens();
    let wakeAt = Infinity;
    for (const waiter of this.#inOrder()) {
      const readyAt = this.#readyAt(waiter.budgets, kept);
      if (readyAt <= this.#clock.monotonic()) {
        this.#take(waiter.budgets);
        this.#turn = Math.max(this.#turn, waiter.turn);
        waiter.go();
        continue;
      }
      wakeAt = Math.min(wakeAt, readyAt);
      for (const budget of waiter.budgets)
        kept.keep(budget.key, this.#readyAt([budget], kept) <= this.#clock.monotonic());
    }
    if (wakeAt === Infinity) return;
    const delayMs = Math.max(1, Math.ceil(wakeAt - this.#clock.monotonic()));
    this.#cancelWake = this.#clock.after(delayMs, () => this.#pump());
  }

  /** Interactive calls first, then by turn, then in the order of their coming. */
  #inOrder(): readonly Waiter[] {
    return this.#waiters.toSorted(
      (a, b) => Number(this.#yields(a)) - Number(this.#yields(b)) || a.turn - b.turn,
    );
  }

  /**
   * The turn of a call that comes now: the present one, or the one after the caller's last. So one
   * who asks for much does not keep the others waiting, and nobody is overtaken for ever.
   */
  #turnOf(caller: string | undefined): number {
    const own = this.#waiters.filter((waiter) => waiter.caller === caller);
    return Math.max(this.#turn, ...own.map(({ turn }) => turn + 1));
  }

  /** Whether interactive calls overtake it: a background call whose patience lasts. */
  #yields({ isBackground, since }: Waiter): boolean {
    return isBackground && since > this.#clock.monotonic() - BACKGROUND_PATIENCE_MS;
  }

  /** How long a call that comes now would wait, behind those that it will not overtake. */
  #expectedWaitMs(budgets: readonly Budget[], isBackground: boolean, turn: number): number {
    const now = this.#clock.monotonic();
    const inFront = this.#waiters.filter(
      (waiter) => waiter.turn <= turn && (isBackground || !this.#yields(waiter)),
    );
    return Math.max(
      0,
      ...budgets.map((budget) => {
        const bucket = this.#bucketOf(budget);
        const ahead = inFront.filter((waiter) =>
          waiter.budgets.some(({ key }) => key === budget.key),
        ).length;
        const missing = ahead + 1 - bucket.tokens;
        const refillMs = missing <= 0 ? 0 : missing / bucket.tokensPerMs;
        return Math.max(refillMs, bucket.blockedUntil - now);
      }),
    );
  }

  /** When every budget has a token besides those kept; never, behind one that waits for the same. */
  #readyAt(budgets: readonly Budget[], kept: KeptTokens): number {
    const now = this.#clock.monotonic();
    return Math.max(
      ...budgets.map((budget) => {
        const bucket = this.#bucketOf(budget);
        if (kept.of(budget.key) === Infinity) return Infinity;
        // Those who wait for something else do not keep all that it ever has.
        const needed = Math.min(1 + kept.of(budget.key), Math.max(1, bucket.capacity - 1));
        const refillMs =
          bucket.tokens >= needed ? 0 : (needed - bucket.tokens) / bucket.tokensPerMs;
        return Math.max(now + refillMs, bucket.blockedUntil);
      }),
    );
  }

  #isReady(budgets: readonly Budget[]): boolean {
    return this.#readyAt(budgets, NOTHING_KEPT) <= this.#clock.monotonic();
  }

  #take(budgets: readonly Budget[]): void {
    for (const budget of budgets) this.#bucketOf(budget).tokens -= 1;
  }

  /** The bucket of a budget, refilled to this instant. */
  #bucketOf({ key, rule }: Budget): Bucket {
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(key);
    if (known !== undefined) {
      const gained = (now - known.refilledAt) * known.tokensPerMs;
      if (gained > 0) known.tokens = Math.min(known.capacity, known.tokens + gained);
      known.refilledAt = now;
      return known;
    }
    if (this.#buckets.size >= MAX_IDLE_BUCKETS) this.#forgetIdleBuckets(now);
    const bucket = this.#newBucket(rule, now);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #newBucket(rule: RateRule | undefined, now: number): Bucket {
    if (rule === undefined || this.#factor === undefined)
      return {
        tokens: Infinity,
        capacity: Infinity,
        tokensPerMs: Infinity,
        refilledAt: now,
        blockedUntil: 0,
      };
    const capacity = Math.max(1, (rule.burst ?? rule.perMinute) * this.#factor);
    return {
      tokens: capacity,
      capacity,
      tokensPerMs: (rule.perMinute * this.#factor) / 60_000,
      refilledAt: now,
      blockedUntil: 0,
    };
  }

  #forgetIdleBuckets(now: number): void {
    const waitedFor = new Set(
      this.#waiters.flatMap(({ budgets }) => budgets.map(({ key }) => key)),
    );
    for (const [key, bucket] of this.#buckets) {
      const tokens = bucket.tokens + (now - bucket.refilledAt) * bucket.tokensPerMs;
      const isFull = bucket.capacity === Infinity || tokens >= bucket.capacity;
      if (isFull && bucket.blockedUntil <= now && !waitedFor.has(key)) this.#buckets.delete(key);
    }
  }
}
