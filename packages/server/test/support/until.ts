import { setTimeout as wait } from 'node:timers/promises';

/**
 * Asks until something has become true; the test's own timeout is the end. It leaves the processor
 * meanwhile to what the test waits for, and to other tests.
 */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await wait(1);
}
