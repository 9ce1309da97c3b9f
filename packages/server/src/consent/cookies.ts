import { createHash, timingSafeEqual } from 'node:crypto';
import { cookieIn, cookieNamesIn, tooManyFor } from '../cookie-header.ts';
import { isSecret } from '../random-secret.ts';

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const PREFIX = '__Host-patchbay-consent-';

/**
 * The name of the cookie of a state: a browser may be asked for several consents at once. Browsers take
 * one that begins with `__Host-` from this host alone, over https; over http, from loopback addresses.
 */
export function cookieNameOf(state: string): string {
  return PREFIX + hashOf(`cookie ${state}`).toString('hex').slice(0, 16);
}

/** The secret that a `Cookie` header has for a state; `undefined` for none. */
export function secretIn(header: string | undefined, state: string): string | undefined {
  const value = cookieIn(header, cookieNameOf(state));
  return value !== undefined && isSecret(value) ? value : undefined;
}

/** A `Set-Cookie` header; it lives as long as the state. */
export function cookieFor(state: string, secret: string, lifeMs: number): string {
  return cookieWith(cookieNameOf(state), secret, Math.ceil(lifeMs / 1000));
}

/** Headers that take the oldest away, so that with that of a state there are as many as there may be. */
export function oldCookiesGone(header: string | undefined, state: string): readonly string[] {
  // Browsers send those of one path in the order in which they came to have them (RFC 6265, 5.4).
  const others = cookieNamesIn(header, PREFIX).filter((name) => name !== cookieNameOf(state));
  return tooManyFor(others).map((name) => cookieWith(name, '', 0));
}

function cookieWith(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Max-Age=${seconds}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}

/** The header that takes it away again. */
export function cookieGone(state: string): string {
  return cookieFor(state, '', 0);
}

/**
 * What the button of our page sends along, so that nobody else's page can press it: only a browser that
 * has been shown the page has the secret it is made of.
 */
export function pressOf(state: string, secret: string): string {
  return hashOf(`press ${state} ${secret}`).toString('base64url');
}

/** Compares without telling by its time how much is equal. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
