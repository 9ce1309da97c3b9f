import { setTimeout as wait } from 'node:timers/promises';

/** Asks until something has become true; the test's own time limit is the end. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await wait(5);
}
