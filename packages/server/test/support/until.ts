/** Lets the event loop turn until something has become true; the test's own timeout is the end. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
