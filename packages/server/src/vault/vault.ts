import { createHmac, hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { Store } from '@patchbay/store';
import { ServiceError } from '../service-error.ts';

/** What a sealed text, or a digest, belongs to: it is good for nothing else. */
export type Owner =
  | `connector:${string}`
  | `signing-key:${string}`
  | `cursor:${string}`
  | `creation:${string}`
  | `oauth-app:${string}`
  | `consent:${string}`
  | 'operator-key'
  | 'check';

const CHECK_SETTING = 'vault_check';
const CHECK_TEXT = 'patchbay';
const DIGEST_KEY_USE = 'patchbay digests v1';

/**
 * Seals secrets for the database as compact JWE (key wrapping A256GCMKW, content A256GCM). The
 * owner stands in the protected header, so that sealed text moved to another row does not open.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7516
 */
export class Vault {
  readonly #masterKey: Uint8Array;
  readonly #digestKey: Uint8Array;

  /** @param masterKey 32 bytes. */
  constructor(masterKey: Uint8Array) {
    if (masterKey.length !== 32) throw new RangeError('a master key has 32 bytes');
    this.#masterKey = Uint8Array.from(masterKey);
    this.#digestKey = new Uint8Array(hkdfSync('sha256', masterKey, '', DIGEST_KEY_USE, 32));
  }

  /**
   * The same for the same secret of the same owner: it tells whether two are equal without opening
   * either. Without the master key nobody can try what secret it is of.
   */
  digest(owner: Owner, secret: string): string {
    // No owner has a line break, so nothing of the one can pass for a part of the other.
    return createHmac('sha256', this.#digestKey).update(`${owner}\n${secret}`).digest('base64url');
  }

  async seal(owner: Owner, secret: string): Promise<string> {
    return new CompactEncrypt(new TextEncoder().encode(secret))
      .setProtectedHeader({ alg: 'A256GCMKW', enc: 'A256GCM', owner })
      .encrypt(this.#masterKey);
  }

  /** Rejects when the text was sealed with another key, for another owner, or was changed. */
  async open(owner: Owner, sealed: string): Promise<string> {
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, this.#masterKey, {
      keyManagementAlgorithms: ['A256GCMKW'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    if (protectedHeader['owner'] !== owner)
      throw new Error(`a sealed text of another owner was presented for ${owner}`);
    return new TextDecoder().decode(plaintext);
  }
}

/** Whether a master key has sealed anything in this database before. */
export async function isSealed(store: Pick<Store, 'settings'>): Promise<boolean> {
  return (await store.settings.get(CHECK_SETTING)) !== undefined;
}

/**
 * Opens the vault of a database: the first time, leaves a check value there; later, compares.
 *
 * @throws ServiceError `master_key_wrong` when the database was sealed with another key.
 */
export async function openVault(
  store: Pick<Store, 'settings'>,
  masterKey: Uint8Array,
): Promise<Vault> {
  const vault = new Vault(masterKey);
  const present = await store.settings.ensure(CHECK_SETTING, await vault.seal('check', CHECK_TEXT));
  try {
    await vault.open('check', present);
  } catch (error) {
    throw new ServiceError(
      'master_key_wrong',
      'The master key is not the one that this database was sealed with, so no stored credential could be opened. Give the original key (PATCHBAY_MASTER_KEY or its key file), or start with an empty database.',
      { cause: error },
    );
  }
  return vault;
}
