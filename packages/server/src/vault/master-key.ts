import { hkdfSync } from 'node:crypto';
import { countCodePoints } from '../code-points.ts';

const KEY_BYTES = 32;
const MIN_PASSPHRASE = 32;
const HEX_KEY = /^[0-9a-f]{64}$/i;
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

/** What a master key may look like, as it completes the sentence "must be …". */
export const MASTER_KEY_EXPECTS =
  '32 random bytes in base64 or hex (for example from "openssl rand -base64 32"), or a passphrase of 32 or more characters';

/**
 * The 32 bytes of a master key given as text: base64 (also base64url) or hex of exactly 32 bytes
 * is the key itself; of any other text with 32 or more characters, HKDF-SHA-256 makes the key.
 * Surrounding white space does not count. `undefined` for anything else.
 */
export function parseMasterKey(text: string): Uint8Array | undefined {
  const key = text.trim();
  if (HEX_KEY.test(key)) return Buffer.from(key, 'hex');
  if (BASE64_KEY.test(key)) return Buffer.from(key, 'base64');
  if (countCodePoints(key) < MIN_PASSPHRASE) return undefined;
  return new Uint8Array(hkdfSync('sha256', key, 'patchbay', 'patchbay master key v1', KEY_BYTES));
}
