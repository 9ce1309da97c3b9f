import { withoutPort } from '../network-of.ts';

/** As long as any address, with a zone. */
const MAX_CHARACTERS = 64;

/** A client's address for the log: a proxy may pass on what it likes. */
export function loggableAddress(address: string | undefined): string | undefined {
  return address && withoutPort(address.slice(0, MAX_CHARACTERS)).replaceAll(/[^\x20-\x7e]/g, '?');
}
