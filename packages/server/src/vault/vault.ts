import { createHmac } from 'node:crypto';
import type { Keyring, SealingKey } from './keyring.ts';
import { openText, SealedTextError, sealText } from './sealed-text.ts';

/** What a sealed text, or a digest, belongs to: it is good for nothing else. */
export type Owner =
  | `connector:${string}`
  | `signing-key:${string}`
  | `cursor:${string}`
  | `creation:${string}`
  | `oauth-app:${string}`
  | `consent:${string}`
  | 'access-token'
  | 'digest-key'
  | 'operator-key'
  | 'check';

export interface VaultParts {
  readonly keyring: Keyring;
  /** 32 bytes, which stay the same whatever the master key is. */
  readonly digestKey: Uint8Array;
  /** The key in force. */
  readonly sealingKey: () => SealingKey | Promise<SealingKey>;
}

/**
 * Seals secrets for the database. The owner is bound in, so that sealed text moved to another row does
 * not open.
 */
export class Vault {
  readonly #parts: VaultParts;

  constructor(parts: VaultParts) {
    this.#parts = parts;
  }

  /**
   * The same for the same secret of the same owner: it tells whether two are equal without opening
   * either. Without the digest key nobody can try what secret it is of.
   */
  digest(owner: Owner, secret: string): string {
    // No owner has a line break, so nothing of the one can pass for a part of the other.
    return createHmac('sha256', this.#parts.digestKey)
      .update(`${owner}\n${secret}`)
      .digest('base64url');
  }

  async seal(owner: Owner, secret: string): Promise<string> {
    return sealText(await this.#parts.sealingKey(), owner, secret);
  }

  /** Seals later with the key that is in force now: nothing has to be looked up then. */
  async sealer(owner: Owner): Promise<(secret: string) => Promise<string>> {
    const key = await this.#parts.sealingKey();
    return (secret) => sealText(key, owner, secret);
  }

  /** @throws SealedTextError where it was sealed for another owner, or changed; an Error where its key is not here. */
  async open(owner: Owner, sealed: string): Promise<string> {
    const opened = await openText(this.#parts.keyring, sealed);
    if (opened.owner !== owner)
      throw new SealedTextError(`a sealed text of another owner was presented for ${owner}`);
    return opened.secret;
  }
}
