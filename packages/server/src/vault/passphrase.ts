import { hkdfSync, randomBytes, scrypt } from 'node:crypto';

const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** 128 MiB and about half a second a guess, which a start pays once. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const MAX_MEMORY = 2 * 128 * COST.N * COST.r;

/** What a database stretches passphrases with; another one for each database. It is no secret. */
export function makeSalt(): string {
  return randomBytes(SALT_BYTES).toString('base64url');
}

/**
 * The 32 bytes that a passphrase makes: each guess of whoever has a copy of the database costs as much.
 *
 * @param salt As `makeSalt` gave it.
 * @see https://www.rfc-editor.org/rfc/rfc7914
 */
export function stretch(passphrase: string, salt: string): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const options = { ...COST, maxmem: MAX_MEMORY };
  scrypt(passphrase, Buffer.from(salt, 'base64url'), KEY_BYTES, options, (error, key) => {
    if (error === null) resolve(new Uint8Array(key));
    else reject(error);
  });
  return promise;
}

/** What it made up to version 0.2, where guesses cost next to nothing; databases from then have it until they rotate. */
export function deriveUnstretched(passphrase: string): Uint8Array {
  return new Uint8Array(
    hkdfSync('sha256', passphrase, 'patchbay', 'patchbay master key v1', KEY_BYTES),
  );
}
