import type { Clock } from '@patchbay/connectors';
import { Wakeup } from './wakeup.ts';

interface SharedLooksParts<T> {
  readonly clock: Clock;
  readonly look: (key: string) => Promise<T>;
  /** Calls back whenever there is something new to see; the result ends that. */
  readonly onNews: (key: string, listener: () => void) => () => void;
  /** How long after a look the next one comes, with news and without. */
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

interface Watched<T> {
  readonly wakeup: Wakeup;
  readonly left: AbortController;
  watchers: number;
  next: PromiseWithResolvers<{ readonly look: Promise<T> }>;
}

/** What one watcher has of the looks. */
export interface Watcher<T> {
  /** What a look shows that began after this call; `undefined` when the signal aborts. */
  next(signal: AbortSignal): Promise<T | undefined>;
  leave(): void;
}

/** Looks at things again and again, for all who watch the same one together. */
export class SharedLooks<T> {
  readonly #parts: SharedLooksParts<T>;
  readonly #watched = new Map<string, Watched<T>>();

  constructor(parts: SharedLooksParts<T>) {
    this.#parts = parts;
  }

  /** Begins to watch; the next look is soon, since what the last one saw may be no longer so. */
  join(key: string): Watcher<T> {
    const known = this.#watched.get(key);
    known?.wakeup.wake();
    const watched = known ?? this.#begin(key);
    watched.watchers += 1;
    return {
      next: (signal) => nextOf(watched, signal),
      leave: () => {
        watched.watchers -= 1;
        if (watched.watchers > 0) return;
        this.#watched.delete(key);
        watched.left.abort();
      },
    };
  }

  #begin(key: string): Watched<T> {
    const watched = {
      wakeup: new Wakeup(this.#parts.clock),
      left: new AbortController(),
      watchers: 0,
      next: Promise.withResolvers<{ readonly look: Promise<T> }>(),
    };
    this.#watched.set(key, watched);
    void this.#lookOn(key, watched);
    return watched;
  }

  async #lookOn(key: string, watched: Watched<T>): Promise<void> {
    const { look, onNews, atLeastMs, atMostMs } = this.#parts;
    const { wakeup, left } = watched;
    const unwatch = onNews(key, () => wakeup.wake());
    // Whoever joined must be waiting for the first look when it begins.
    await Promise.resolve();
    while (!left.signal.aborted) {
      const begun = watched.next;
      watched.next = Promise.withResolvers();
      const looking = look(key);
      begun.resolve({ look: looking });
      // A failure is for those who wait for the look; here only its end matters.
      await Promise.allSettled([looking]);
      await wakeup.wait({ atLeastMs, atMostMs, signal: left.signal });
    }
    unwatch();
  }
}

function nextOf<T>({ next }: Watched<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    next.promise
      .then(({ look }) => look)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
