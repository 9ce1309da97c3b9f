import type { IncomingMessage } from 'node:http';

/**
 * How often a request has a header; Node.js puts some that are there twice together, and keeps the first of others.
 *
 * @param name In small letters.
 */
export function countOf({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  // Names and values by turns.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
