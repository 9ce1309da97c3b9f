import { invalidInput } from './service-errors.ts';

/** The service takes 1 to 255 characters; HTTP takes no others in a header than these. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

const RANDOM_BYTES = 16;

/**
 * A key that no other write has: 128 random bits. `crypto.randomUUID` would do the same, but pages
 * without https lack it.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @throws `invalid_request` for a key that no header can carry. */
export function checkIdempotencyKey(key: string): void {
  if (KEY.test(key)) return;
  throw invalidInput(
    'idempotencyKey',
    'must be 1 to 255 printable ASCII characters, no space at either end',
  );
}
