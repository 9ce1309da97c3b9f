import { countCodePoints } from '../code-points.ts';

/**
 * A master key as somebody gave it: its 32 bytes, or a passphrase that they are made of. That is a function,
 * so that nothing prints it.
 */
export type MasterKey = Uint8Array | Passphrase;

interface Passphrase {
  readonly passphrase: () => string;
}

const MIN_PASSPHRASE = 32;
const HEX_KEY = /^[0-9a-f]{64}$/i;
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

/** What a master key may look like, as it completes the sentence "must be …". */
export const MASTER_KEY_EXPECTS =
  '32 random bytes in base64 or hex (for example from "openssl rand -base64 32"), or a passphrase of 32 or more characters';

/**
 * The master key that a text gives: base64 (also base64url) or hex of exactly 32 bytes is the key itself; any
 * other text with 32 or more characters is a passphrase. Surrounding white space does not count.
 * `undefined` for anything else.
 */
export function parseMasterKey(text: string): MasterKey | undefined {
  const key = text.trim();
  if (HEX_KEY.test(key)) return Buffer.from(key, 'hex');
  if (BASE64_KEY.test(key)) return Buffer.from(key, 'base64');
  return countCodePoints(key) < MIN_PASSPHRASE ? undefined : { passphrase: () => key };
}

export function isPassphrase(key: MasterKey | undefined): key is Passphrase {
  return key !== undefined && 'passphrase' in key;
}
