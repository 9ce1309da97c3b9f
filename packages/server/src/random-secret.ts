import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits as base64url. */
export const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A secret that nobody guesses: of a link, of a state, of a browser. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text has the form of a secret; nothing else is looked up. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** What is stored of a secret: it is random, so a fast hash without salt is as good as a slow one. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether a secret has that hash; takes the same time wherever it differs. */
export function hasHash(secret: string | undefined, hash: string | null): boolean {
  if (secret === undefined || hash === null || !isSecret(secret)) return false;
  const [actual, wanted] = [hashOfSecret(secret), hash].map((each) => Buffer.from(each));
  return (
    actual !== undefined && wanted?.length === actual.length && timingSafeEqual(actual, wanted)
  );
}
