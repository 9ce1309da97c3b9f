import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ConnectorError, type Clock } from '@patchbay/connectors';
import type { VerifiedToken } from './access.ts';
import { FailedAttempts } from './failed-attempts.ts';

/** What the operator's key may look like, as it completes the sentence "must be …". */
export const OPERATOR_KEY_EXPECTS =
  '32 to 1,024 letters, digits and any of - _ ~ + / = (for example from "openssl rand -base64 32")';

/** As in RFC 6750, but without the dot, so that it never passes for a token of ours, which has two. */
const FORM = /^[A-Za-z0-9\-_~+/=]{32,1024}$/;

const PREFIX = 'pbo_';

const VERIFIED: VerifiedToken = {
  access: { type: 'operator', isKey: true },
  expiresAt: Infinity,
};

const WRONG_TOKEN =
  "The bearer token is neither one that this service issued nor the operator's key.";

/** A new key: 256 random bits. */
export function newOperatorKey(): string {
  return `${PREFIX}${randomBytes(32).toString('base64url')}`;
}

/** The key that a text gives, without white space around it; `undefined` where it gives none. */
export function parseOperatorKey(text: string): string | undefined {
  const key = text.trim();
  return FORM.test(key) ? key : undefined;
}

/** The key that opens what belongs to any application. */
export class OperatorKey {
  readonly #digest: Uint8Array;
  readonly #failed: FailedAttempts;

  /** @param key As `parseOperatorKey` gives it. */
  constructor(key: string, clock: Clock) {
    if (!FORM.test(key)) throw new RangeError(`an operator's key must be ${OPERATOR_KEY_EXPECTS}`);
    this.#digest = digest(key);
    this.#failed = new FailedAttempts(clock);
  }

  /** Whether a bearer token could be a key; everything else is none. */
  isLike(token: string): boolean {
    return FORM.test(token);
  }

  /**
   * Takes the same time wherever a wrong key differs, and never holds up the right one.
   *
   * @param message Of the error for a wrong key.
   * @throws `unauthenticated`; `rate_limited` after too many wrong keys from the address.
   */
  verify(token: string, address: string, message = WRONG_TOKEN): VerifiedToken {
    if (timingSafeEqual(digest(token), this.#digest)) return VERIFIED;
    this.#failed.note('wrong keys', { address });
    throw new ConnectorError('unauthenticated', {}, { message });
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
