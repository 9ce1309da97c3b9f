import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** Lets a random time pass, for what may happen at any moment. */
export async function atRandomMoment(longestMs: number): Promise<void> {
  await wait(randomInt(longestMs));
}
