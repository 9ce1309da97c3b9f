import { setTimeout as wait } from 'node:timers/promises';

/** Asks until the answer is yes; the time limit of the test run ends what never becomes true. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await wait(5);
}
