import type { IncomingMessage } from 'node:http';

/**
 * How many times a request carries a header: Node.js joins some repeated headers and drops the rest.
 *
 * @param name In lower case.
 */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  // Names and values by turns.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
