import { CompactEncrypt, compactDecrypt } from 'jose';
import { HEAD_CHARACTERS } from '@patchbay/store';
import type { Keyring, SealingKey } from './keyring.ts';

/** What a sealed text holds. */
interface Opened {
  readonly owner: string;
  readonly secret: string;
  readonly key: SealingKey;
}

/** A text that no key opens, though the one that sealed it may be here: it was changed, or is another row's. */
export class SealedTextError extends Error {
  override readonly name = 'SealedTextError';
}

const HEAD = /^\{"kid":"([0-9a-f]{16})$/;

/**
 * How everything begins that was sealed with that key. The id of the key is the first member of the header,
 * so that the database can tell texts apart without reading JSON.
 */
export function headOf({ id }: Pick<SealingKey, 'id'>): string {
  return Buffer.from(`{"kid":"${id}`).toString('base64url');
}

/** The id of the key that a text was sealed with; `undefined` for those from before keys had ids. */
export function keyIdOf(sealed: string): string | undefined {
  const head = Buffer.from(sealed.slice(0, HEAD_CHARACTERS), 'base64url');
  return HEAD.exec(head.toString('latin1'))?.[1];
}

/**
 * Seals a secret as compact JWE (key wrapping A256GCMKW, content A256GCM); its owner and the id of the key
 * stand in the protected header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7516
 */
export async function sealText(key: SealingKey, owner: string, secret: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(secret))
    .setProtectedHeader({ kid: key.id, alg: 'A256GCMKW', enc: 'A256GCM', owner })
    .encrypt(key.bytes);
}

/**
 * Opens a text with the key that sealed it.
 *
 * @throws SealedTextError; an Error where the key is not here, so that another process may well open it.
 */
export async function openText(keyring: Keyring, sealed: string): Promise<Opened> {
  const id = keyIdOf(sealed);
  if (id === undefined) return openWithAny(keyring, sealed);
  const key = keyring.find(id);
  if (key === undefined)
    throw new Error(
      `a text was sealed with the master key ${id}, which this process does not have`,
    );
  return openWith(key, sealed);
}

/** The same secret of the same owner, sealed with another key. */
export async function resealText(
  keyring: Keyring,
  key: SealingKey,
  sealed: string,
): Promise<string> {
  const { owner, secret } = await openText(keyring, sealed);
  return sealText(key, owner, secret);
}

async function openWithAny({ all }: Keyring, sealed: string): Promise<Opened> {
  const attempts = all.map((key) => openWith(key, sealed));
  return Promise.any(attempts).catch((error: unknown) => {
    throw unopened(error);
  });
}

async function openWith(key: SealingKey, sealed: string): Promise<Opened> {
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, key.bytes, {
    keyManagementAlgorithms: ['A256GCMKW'],
    contentEncryptionAlgorithms: ['A256GCM'],
  }).catch((error: unknown) => {
    throw unopened(error);
  });
  const { owner } = protectedHeader;
  if (typeof owner !== 'string') throw new SealedTextError('a sealed text has no owner');
  return { owner, secret: new TextDecoder().decode(plaintext), key };
}

function unopened(cause: unknown): SealedTextError {
  return new SealedTextError('a sealed text was changed, or sealed with another key', { cause });
}
