import { Keyring, type SealingKey } from '../../src/vault/keyring.ts';
import { deriveDigestKey } from '../../src/vault/open-vault.ts';
import { Vault } from '../../src/vault/vault.ts';

/**
 * A vault as a service has it on a database that was sealed with that key alone.
 *
 * @param lookUp How the key in force is looked up.
 */
export function vaultOf(
  masterKey: Uint8Array,
  lookUp: (key: SealingKey) => SealingKey | Promise<SealingKey> = (key) => key,
): Vault {
  const keyring = new Keyring(masterKey);
  return new Vault({
    keyring,
    digestKey: deriveDigestKey(masterKey),
    sealingKey: () => lookUp(keyring.newest),
  });
}
