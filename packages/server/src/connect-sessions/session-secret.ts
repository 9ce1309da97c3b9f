import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits as base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A secret that nobody guesses: of a link, or of the browser that has opened it. */
export function newSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a secret: it is random, so a fast hash without salt is as good as a slow one. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether a secret has that hash; takes the same time wherever it differs. */
export function hasHash(secret: string | undefined, hash: string | null): boolean {
  if (secret === undefined || hash === null || !isSessionSecret(secret)) return false;
  const [actual, wanted] = [hashOfSecret(secret), hash].map((each) => Buffer.from(each));
  return (
    actual !== undefined && wanted?.length === actual.length && timingSafeEqual(actual, wanted)
  );
}

/** Whether a text has the form of a secret; nothing else is looked up. */
export function isSessionSecret(text: string): boolean {
  return SECRET.test(text);
}
