import { createHash } from 'node:crypto';

/**
 * Says whether a code verifier is the one that a challenge was made of, by S256. Where there was no
 * challenge, no verifier is asked for.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7636
 */
export function isVerified(challenge: string | undefined, verifier: string | undefined): boolean {
  if (challenge === undefined) return true;
  if (verifier === undefined) return false;
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
}
