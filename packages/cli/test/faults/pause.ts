/** Lets so many milliseconds pass. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Asks every 50 ms until the answer is true; false where it never was within `withinMs`. */
export async function becomesTrue(
  ask: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  const endsAt = performance.now() + withinMs;
  while (performance.now() < endsAt) {
    if (await ask()) return true;
    await pause(50);
  }
  return false;
}

/** Calls every `ms` until stopped; `stop` waits for a call under way. */
export function repeat(ms: number, work: () => Promise<void>): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const repeating = (async () => {
    while (!stopping.signal.aborted) {
      await work();
      await pause(ms);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return repeating;
    },
  };
}
