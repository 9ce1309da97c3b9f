import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** How often something is to happen: from the environment, since CI has more time than a person. */
export function timesOf(variable: string, usual: number): number {
  return Number(process.env[variable] ?? usual);
}

/** Lets a random time pass, for what may happen at any moment. */
export async function atRandomMoment(longestMs: number): Promise<void> {
  await wait(randomInt(longestMs));
}
