import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Longest client id and secret, in characters. */
export const MAX_CLIENT_ID = 255;
export const MAX_CLIENT_SECRET = 4_096;

/** Enough to change them one by one without a pause, in more places than one. */
export const MAX_SECRETS = 10;

const FORM = 'sha256';

const PREFIX = 'pbs_';

/** A new client secret: 256 random bits. */
export function newClientSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64url')}`;
}

/**
 * The stored form of a client secret: `sha256$<salt>$<digest>`. A fast hash is enough, and keeps
 * logins cheap: secrets are random, or at least 32 characters that an operator chose for machines.
 */
export function hashClientSecret(secret: string): string {
  const salt = randomBytes(16);
  return `${FORM}$${salt.toString('base64url')}$${digest(salt, secret).toString('base64url')}`;
}

/** Hashes that no secret has. */
const NO_HASHES = Array.from({ length: MAX_SECRETS }, () => hashClientSecret(newClientSecret()));

/**
 * Which of the hashes the secret has; takes the same time wherever it differs, whichever it is, and however
 * many there are: an unknown client id costs as much as a known one.
 */
export function matchingHash(secret: string, hashes: readonly string[]): string | undefined {
  const all = [...hashes, ...NO_HASHES.slice(hashes.length)];
  return all.filter((hash) => isClientSecret(secret, hash))[0];
}

function isClientSecret(secret: string, hash: string): boolean {
  const [form, salt = '', expected = ''] = hash.split('$');
  const actual = digest(Buffer.from(salt, 'base64url'), secret);
  const wanted = Buffer.from(expected, 'base64url');
  return form === FORM && wanted.length === actual.length && timingSafeEqual(wanted, actual);
}

function digest(salt: Uint8Array, secret: string): Buffer {
  return createHash('sha256').update(salt).update(secret, 'utf8').digest();
}
